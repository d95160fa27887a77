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
    /// Its text or its number, as one string. Present only when it was read in both trees.
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

    /// Adds what is different about one element that is out of view: an action on it shows in its own states.
    pub fn include_hidden(&mut self, before: &Tree, after: &Tree, id: NodeId) {
        if let (Some(old), Some(new)) = (before.get(id), after.get(id))
            && !visible(after, new)
            && !visible(before, old)
        {
            let fields = changed_fields(old, new);
            if !fields.is_empty() {
                self.changes.push(Change::Changed { node: Arc::clone(new), fields });
            }
        }
    }

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Takes objects that an application has exchanged for one element: one that is gone, and one that came at the same place below
    /// the same parent, with the same role and name and with the same elements inside. What else is different about them are changes of
    /// the new objects; often there is nothing. Qt exchanges the objects of table cells, Java those of nearly everything.
    pub fn match_recreated(&mut self, before: &Tree, after: &Tree) -> Vec<Recreated> {
        let mut keys = RecreationKeys::new(before);
        let mut gone: HashMap<RecreationKey, Arc<Node>> = HashMap::new();
        for change in &self.changes {
            if let Change::Disappeared(node) = change
                && let Some(key) = keys.of(node)
            {
                gone.insert(key, Arc::clone(node));
            }
        }
        if gone.is_empty() {
            return Vec::new();
        }
        let mut keys = RecreationKeys::new(after);
        let mut found = Vec::new();
        let mut changes = Vec::with_capacity(self.changes.len());
        for change in self.changes.drain(..) {
            if let Change::Appeared(node) = &change
                && let Some(key) = keys.of(node)
                && let Some(old) = gone.get(&key)
                && let Some(different) = differences_inside(before, old.id, after, node.id)
            {
                found.push(Recreated { old: Arc::clone(old), new: node.id });
                gone.remove(&key);
                changes.extend(different);
            } else {
                changes.push(change);
            }
        }
        let old: HashSet<NodeId> = found.iter().map(|pair| pair.old.id).collect();
        changes.retain(|change| !matches!(change, Change::Disappeared(node) if old.contains(&node.id)));
        self.changes = changes;
        self.drop_regrouped(before, after);
        found
    }

    /// Takes out what is gone but stands, with all that was in it, inside of what came: Java makes the items of a tree again below
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

/// One element for which an application has made a new object.
#[derive(Debug, Clone, PartialEq)]
pub struct Recreated {
    /// The element as it was.
    pub old: Arc<Node>,
    /// What stands in its place.
    pub new: NodeId,
}

/// Where an element is, by what stays the same when it is made again.
#[derive(PartialEq, Eq, Hash)]
struct RecreationKey {
    parent: NodeId,
    index: usize,
    role: Role,
    name: Arc<str>,
}

/// The keys of one tree; the children of a parent are counted once.
struct RecreationKeys<'t> {
    tree: &'t Tree,
    counted: HashMap<NodeId, HashMap<NodeId, usize>>,
}

impl<'t> RecreationKeys<'t> {
    fn new(tree: &'t Tree) -> Self {
        Self { tree, counted: HashMap::new() }
    }

    fn of(&mut self, node: &Node) -> Option<RecreationKey> {
        let parent = node.parent?;
        let children = &self.tree.get(parent)?.children;
        let counted = self
            .counted
            .entry(parent)
            .or_insert_with(|| children.iter().enumerate().map(|(index, child)| (*child, index)).collect());
        let index = *counted.get(&node.id)?;
        Some(RecreationKey { parent, index, role: node.role, name: Arc::clone(&node.name) })
    }
}

/// What is different between an element with all that is in it and the one that came in its place; `None` if they have not the same
/// elements in the same order.
fn differences_inside(before: &Tree, old: NodeId, after: &Tree, new: NodeId) -> Option<Vec<Change>> {
    let (mut olds, mut news) = (on_view(before, old), on_view(after, new));
    let mut different = Vec::new();
    loop {
        match (olds.next(), news.next()) {
            (None, None) => return Some(different),
            (Some(old), Some(new)) if old.role == new.role && old.name == new.name => {
                let fields = changed_fields(old, new);
                if !fields.is_empty() {
                    different.push(Change::Changed { node: Arc::clone(new), fields });
                }
            }
            _ => return None,
        }
    }
}

/// What is on view of an element and below it.
fn on_view(tree: &Tree, id: NodeId) -> impl Iterator<Item = &Arc<Node>> {
    tree.descendants(id).filter(|node| node.is_showing())
}

/// Role and name of all that is on view of an element and below it and has a name.
fn named_parts(tree: &Tree, id: NodeId) -> impl Iterator<Item = (Role, Arc<str>)> {
    let named = on_view(tree, id).filter(|node| !node.name.is_empty());
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
