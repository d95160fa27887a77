//! The application before and after an action, and what is different.

use crate::expected::Expected;
use crate::naming::belongs;
use crate::restless::Restless;
use handeye_core::{Application, Change, Diff, Field, Node, NodeId, Role, States, Tree, Window, WindowId};
use std::collections::HashSet;
use std::sync::Arc;

/// The application after an action, and what is different.
#[derive(Debug, Clone)]
pub struct Observation {
    /// The tree before.
    pub before: Arc<Tree>,
    /// The tree after.
    pub after: Arc<Tree>,
    /// What is different between the two.
    pub diff: Diff,
    /// What is different about the windows.
    pub windows: WindowChanges,
    /// The element that was acted on.
    pub target: Option<NodeId>,
    /// What was done.
    pub expected: Expected,
    /// What changes by itself.
    pub restless: Arc<Restless>,
    /// Elements of which it is not sure that the action changed them.
    pub doubtful: Arc<HashSet<NodeId>>,
    /// What is in doubt may be the effect of the action before.
    pub may_be_late: bool,
    /// The application ended.
    pub ended: bool,
    /// The application did not answer when it was looked at.
    pub unresponsive: bool,
}

/// What is different about the windows on the screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WindowChanges {
    /// Titles of windows that the application opened.
    pub opened: Vec<String>,
    /// Titles of windows that it closed.
    pub closed: Vec<String>,
    /// Titles of its windows before and after.
    pub retitled: Vec<(String, String)>,
    /// Windows that it minimized or restored, by title.
    pub folded: Vec<String>,
    /// Titles of windows that other applications opened meanwhile; perhaps because of the action, perhaps not.
    pub opened_by_others: Vec<String>,
}

impl WindowChanges {
    /// What is different between two lists of windows, as far as it is about this application.
    pub(crate) fn between(before: &[Window], after: &[Window], application: &Application) -> Self {
        let find = |list: &'_ [Window], id: WindowId| list.iter().position(|window| window.id == id);
        let mut changes = WindowChanges::default();
        for window in after {
            match find(before, window.id).map(|at| &before[at]) {
                None if belongs(window, application) => changes.opened.push(window.title.clone()),
                None => changes.opened_by_others.push(window.title.clone()),
                Some(_) if !belongs(window, application) => {}
                Some(old) => {
                    if old.title != window.title {
                        changes.retitled.push((old.title.clone(), window.title.clone()));
                    }
                    if old.minimized != window.minimized {
                        changes.folded.push(window.title.clone());
                    }
                }
            }
        }
        let gone =
            before.iter().filter(|window| belongs(window, application) && find(after, window.id).is_none());
        changes.closed.extend(gone.map(|window| window.title.clone()));
        changes
    }

    /// Whether the application's own windows are as they were.
    pub fn is_empty(&self) -> bool {
        self.opened.is_empty() && self.closed.is_empty() && self.retitled.is_empty() && self.folded.is_empty()
    }
}

impl Observation {
    /// Whether a change comes by itself.
    pub(crate) fn is_noise(&self, change: &Change) -> bool {
        if self.restless.covers(change, &self.before, &self.after) {
            return true;
        }
        match change {
            Change::Changed { node, fields } => Some(node.id) != self.target && moves_by_itself(node, fields),
            Change::Appeared(_) | Change::Disappeared(_) => false,
        }
    }

    /// Whether what was dragged is at another place now: among its siblings, or on the screen.
    pub fn moved(&self) -> bool {
        let Some(id) = self.target.filter(|_| self.expected == Expected::Drag) else { return false };
        let place = |tree: &Tree| tree.get(id).and_then(|node| node.details.extents.known().copied());
        let siblings = |tree: &Tree, other: &Tree| -> Vec<NodeId> {
            let parent = tree.get(id).and_then(|node| node.parent).and_then(|parent| tree.get(parent));
            let children = parent.map(|parent| parent.children.as_slice()).unwrap_or_default();
            children.iter().copied().filter(|child| other.contains(*child)).collect()
        };
        let is_elsewhere =
            matches!((place(&self.before), place(&self.after)), (Some(from), Some(to)) if from != to);
        is_elsewhere
            || (self.after.contains(id)
                && siblings(&self.before, &self.after) != siblings(&self.after, &self.before))
    }

    /// The element as it is now.
    pub fn now(&self, id: NodeId) -> Option<&Arc<Node>> {
        self.after.get(id)
    }

    /// Whether the element is a button that is down and was not before. One that is meant to stay down says so by its role.
    pub(crate) fn went_down(&self) -> bool {
        self.target.is_some_and(|id| {
            let is_momentary = self.after.get(id).is_some_and(|node| node.role != Role::ToggleButton);
            is_momentary && is_down(&self.after, id) && !is_down(&self.before, id)
        })
    }
}

/// Whether an element is down as a button is.
pub(crate) fn is_down(tree: &Tree, id: NodeId) -> bool {
    tree.get(id).is_some_and(|node| {
        node.states.contains(States::PRESSED)
            || (node.role == Role::ToggleButton && node.states.contains(States::CHECKED))
    })
}

/// Progress bars, clocks and percentages go on by themselves; they prove nothing about an action.
fn moves_by_itself(node: &Node, fields: &[Field]) -> bool {
    let is_bar = matches!(node.role, Role::ProgressBar | Role::LevelBar);
    fields.iter().all(|field| match field {
        Field::Name { from, to } => is_bar || is_counted_on(from, to),
        Field::Value { from, to } => is_bar || is_counted_on(from, to),
        Field::States { .. } => false,
    })
}

/// Whether two texts are one text with another time (`12:59`) or percentage in it.
fn is_counted_on(from: &str, to: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let counts = to.char_indices().any(|(at, c)| {
        let before = to[..at].ends_with(is_digit);
        let after = &to[at + c.len_utf8()..];
        before
            && (c == '%' || (c == ':' && after.starts_with(is_digit)) || (c == ' ' && after.starts_with('%')))
    });
    counts
        && from
            .split(is_digit)
            .filter(|part| !part.is_empty())
            .eq(to.split(is_digit).filter(|part| !part.is_empty()))
}
