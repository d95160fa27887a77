//! What state an application is in (axterminator, section 10.2).

use crate::facts::{Facts, is_under_way};
use crate::pattern::{Detection, Pattern};
use handeye_core::NodeId;
use handeye_words::interface;
use serde::Serialize;

/// What an application is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for its user.
    Idle,
    /// It shows that it works on something.
    Loading,
    /// It reports an error.
    Error,
    /// It asks who its user is.
    AuthRequired,
    /// It does not answer. Never found in a tree: only the caller knows.
    Busy,
    /// A dialog has to be answered first.
    ModalDialog,
}

impl State {
    /// Its name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Loading => "loading",
            Self::Error => "error",
            Self::AuthRequired => "auth_required",
            Self::Busy => "busy",
            Self::ModalDialog => "modal_dialog",
        }
    }
}

/// Longest text that reports that something is being loaded, in characters.
const LONGEST_NOTE: usize = 40;

pub(crate) fn of(facts: &Facts<'_>, patterns: &[Detection]) -> State {
    match patterns.first().map(|strongest| strongest.pattern) {
        Some(Pattern::LoginForm) => return State::AuthRequired,
        Some(Pattern::ErrorAlert) => return State::Error,
        // A dialog that will close by itself is waited for and not answered.
        Some(Pattern::ProgressIndicator) => return State::Loading,
        _ => {}
    }
    if facts.is_dialog {
        State::ModalDialog
    } else if reports_error(facts) {
        State::Error
    } else if is_loading(facts) {
        State::Loading
    } else {
        State::Idle
    }
}

/// Whether a status bar or a message in the window reports an error.
fn reports_error(facts: &Facts<'_>) -> bool {
    let inside = |id: NodeId| facts.tree.descendants(id).take(20).filter(|node| node.is_showing());
    facts.messages.iter().any(|message| inside(message.id).any(|node| interface::reports_error(node.label())))
}

fn is_loading(facts: &Facts<'_>) -> bool {
    let notes = |text: &str| text.chars().count() <= LONGEST_NOTE && interface::reports_loading(text);
    // Several bars side by side are gauges.
    let runs = facts.progress.len() == 1
        && facts.progress.iter().any(|bar| {
            let value = bar.details.value.known();
            is_under_way(value)
                && value.is_none_or(|value| value.current > value.minimum || value.minimum >= value.maximum)
        });
    let statuses = facts.messages.iter().flat_map(|bar| facts.tree.descendants(bar.id).take(20));
    facts.busy.is_some()
        || runs
        || facts.texts.iter().any(|text| notes(text.label()))
        || statuses.filter(|node| node.is_showing()).any(|node| notes(node.label()))
}
