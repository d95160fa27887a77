//! The effect of an action, as an answer reports it: what changed is evidence, the application's own "done" is not.

use super::evidence::why_not;
use super::observation::{Observation, WindowChanges};
use handeye_core::{Change, Field, Node, States};
use handeye_tree::describe::{describe, quote};
use handeye_tree::difference::state_words;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether the effect of an action was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A change was observed.
    Confirmed,
    /// The action was dispatched; nothing that shows its effect changed within the settle time.
    Unconfirmed,
}

impl Status {
    /// Its name in the audit log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Unconfirmed => "unconfirmed",
        }
    }
}

/// What an action did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Effect {
    /// Whether it was seen.
    pub status: Status,
    /// What was seen.
    pub evidence: String,
    /// By which way it was done: `accessibility`, `application`, `agent_seat` or `seat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<&'static str>,
    /// What changed, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl Effect {
    /// The effect was seen.
    pub fn confirmed(evidence: impl Into<String>) -> Self {
        Self { status: Status::Confirmed, evidence: evidence.into(), route: None, changes: Vec::new() }
    }

    /// The effect was not seen.
    pub fn unconfirmed(evidence: impl Into<String>) -> Self {
        Self { status: Status::Unconfirmed, evidence: evidence.into(), route: None, changes: Vec::new() }
    }

    /// What was seen, judged by what such an action does.
    pub fn of(observation: &Observation) -> Self {
        match evidence(observation) {
            Some(evidence) => Self::confirmed(evidence),
            None if observation.unresponsive => {
                Self::unconfirmed("the application has not answered since; it may still be at work")
            }
            None => Self::unconfirmed(why_not(observation).unwrap_or("nothing observable changed")),
        }
    }

    /// The same effect with its changes listed.
    #[must_use]
    pub fn with_changes(mut self, lines: Vec<String>) -> Self {
        self.changes = lines;
        self
    }

    /// Whether it was seen.
    pub fn is_confirmed(&self) -> bool {
        self.status == Status::Confirmed
    }
}

/// The strongest evidence in an observation: the end of the application, its windows, the target itself, the rest.
fn evidence(observation: &Observation) -> Option<String> {
    if observation.ended {
        return Some("the application ended".into());
    }
    let windows = &observation.windows;
    if !windows.is_empty() {
        return window_lines(windows, |_| false).into_iter().next();
    }
    let own = observation.evidence().find(|change| Some(node_of(change).id) == observation.target);
    let strongest = own.or_else(|| observation.evidence().max_by_key(|change| weight(change))).map(sentence);
    strongest.or_else(|| observation.moved().then(|| "what was dragged is at another place now".to_owned()))
}

/// How much a change says about an action.
fn weight(change: &Change) -> u8 {
    match change {
        Change::Appeared(node) if node.role.is_window() => 5,
        Change::Changed { fields, .. } if fields.iter().any(|field| matches!(field, Field::Value { .. })) => {
            4
        }
        Change::Appeared(_) => 3,
        Change::Disappeared(_) => 2,
        Change::Changed { .. } => 1,
    }
}

fn node_of(change: &Change) -> &Node {
    match change {
        Change::Appeared(node) | Change::Disappeared(node) | Change::Changed { node, .. } => node,
    }
}

fn sentence(change: &Change) -> String {
    match change {
        Change::Appeared(node) => format!("{} appeared", describe(node)),
        Change::Disappeared(node) => format!("{} disappeared", describe(node)),
        Change::Changed { node, fields } => {
            let parts: Vec<String> = fields.iter().map(|field| field_sentence(node, field)).collect();
            // By its old name, where it has a new one.
            let old = fields.iter().find_map(|field| match field {
                Field::Name { from, .. } if !from.is_empty() => {
                    Some(format!("{} \"{}\"", node.role, quote(from)))
                }
                _ => None,
            });
            format!("{} {}", old.unwrap_or_else(|| describe(node)), parts.join(" and "))
        }
    }
}

fn field_sentence(node: &Node, field: &Field) -> String {
    match field {
        Field::Name { to, .. } => format!("is now called \"{}\"", quote(to)),
        Field::Value { .. } if node.states.contains(States::PROTECTED) => "changed its value".into(),
        Field::Value { from, to } => {
            format!("changed its value from \"{}\" to \"{}\"", quote(from), quote(to))
        }
        Field::States { gained, lost } => {
            let mut words = state_words(node, *gained, *lost);
            if gained.contains(States::FOCUSED) {
                words.push("focused".into());
            } else if lost.contains(States::FOCUSED) {
                words.push("no longer focused".into());
            }
            if words.is_empty() {
                "changed its state".into()
            } else {
                format!("is now {}", words.join(" and "))
            }
        }
    }
}

/// A window in a sentence, by its title.
fn window(title: &str) -> String {
    if title.is_empty() { "a window without a title".into() } else { format!("window \"{}\"", quote(title)) }
}

/// What happened to the windows, one line each; without those about a title that is `is_reported` already.
pub fn window_lines(windows: &WindowChanges, is_reported: impl Fn(&str) -> bool) -> Vec<String> {
    let new = |title: &&String| title.is_empty() || !is_reported(title);
    let opened = windows.opened.iter().filter(new).map(|title| format!("{} opened", window(title)));
    let closed = windows.closed.iter().filter(new).map(|title| format!("{} closed", window(title)));
    let retitled = windows
        .retitled
        .iter()
        .filter(|(_, to)| to.is_empty() || !is_reported(to))
        .map(|(from, to)| format!("{} is now titled \"{}\"", window(from), quote(to)));
    let folded = windows.folded.iter().map(|title| format!("{} was minimized or restored", window(title)));
    let others = windows
        .opened_by_others
        .iter()
        .map(|title| format!("meanwhile another application opened {}", window(title)));
    opened.chain(closed).chain(retitled).chain(folded).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_without_a_title_is_not_identified_by_an_empty_one() {
        let changes = WindowChanges {
            opened: vec!["Save".into()],
            closed: vec![String::new()],
            retitled: vec![(String::new(), "Letter".into())],
            ..WindowChanges::default()
        };
        let lines = window_lines(&changes, |_| false);
        assert_eq!(
            lines,
            [
                "window \"Save\" opened",
                "a window without a title closed",
                "a window without a title is now titled \"Letter\"",
            ]
        );
    }
}
