//! What became of a workflow and of each of its steps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// It was done.
    Done,
    /// It failed.
    Failed,
    /// It failed, and the workflow went on.
    Skipped,
    /// It was not reached.
    NotRun,
}

/// A step that was tried.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct StepReport {
    /// Its tool
    pub tool: String,
    /// Whether it did not fail
    pub ok: bool,
    /// How often it was tried, if more than once
    #[serde(default, skip_serializing_if = "is_one")]
    pub attempts: u32,
    /// How long it took, waits and retries included
    pub duration_ms: u64,
    /// `confirmed` or `unconfirmed`, for an action
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<String>,
    /// Why it failed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it read, unless that is long
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub result: Option<Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(count: &u32) -> bool {
    *count == 1
}

/// A workflow, for a report that others read.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// Its name.
    pub name: &'a str,
    /// The tools of all its steps, in their order.
    pub tools: Vec<&'a str>,
    /// What became of those that were tried.
    pub tried: &'a [StepReport],
    /// Whether it did not end with the failure of a step.
    pub success: bool,
}

impl Report<'_> {
    /// What became of a step, from 0 on.
    pub fn state(&self, index: usize) -> StepState {
        match self.tried.get(index) {
            None => StepState::NotRun,
            Some(step) if step.ok => StepState::Done,
            Some(_) if !self.success && index + 1 == self.tried.len() => StepState::Failed,
            Some(_) => StepState::Skipped,
        }
    }
}
