//! What of an application changes by itself: such a change proves nothing about an action.

use handeye_core::{Change, Diff, Node, NodeId, Tree};
use std::collections::HashSet;
use std::sync::Arc;
use tokio::time::Instant;

/// Most elements of one application that are remembered as restless.
const MOST: usize = 4096;

/// How far below an element whose children are made anew nothing proves anything: the children, and what is in them, which may be read
/// at one look and not at the next.
const RENEWED_LEVELS: usize = 2;

/// What was seen to change while nothing was dispatched.
#[derive(Debug, Clone, Default)]
pub struct Restless {
    /// Elements that were different at two looks.
    elements: HashSet<NodeId>,
    /// Elements whose children come and go.
    containers: HashSet<NodeId>,
    /// Elements whose children are made anew, with all that is in them (Java does so with cells for each reader).
    renewed: HashSet<NodeId>,
}

impl Restless {
    /// Notes all that is different between two looks right after each other.
    pub fn note(&mut self, first: &Tree, second: &Tree) {
        let mut diff = Diff::between(first, second);
        self.note_renewed(diff.drop_recreated(first, second));
        for change in diff.changes {
            match change {
                Change::Changed { node, .. } => self.add(node.id),
                Change::Appeared(node) | Change::Disappeared(node) => self.add_container(node.parent),
            }
        }
    }

    /// Compares two looks with a time between them in which others may have acted, and notes what was made anew. After a `long` one,
    /// what stood still is restless no more. Returns whether it takes another look to tell what of the rest goes on.
    pub fn suspect(&mut self, earlier: &Tree, now: &Tree, long: bool) -> bool {
        let mut diff = Diff::between(earlier, now);
        let gone = diff.drop_recreated(earlier, now);
        if long {
            self.forget(&diff, &gone);
        }
        self.note_renewed(gone);
        diff.changes.iter().any(|change| !self.covers(change, earlier, now))
    }

    /// Forgets what is not among these differences.
    fn forget(&mut self, diff: &Diff, gone: &[Arc<Node>]) {
        let mut moving: HashSet<NodeId> = gone.iter().filter_map(|node| node.parent).collect();
        moving.extend(diff.changes.iter().filter_map(|change| match change {
            Change::Changed { node, .. } => Some(node.id),
            Change::Appeared(node) | Change::Disappeared(node) => node.parent,
        }));
        for ids in [&mut self.elements, &mut self.containers, &mut self.renewed] {
            ids.retain(|id| moving.contains(id));
        }
    }

    /// Whether this change, from one tree to another, comes by itself.
    pub fn covers(&self, change: &Change, before: &Tree, after: &Tree) -> bool {
        let (node, tree) = match change {
            Change::Changed { node, .. } if self.elements.contains(&node.id) => return true,
            Change::Changed { node, .. } | Change::Appeared(node) => (node, after),
            Change::Disappeared(node) => (node, before),
        };
        node.parent.is_some_and(|parent| self.containers.contains(&parent))
            || tree.ancestors(node.id).take(RENEWED_LEVELS).any(|above| self.renewed.contains(&above.id))
    }

    fn note_renewed(&mut self, gone: Vec<Arc<Node>>) {
        for parent in gone.into_iter().filter_map(|node| node.parent) {
            if self.renewed.len() < MOST {
                self.renewed.insert(parent);
            }
        }
    }

    fn add(&mut self, id: NodeId) {
        if self.elements.len() < MOST {
            self.elements.insert(id);
        }
    }

    fn add_container(&mut self, id: Option<NodeId>) {
        if let Some(id) = id.filter(|_| self.containers.len() < MOST) {
            self.containers.insert(id);
        }
    }
}

/// What is remembered about an application from one action to the next.
#[derive(Debug, Clone)]
pub struct Habits {
    /// What changes by itself there.
    pub restless: Arc<Restless>,
    /// How many events had been heard when the last action was over.
    pub events: u64,
    /// When that was.
    pub at: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{add_line, named, remove, tree};

    const WINDOW: &str =
        "window \"Main\"\n  text \"one\"\n  list \"News\"\n    listitem \"a\"\n    listitem \"b\"";

    #[test]
    fn an_element_is_restless_until_it_stands_still() {
        let first = tree(WINDOW);
        let mut second = first.clone();
        let text = named(&first, "one");
        second.update(text, |node| node.name = "two".into());
        let change = Diff::between(&first, &second).changes.remove(0);
        let mut restless = Restless::default();
        assert!(restless.suspect(&first, &second, false));
        assert!(!restless.covers(&change, &first, &second), "somebody may have done that");
        restless.note(&first, &second);
        assert!(restless.covers(&change, &first, &second));
        assert!(!restless.suspect(&second, &first, true), "nothing is left to find out");
        assert!(!restless.suspect(&second, &second, true));
        assert!(!restless.covers(&change, &first, &second), "it has stood still for a while");
    }

    #[test]
    fn a_list_that_is_made_anew_is_restless_at_once() {
        let first = tree(WINDOW);
        let mut second = first.clone();
        let list = named(&first, "News");
        for name in ["a", "b"] {
            let old = named(&second, name);
            remove(&mut second, old);
        }
        for name in ["a", "b"] {
            add_line(&mut second, list, &format!("listitem \"{name}\""));
        }
        let mut restless = Restless::default();
        assert!(!restless.suspect(&first, &second, false), "nothing else is different");
        let mut third = second.clone();
        add_line(&mut third, list, "listitem \"c\"");
        let changes = Diff::between(&second, &third).changes;
        assert!(!changes.is_empty() && changes.iter().all(|change| restless.covers(change, &second, &third)));
    }
}
