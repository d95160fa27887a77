//! What is different between two trees of one application.

use crate::{Node, NodeId, States, Tree};
use std::sync::Arc;

/// What changed about an element that is in both trees.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// Its name.
    Name {
        /// Before.
        from: Arc<str>,
        /// After.
        to: Arc<str>,
    },
    /// Its text or its number, as one string. Told only when it was read in both trees.
    Value {
        /// Before.
        from: String,
        /// After.
        to: String,
    },
    /// Its states.
    States {
        /// Set now and not before.
        gained: States,
        /// Set before and not now.
        lost: States,
    },
}

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A showing element is new. Its descendants are new too and not listed one by one.
    Appeared(Arc<Node>),
    /// An element that was showing is gone or hidden. Its descendants are not listed.
    Disappeared(Arc<Node>),
    /// A showing element is different.
    Changed {
        /// The element as it is now.
        node: Arc<Node>,
        /// What is different, at least one entry.
        fields: Vec<Field>,
    },
}

/// The differences between two trees, in document order of the newer one; what disappeared comes last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diff {
    /// The differences.
    pub changes: Vec<Change>,
}

/// States whose change a person would notice; the others follow from them or flicker.
const NOTICEABLE: States = States::FOCUSED
    .union(States::ENABLED)
    .union(States::CHECKED)
    .union(States::MIXED)
    .union(States::PRESSED)
    .union(States::SELECTED)
    .union(States::EXPANDED)
    .union(States::EDITABLE)
    .union(States::BUSY)
    .union(States::INVALID)
    .union(States::ACTIVE)
    .union(States::ICONIFIED);

impl Diff {
    /// Compares two trees of one application. What is not showing in either is left out.
    pub fn between(before: &Tree, after: &Tree) -> Self {
        let mut changes = Vec::new();
        if let Some(root) = after.root() {
            collect(before, after, root, &mut changes);
        }
        for window_or_part in gone_roots(before, after) {
            changes.push(Change::Disappeared(window_or_part));
        }
        Self { changes }
    }

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether the element itself is among the differences.
    pub fn touches(&self, id: NodeId) -> bool {
        self.changes.iter().any(|change| match change {
            Change::Appeared(node) | Change::Disappeared(node) | Change::Changed { node, .. } => {
                node.id == id
            }
        })
    }
}

fn visible(tree: &Tree, node: &Node) -> bool {
    node.is_showing() || tree.root() == Some(node.id)
}

/// Walks the newer tree without recursion (its depth comes from the application).
fn collect(before: &Tree, after: &Tree, root: NodeId, changes: &mut Vec<Change>) {
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let Some(node) = after.get(id) else { continue };
        if !visible(after, node) {
            continue;
        }
        match before.get(id) {
            Some(old) if visible(before, old) => {
                let fields = changed_fields(old, node);
                if !fields.is_empty() {
                    changes.push(Change::Changed { node: Arc::clone(node), fields });
                }
                stack.extend(node.children.iter().rev());
            }
            _ => changes.push(Change::Appeared(Arc::clone(node))),
        }
    }
}

fn changed_fields(old: &Node, new: &Node) -> Vec<Field> {
    let mut fields = Vec::new();
    if old.name != new.name {
        fields.push(Field::Name { from: Arc::clone(&old.name), to: Arc::clone(&new.name) });
    }
    if let (Some(from), Some(to)) = (old.value_text(), new.value_text())
        && from != to
    {
        fields.push(Field::Value { from, to });
    }
    let gained = (new.states - old.states) & NOTICEABLE;
    let lost = (old.states - new.states) & NOTICEABLE;
    if !gained.is_empty() || !lost.is_empty() {
        fields.push(Field::States { gained, lost });
    }
    fields
}

/// Elements that were showing and no longer are, without those below another such element.
fn gone_roots(before: &Tree, after: &Tree) -> Vec<Arc<Node>> {
    let still_there = |id: NodeId| after.get(id).is_some_and(|node| visible(after, node));
    before
        .root()
        .into_iter()
        .flat_map(|root| before.descendants(root))
        .filter(|node| visible(before, node) && !still_there(node.id))
        .filter(|node| node.parent.is_none_or(still_there))
        .cloned()
        .collect()
}
