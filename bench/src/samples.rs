//! Measurements that were repeated.

use crate::Result;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::process::Command;

/// Values of one quantity, one a round.
#[derive(Debug, Clone, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Adds the value of one round.
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// Number of rounds.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The value in the middle, `None` without any.
    pub fn median(&self) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let upper = sorted.len() / 2;
        let lower = sorted.len().checked_sub(1)? / 2;
        Some(f64::midpoint(*sorted.get(lower)?, *sorted.get(upper)?))
    }
}

/// The quantities that a probe prints, over all rounds.
#[derive(Debug, Clone, Default)]
pub struct Series(BTreeMap<String, Samples>);

impl Series {
    /// Adds what a probe printed in one round.
    pub fn add(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            if let Some(number) = value.as_f64() {
                self.0.entry(name.clone()).or_default().push(number);
            }
        }
    }

    /// Adds one value of one quantity.
    pub fn push(&mut self, name: &str, value: f64) {
        self.0.entry(name.to_owned()).or_default().push(value);
    }

    /// The median of a quantity.
    pub fn median(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.median()
    }

    /// The medians of all quantities.
    pub fn medians(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().filter_map(|(name, samples)| Some((name.as_str(), samples.median()?)))
    }

    /// Rounds of the quantity that was measured most often.
    pub fn rounds(&self) -> usize {
        self.0.values().map(Samples::len).max().unwrap_or(0)
    }
}

/// Runs a probe and reads the one line of JSON that it prints. A probe that fails is an error with its output.
pub fn probe(command: &mut Command) -> Result<Map<String, Value>> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!(
            "{command:?} ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default()
        )
        .into());
    }
    let line = text.lines().last().ok_or("a probe printed nothing")?;
    Ok(serde_json::from_str(line)?)
}
