//! What is different between two trees of one application.

use crate::{Node, NodeId, Role, States, Tree};
use std::collections::{HashMap, HashSet};
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

    /// Takes out what only was made anew: an element that is gone and one that came at the same place below the same parent, with the
    /// same role and name and the same inside. Returns the elements that are gone.
    pub fn drop_recreated(&mut self, before: &Tree, after: &Tree) -> Vec<Arc<Node>> {
        let mut places = Places::new(before);
        let mut gone: HashMap<Place, Arc<Node>> = HashMap::new();
        for change in &self.changes {
            if let Change::Disappeared(node) = change
                && let Some(place) = places.of(node)
            {
                gone.insert(place, Arc::clone(node));
            }
        }
        if gone.is_empty() {
            return Vec::new();
        }
        let mut places = Places::new(after);
        let mut anew = HashMap::new();
        for change in &self.changes {
            if let Change::Appeared(node) = change
                && let Some(old) = places.of(node).and_then(|place| gone.remove(&place))
                && inside(before, old.id) == inside(after, node.id)
            {
                anew.insert(node.id, old);
            }
        }
        let old: HashSet<NodeId> = anew.values().map(|node| node.id).collect();
        self.changes.retain(|change| match change {
            Change::Appeared(node) => !anew.contains_key(&node.id),
            Change::Disappeared(node) => !old.contains(&node.id),
            Change::Changed { .. } => true,
        });
        self.drop_regrouped(before, after);
        anew.into_values().collect()
    }

    /// Takes out what is gone but stands, with all that was in it, inside of what came: Java makes the items of a tree anew below
    /// other parents than before. What came stays a difference.
    fn drop_regrouped(&mut self, before: &Tree, after: &Tree) {
        let mut came: HashMap<(Role, Arc<str>), usize> = HashMap::new();
        for change in &self.changes {
            if let Change::Appeared(node) = change {
                for part in named_parts(after, node.id) {
                    *came.entry(part).or_default() += 1;
                }
            }
        }
        if came.is_empty() {
            return;
        }
        self.changes.retain(|change| match change {
            Change::Disappeared(node) if !node.role.is_window() => {
                let parts: Vec<_> = named_parts(before, node.id).collect();
                parts.is_empty() || !take_all(&mut came, &parts)
            }
            _ => true,
        });
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

/// Where an element is, by what stays the same when it is made anew.
#[derive(PartialEq, Eq, Hash)]
struct Place {
    parent: NodeId,
    index: usize,
    role: Role,
    name: Arc<str>,
}

/// The places of one tree; the children of a parent are counted once.
struct Places<'t> {
    tree: &'t Tree,
    counted: HashMap<NodeId, HashMap<NodeId, usize>>,
}

impl<'t> Places<'t> {
    fn new(tree: &'t Tree) -> Self {
        Self { tree, counted: HashMap::new() }
    }

    fn of(&mut self, node: &Node) -> Option<Place> {
        let parent = node.parent?;
        let children = &self.tree.get(parent)?.children;
        let counted = self
            .counted
            .entry(parent)
            .or_insert_with(|| children.iter().enumerate().map(|(index, child)| (*child, index)).collect());
        let index = *counted.get(&node.id)?;
        Some(Place { parent, index, role: node.role, name: Arc::clone(&node.name) })
    }
}

/// What is on view of an element and below it, without what tells one object from another.
fn inside(tree: &Tree, id: NodeId) -> Vec<(Role, &str, Option<String>, States)> {
    tree.descendants(id)
        .filter(|node| node.is_showing())
        .map(|node| (node.role, &*node.name, node.value_text(), node.states & NOTICEABLE))
        .collect()
}

/// Role and name of all that is on view of an element and below it and has a name.
fn named_parts(tree: &Tree, id: NodeId) -> impl Iterator<Item = (Role, Arc<str>)> {
    let named = tree.descendants(id).filter(|node| node.is_showing() && !node.name.is_empty());
    named.map(|node| (node.role, Arc::clone(&node.name)))
}

/// Takes all of `parts` out of `stock`, or nothing. Returns whether all were there.
fn take_all<T: std::hash::Hash + Eq>(stock: &mut HashMap<T, usize>, parts: &[T]) -> bool {
    for (taken, part) in parts.iter().enumerate() {
        match stock.get_mut(part) {
            Some(left) if *left > 0 => *left -= 1,
            _ => {
                for part in &parts[..taken] {
                    if let Some(left) = stock.get_mut(part) {
                        *left += 1;
                    }
                }
                return false;
            }
        }
    }
    true
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
