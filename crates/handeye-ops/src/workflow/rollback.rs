//! Takes back what the steps of a workflow did, the latest action first.

use crate::take_back::{Attempt, take_back};
use handeye_act::journal::Fate;
use handeye_call::call::Call;
use handeye_call::client::Prefixed;
use handeye_core::Result;
use handeye_engine::{Engine, InnerCalls, InnerTool, Toolset};
use handeye_flow::Progress;
use std::sync::Arc;

/// Takes back what was done. Its questions have keys that begin with `key`: a no to a step is none to its taking back.
///
/// # Errors
/// [`ErrorCode::InputRequired`](handeye_core::ErrorCode::InputRequired) if a person has to be asked; what was taken back until then is not
/// tried again.
pub(super) async fn run(
    engine: &Engine,
    call: &Call,
    inner: &dyn InnerCalls,
    (progress, key): (&Progress, &str),
) -> Result<Vec<Attempt>> {
    let journal = &engine.desk.own.journal;
    let mut attempts = Vec::new();
    for (index, report) in progress.reports.iter().enumerate().rev() {
        let is_elsewhere = inner.tool(&report.tool).is_some_and(|tool| acts_elsewhere(&tool));
        if report.ok && is_elsewhere {
            attempts.push(Attempt::not_possible(&report.tool, "it acted on no element of an application"));
        }
        let actions = progress.actions.iter().rev().filter(|(step, _)| *step == index);
        for (_, number) in actions {
            let Some(entry) = journal.entry(*number) else {
                attempts.push(Attempt::not_possible(&report.tool, "the journal has forgotten it"));
                continue;
            };
            if entry.fate != Fate::Stands {
                attempts.push(Attempt::earlier(&entry));
                continue;
            }
            let client = Prefixed::new(Arc::clone(&call.client), format!("{key}{number} "));
            let within = Call { client: Arc::new(client), ..call.clone() };
            attempts.push(take_back(engine, &within, &entry).await?);
        }
    }
    Ok(attempts)
}

/// Whether what an operation does is not in the journal: a script, the clipboard.
fn acts_elsewhere(tool: &InnerTool) -> bool {
    !tool.read_only && !matches!(tool.toolset, Toolset::Action | Toolset::Connect | Toolset::Vision)
}
