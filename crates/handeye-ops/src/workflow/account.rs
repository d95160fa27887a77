//! The account of a workflow: what was done, what failed, what was taken back.

use super::Output;
use super::runner::Ended;
use crate::take_back::{Attempt, TakenBack};
use handeye_call::outcome::Outcome;
use handeye_core::{Error, ErrorCode, Text};
use handeye_flow::StepReport;
use handeye_flow::definition::Flow;

/// The answer to a workflow.
pub(super) fn of(flow: &Flow, ended: Ended) -> Outcome<Output> {
    let Ended { progress, rollback } = ended;
    let total = flow.steps.len();
    let completed = progress.reports.iter().filter(|report| report.ok).count();
    let failure = progress.failed.map(|error| failed(flow, &progress.reports, error, rollback.as_deref()));
    let verb = if failure.is_some() { "ended" } else { "completed" };
    let mut text =
        Text::from(format!("Workflow '{}' {verb}: {completed}/{total} steps succeeded.", flow.title()));
    let taken_back = rollback.iter().flatten().map(|attempt| format!("Rollback: {}", attempt.line()));
    for line in lines(&progress.reports).chain(taken_back) {
        text.push_str("\n");
        text.push_str(&line);
    }
    let fields = Output {
        success: failure.is_none(),
        steps_completed: completed,
        steps_total: total,
        failed_step: failure.as_ref().map(|_| progress.reports.len()),
        results: progress.reports,
        rolled_back: rollback.is_some(),
        rollback: rollback.unwrap_or_default(),
        error: failure.as_ref().map(|error| error.message.clone()),
    };
    Outcome { failure, ..Outcome::new(text, fields) }
}

/// What a reader has to know of steps: failures, and effects that were not seen.
fn lines(reports: &[StepReport]) -> impl Iterator<Item = String> {
    reports.iter().enumerate().filter_map(|(index, report)| {
        let number = index + 1;
        match (&report.error, report.effect.as_deref()) {
            (Some(error), _) if number < reports.len() => {
                Some(format!("Step {number} ({}) failed: {error}", report.tool))
            }
            (Some(_), _) => None,
            (None, Some("unconfirmed")) => {
                Some(format!("Step {number} ({}): unconfirmed, no effect was observed", report.tool))
            }
            (None, _) => {
                report.result.as_ref().map(|result| format!("Step {number} ({}): {result}", report.tool))
            }
        }
    })
}

/// The error of a workflow that a step ended.
fn failed(flow: &Flow, reports: &[StepReport], error: Error, rollback: Option<&[Attempt]>) -> Error {
    let (number, total) = (reports.len(), flow.steps.len());
    let tool = reports.last().map_or("", |report| report.tool.as_str());
    let state = match rollback {
        None if number > 1 => "; what the steps before it did stays",
        None => "",
        Some(attempts) if attempts.iter().all(|attempt| attempt.status == TakenBack::Undone) => {
            "; each action of the steps was taken back (what an application made of it may stay)"
        }
        Some(_) => "; not all that the steps did could be taken back",
    };
    let message =
        format!("step {number} of {total} ({tool}) failed: {}: {}{state}", error.code, error.message);
    let code = if error.code == ErrorCode::Cancelled { error.code } else { ErrorCode::WorkflowFailed };
    Error { next: error.next, ..Error::new(code, message).with_found(error.found) }
}
