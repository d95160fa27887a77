//! An immutable picture of one application's accessibility tree at one moment.

use crate::{Abilities, Node, NodeId, Role, States};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a place without a page waits for one. Chromium has a window before it has any page, and takes its empty page away before it has
/// the page that it loads.
const PAGE_WAIT: Duration = Duration::from_secs(5);
/// Most places that are known to wait for a page.
const MOST_PAGES_DUE: usize = 32;
/// How far above an element the container may be that selects it.
const SELECTOR_ABOVE: usize = 4;

/// The elements of one application at one moment. Cheap to share: readers hold an `Arc<Tree>`,
/// and the elements themselves are shared between successive trees.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: HashMap<NodeId, Arc<Node>>,
    root: Option<NodeId>,
    /// Since when an element waits for a page; of those that do for no longer than [`PAGE_WAIT`], [`MOST_PAGES_DUE`] at most.
    pages_due: HashMap<NodeId, Instant>,
}

impl Tree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// The application's own element.
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// Number of loaded elements.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing is loaded.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The element `id`, if it is in this tree.
    pub fn get(&self, id: NodeId) -> Option<&Arc<Node>> {
        self.nodes.get(&id)
    }

    /// Whether the element is in this tree.
    pub fn contains(&self, id: NodeId) -> bool {
        self.nodes.contains_key(&id)
    }

    /// Every element, in no particular order.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.values()
    }

    /// The loaded children of `id`, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes
            .get(&id)
            .into_iter()
            .flat_map(|node| &node.children)
            .filter_map(|child| self.nodes.get(child))
    }

    /// The windows of the application: the children of its root, in order.
    pub fn windows(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.root.into_iter().flat_map(|root| self.children(root))
    }

    /// The ancestors of `id`, nearest first, without `id` itself.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = &Arc<Node>> {
        let mut next = self.nodes.get(&id).and_then(|node| node.parent);
        let mut left = self.nodes.len();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let node = self.nodes.get(&next?)?;
            next = node.parent;
            Some(node)
        })
    }

    /// What selects an element: the nearest container around it that has a selection, with the part of that container which holds the
    /// element or is it. `None` where nothing near it does.
    pub fn selector_of(&self, id: NodeId) -> Option<(&Arc<Node>, NodeId)> {
        let mut part = id;
        for around in self.ancestors(id).take(SELECTOR_ABOVE) {
            if around.abilities.contains(Abilities::SELECTION) {
                return Some((around, part));
            }
            part = around.id;
        }
        None
    }

    /// Whether the keyboard's focus is on `id` itself. Some toolkits say of everything that contains the focus that it has it.
    pub fn is_focused(&self, id: NodeId) -> bool {
        let says_so = |node: &Arc<Node>| node.states.contains(States::FOCUSED);
        self.nodes.get(&id).is_some_and(says_so) && !self.descendants(id).skip(1).any(says_so)
    }

    /// The window (child of the root) that holds `id`, which may be `id` itself.
    pub fn window_of(&self, id: NodeId) -> Option<&Arc<Node>> {
        std::iter::once(self.nodes.get(&id)?)
            .chain(self.ancestors(id))
            .find(|node| node.parent.is_some() && node.parent == self.root)
    }

    /// `start` and everything below it, parents before children, in document order (depth first).
    pub fn descendants(&self, start: NodeId) -> impl Iterator<Item = &Arc<Node>> {
        let mut stack = VecDeque::from([start]);
        let mut seen = HashSet::new();
        std::iter::from_fn(move || {
            loop {
                let id = stack.pop_front()?;
                if !seen.insert(id) {
                    continue;
                }
                if let Some(node) = self.nodes.get(&id) {
                    for child in node.children.iter().rev() {
                        stack.push_front(*child);
                    }
                    return Some(node);
                }
            }
        })
    }

    /// Whether an element waits for a page: one that had a page until a moment ago and has nothing in its place yet (Chromium has an empty
    /// container there meanwhile), or a window that is new and has no page yet.
    pub fn awaits_page(&self, id: NodeId) -> bool {
        let is_due = self.pages_due.get(&id).is_some_and(|since| since.elapsed() < PAGE_WAIT);
        let Some(place) = self.nodes.get(&id).filter(|node| is_due && node.is_showing()) else {
            return false;
        };
        let is_no_page = |node: &Arc<Node>| {
            let is_blank = !node.is_showing() || (node.role.is_structural() && node.label().is_empty());
            is_blank || (place.role.is_window() && node.role != Role::Document)
        };
        self.descendants(id).skip(1).all(is_no_page)
    }

    /// Makes `id` the application's own element.
    pub fn set_root(&mut self, id: NodeId) {
        self.root = Some(id);
    }

    /// Adds or replaces an element. The caller keeps parents and children consistent.
    pub fn insert(&mut self, node: Node) {
        self.nodes.insert(node.id, Arc::new(node));
    }

    /// Adds or replaces an element that another tree has too.
    pub fn insert_shared(&mut self, node: Arc<Node>) {
        self.nodes.insert(node.id, node);
    }

    /// Changes an element in place; returns `None` if it is not in the tree.
    pub fn update<R>(&mut self, id: NodeId, change: impl FnOnce(&mut Node) -> R) -> Option<R> {
        self.nodes.get_mut(&id).map(|node| change(Arc::make_mut(node)))
    }

    /// Takes `id` and everything below it out of the tree and returns the ids that went.
    /// The parent's list of children is not touched.
    pub fn remove_subtree(&mut self, id: NodeId) -> Vec<NodeId> {
        self.note_page(id);
        let gone: Vec<NodeId> = self.descendants(id).map(|node| node.id).collect();
        for id in &gone {
            self.nodes.remove(id);
        }
        gone
    }

    /// Notes that the element is about to go or to become something else, if it is a page.
    pub fn note_page(&mut self, id: NodeId) {
        let page = self.nodes.get(&id).filter(|node| node.role == Role::Document);
        if let Some(place) = page.and_then(|page| page.parent) {
            self.expect_page(place);
        }
    }

    /// Notes that a page is about to come into an element.
    pub fn expect_page(&mut self, place: NodeId) {
        self.pages_due.retain(|_, since| since.elapsed() < PAGE_WAIT);
        if self.pages_due.len() < MOST_PAGES_DUE || self.pages_due.contains_key(&place) {
            self.pages_due.insert(place, Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;
    use crate::testing::tree;
    use crate::{Abilities, Node, NodeId, Role};

    fn named(tree: &Tree, name: &str) -> NodeId {
        tree.nodes().find(|node| &*node.name == name).map_or_else(|| panic!("no {name}"), |node| node.id)
    }

    #[test]
    fn a_new_window_waits_for_a_page_until_it_has_one() {
        let mut tree = tree("window \"Browser\"\n  button \"Reload\"\n");
        let window = named(&tree, "Browser");
        assert!(!tree.awaits_page(window), "nobody expects one");
        tree.expect_page(window);
        assert!(tree.awaits_page(window), "the parts of the window are no page");
        let page = NodeId::mint();
        let button = tree.get(named(&tree, "Reload")).expect("there").clone();
        tree.insert(Node { id: page, role: Role::Document, name: "Page".into(), ..(*button).clone() });
        tree.update(window, |node| node.children.push(page));
        assert!(!tree.awaits_page(window), "it is there");
    }

    #[test]
    fn an_element_is_selected_by_what_is_near_it() {
        let mut tree =
            tree("window \"Files\"\n  list \"Names\"\n    listitem \"Row\"\n      text \"Label\"\n");
        let (list, row, label) = (named(&tree, "Names"), named(&tree, "Row"), named(&tree, "Label"));
        assert!(tree.selector_of(label).is_none());
        tree.update(list, |node| node.abilities |= Abilities::SELECTION);
        let found = |id| tree.selector_of(id).map(|(around, part)| (around.id, part));
        assert_eq!((found(label), found(row), found(list)), (Some((list, row)), Some((list, row)), None));
    }
}
