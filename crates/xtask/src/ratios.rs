//! Compares the ratios of a run of the benchmarks with those of the last committed run.

use crate::failure::{Failure, Result};
use serde_json::Value;

/// How many times slower handeye may have become beside the others before a run fails.
const TOLERANCE: f64 = 1.10;

/// How many times longer something took than handeye: it falls when handeye becomes slower.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ratio {
    /// What was measured: the part, the application, the quantity.
    key: [String; 3],
    times: f64,
    commit: String,
}

/// What became of the ratios of an earlier run.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Comparison {
    /// A line for each that became slower.
    pub(crate) slower: Vec<String>,
    /// How many did not.
    pub(crate) kept: usize,
    /// How many the later run does not have.
    pub(crate) missing: usize,
}

/// Reads the ratios of a run.
pub(crate) fn read(text: &str) -> Result<Vec<Ratio>> {
    let wrong = || Failure::new("the file of ratios is not what `cargo xtask bench` writes");
    let value: Value = serde_json::from_str(text).map_err(|error| Failure::new(error.to_string()))?;
    let entries = value.as_array().ok_or_else(wrong)?;
    let ratio = |entry: &Value| {
        let word = |name: &str| entry[name].as_str().map(str::to_owned);
        Some(Ratio {
            key: [word("section")?, word("application")?, word("quantity")?],
            times: entry["ratio"].as_f64()?,
            commit: word("commit")?,
        })
    };
    entries.iter().map(|entry| ratio(entry).ok_or_else(wrong)).collect()
}

/// Compares a run with an earlier one, ratio by ratio. What only the later one has is not compared.
pub(crate) fn compare(before: &[Ratio], now: &[Ratio]) -> Comparison {
    let mut found = Comparison::default();
    for earlier in before {
        match now.iter().find(|later| later.key == earlier.key) {
            None => found.missing += 1,
            Some(later) if later.times * TOLERANCE < earlier.times => found.slower.push(format!(
                "{}: {:.2} at {}, {:.2} now: {:.0} % slower",
                earlier.key.join(": "),
                earlier.times,
                earlier.commit,
                later.times,
                (earlier.times / later.times - 1.0) * 100.0
            )),
            Some(_) => found.kept += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(application: &str, times: f64) -> Ratio {
        Ratio {
            key: ["mcp", application, "pyatspi ÷ handeye, first tree"].map(str::to_owned),
            times,
            commit: "5418727c".into(),
        }
    }

    #[test]
    fn a_ratio_that_fell_by_more_than_the_tolerance_is_named() {
        let before = [ratio("GTK 3", 12.0), ratio("Firefox", 6.0)];
        let found = compare(&before, &[ratio("Firefox", 6.5), ratio("GTK 3", 9.6)]);
        let line = "mcp: GTK 3: pyatspi ÷ handeye, first tree: 12.00 at 5418727c, 9.60 now: 25 % slower";
        assert_eq!(found, Comparison { slower: vec![line.into()], kept: 1, missing: 0 });
    }

    #[test]
    fn a_tenth_is_within_the_tolerance() {
        let found = compare(
            &[ratio("GTK 3", 10.9), ratio("GTK 4", 11.1)],
            &[ratio("GTK 3", 10.0), ratio("GTK 4", 10.0)],
        );
        assert_eq!((found.slower.len(), found.kept), (1, 1));
        assert!(found.slower[0].contains("GTK 4"), "{found:?}");
    }

    #[test]
    fn what_was_not_measured_is_counted_and_what_is_new_is_not_compared() {
        let found = compare(&[ratio("GTK 3", 10.0)], &[ratio("Calc", 1.0)]);
        assert_eq!(found, Comparison { slower: Vec::new(), kept: 0, missing: 1 });
    }

    #[test]
    fn the_file_of_a_run_is_read() {
        let text = r#"[
            {"section":"mcp","application":"GTK 3","quantity":"pyatspi ÷ handeye, first tree","ratio":10.5,"commit":"5418727c"}
        ]"#;
        assert_eq!(read(text).expect("ratios"), [ratio("GTK 3", 10.5)]);
        for wrong in ["{}", "[{}]", "no JSON"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
