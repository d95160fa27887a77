//! Which element of the mirror is which object of the application, and what has to be read again.

mod virtual_graft;

use super::object::{ObjectKey, ObjectMap};
use super::reading::{Reading, outdated_by};
use super::states_in_place::{derive_showing_below, place_in, states_in_place};
use super::titles::Titles;
use super::toolkit::{ElementContext, Toolkit};
use super::view::View;
use super::virtual_children::ChildPosition;
use bitflags::bitflags;
use handeye_core::{KeptDetails, Node, NodeId, Owner, Role, States, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

bitflags! {
    /// What an event reported is no longer true.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub(super) struct Dirt: u8 {
        /// Role, name, states or number of children.
        const SELF = 1 << 0;
        /// The list of children.
        const CHILDREN = 1 << 1;
    }
}

/// An element as it was loaded, with what is known of its children.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) key: ObjectKey,
    pub(super) parent: Option<ObjectKey>,
    pub(super) reading: Reading,
    /// Whether only its role, its name and its states were asked for.
    pub(super) is_sketch: bool,
    /// `None` when they were not looked at.
    pub(super) children: Option<Vec<ObjectKey>>,
    /// Which of them are in view, where they do not report that.
    pub(super) view: Option<Box<View>>,
    /// How many of them were left out as another process's; `None` when they were not looked at.
    pub(super) strangers: Option<u32>,
    /// Whose it is, where that is another process than the application's.
    pub(super) owner: Option<Arc<Owner>>,
}

/// How many elements that are gone keep their identity, in case they come back (a menu that is opened again).
const REMEMBERED_GONE: usize = 20_000;
/// How many objects can wait to be read again. When an application names more, everything is read again.
const MAX_DIRTY: usize = 20_000;

/// Which element is which object, and what has to be read again.
#[derive(Debug, Default)]
pub(super) struct Book {
    ids: ObjectMap<NodeId>,
    keys: HashMap<NodeId, ObjectKey>,
    /// Children that are made on demand, by their container and their place in it.
    places: HashMap<(NodeId, ChildPosition), NodeId>,
    /// When the objects were named that an application lets go of.
    named: HashMap<NodeId, Instant>,
    /// The children of elements as the application gives them, where the mirror has another order.
    given: HashMap<NodeId, Vec<NodeId>>,
    dirty: ObjectMap<Dirt>,
    /// Elements that did not show, of which only role, name and states were asked for.
    sketched: HashSet<NodeId>,
    /// What windows without a name are called.
    pub(super) titles: Titles,
    /// More became dirty than could be noted.
    overflowed: bool,
    /// Number of loads on their way. What they read may be older than events that come meanwhile.
    loads: u32,
}

impl Book {
    /// The object behind an element, also of one that is gone.
    pub(super) fn key(&self, id: NodeId) -> Option<&ObjectKey> {
        self.keys.get(&id)
    }

    /// The element of an object, also of one that is gone.
    pub(super) fn id(&self, key: &ObjectKey) -> Option<NodeId> {
        self.ids.get(key).copied()
    }

    /// The children of an element in the order that the application gives them.
    pub(super) fn given<'a>(&'a self, node: &'a Node) -> &'a [NodeId] {
        self.given.get(&node.id).unwrap_or(&node.children)
    }

    /// Notes in which order an application gives the children of an element that are in another one in the mirror from now on.
    pub(super) fn note_given(&mut self, id: NodeId, children: &[NodeId]) {
        self.given.entry(id).or_insert_with(|| children.to_vec());
    }

    /// Forgets the orders of elements that are gone.
    pub(super) fn forget_orders(&mut self, tree: &Tree) {
        self.given.retain(|id, _| tree.contains(*id));
    }

    fn id_or_mint(&mut self, key: &ObjectKey) -> NodeId {
        if let Some(id) = self.ids.get(key) {
            return *id;
        }
        let id = NodeId::mint();
        self.ids.insert(key.clone(), id);
        self.keys.insert(id, key.clone());
        id
    }

    /// Whether only role, name and states of an element are known.
    pub(super) fn is_sketched(&self, id: NodeId) -> bool {
        self.sketched.contains(&id)
    }

    /// Records that an element was read whole.
    pub(super) fn note_read(&mut self, id: NodeId) {
        self.sketched.remove(&id);
    }

    /// Gives an element another object. For cells that an application creates again for each call.
    pub(super) fn rebind(&mut self, id: NodeId, key: ObjectKey) {
        if let Some(old) = self.keys.insert(id, key.clone()) {
            self.ids.remove(&old);
        }
        self.ids.insert(key, id);
    }

    /// A load begins: until it [ends](Self::end_load), events count as changes even for what they patch.
    pub(super) fn begin_load(&mut self) {
        self.loads += 1;
    }

    /// A load has ended and was grafted, or was given up.
    pub(super) fn end_load(&mut self) {
        self.loads = self.loads.saturating_sub(1);
    }

    /// Whether a load is on its way.
    pub(super) fn is_loading(&self) -> bool {
        self.loads > 0
    }

    /// Notes that an object has to be read again. Objects that are not in the mirror matter only during a load.
    pub(super) fn mark(&mut self, key: &ObjectKey, dirt: Dirt) {
        if !self.is_loading() && !self.ids.contains_key(key) {
            return;
        }
        if let Some(known) = self.dirty.get_mut(key) {
            *known |= dirt;
        } else if self.dirty.len() < MAX_DIRTY {
            self.dirty.insert(key.clone(), dirt);
        } else {
            self.overflowed = true;
        }
    }

    /// Notes that everything has to be read again.
    pub(super) fn mark_everything(&mut self) {
        self.overflowed = true;
    }

    /// Whether nothing has to be read again.
    pub(super) fn is_clean(&self) -> bool {
        self.dirty.is_empty() && !self.overflowed
    }

    /// Takes what has to be read again of what is in `tree`. The second value says that everything has to.
    pub(super) fn take_dirty(&mut self, tree: &Tree) -> (Vec<(ObjectKey, NodeId, Dirt)>, bool) {
        let dirty = std::mem::take(&mut self.dirty)
            .into_iter()
            .filter_map(|(key, dirt)| {
                let id = self.ids.get(&key).copied().filter(|id| tree.contains(*id))?;
                Some((key, id, dirt))
            })
            .collect();
        (dirty, std::mem::take(&mut self.overflowed))
    }

    /// Puts loaded elements into the tree, parents before their children. Elements that are no longer among the
    /// children of their parent leave it. An element is accepted once, under the parent through which it was
    /// loaded, so that a cycle in the application does not become one in the tree.
    pub(super) fn graft(&mut self, tree: &mut Tree, toolkit: Toolkit, loaded: Vec<Loaded>) {
        let parents: ObjectMap<Option<ObjectKey>> =
            loaded.iter().map(|item| (item.key.clone(), item.parent.clone())).collect();
        // The elements below a stand-in.
        let mut left_out = HashSet::new();
        for mut item in loaded {
            let id = self.id_or_mint(&item.key);
            let parent = item.parent.as_ref().map(|key| self.id_or_mint(key));
            let embedded = item.owner.is_some();
            let place = self.put_in_place(tree, toolkit, (id, parent), embedded, &mut item.reading);
            let kept = tree.get(id).map_or(States::empty(), |node| node.states & States::COLLAPSED);
            let states = toolkit.normalise_states(item.reading.states | kept, place);
            let abilities = toolkit.normalise_abilities(item.reading.abilities, place);
            if item.parent.as_ref().is_some_and(|parent| left_out.contains(parent)) {
                left_out.insert(item.key);
                continue;
            }
            if toolkit.is_stand_in(place) {
                item.children = None;
                left_out.insert(item.key.clone());
            }
            let accepted =
                item.children.map(|children| self.accept_children(tree, id, &item.key, &children, &parents));
            if accepted.is_some() {
                self.given.remove(&id);
            }
            let old = tree.get(id).cloned();
            let children = accepted
                .unwrap_or_else(|| old.as_ref().map(|node| node.children.clone()).unwrap_or_default());
            if let Some(old) = &old {
                let kept: HashSet<NodeId> = children.iter().copied().collect();
                for gone in old.children.iter().filter(|child| !kept.contains(child)) {
                    if tree.get(*gone).is_some_and(|node| node.parent == Some(id)) {
                        tree.remove_subtree(*gone);
                    }
                }
            }
            let mut reading = item.reading;
            note_lost_page(tree, id, reading.role);
            let mut abilities = abilities;
            if !item.is_sketch {
                self.sketched.remove(&id);
            } else if let Some(old) = old.as_ref().filter(|_| !self.sketched.contains(&id)) {
                reading.description = Arc::clone(&old.description);
                reading.child_count = old.child_count;
                abilities = old.abilities;
            } else {
                self.sketched.insert(id);
            }
            tree.insert(Node {
                details: kept_details(old.as_deref(), &reading),
                id,
                parent,
                children,
                child_count: reading.child_count,
                role: reading.role,
                native_role: reading.native_role,
                name: reading.name,
                description: reading.description,
                states: states | old.as_ref().map_or(States::empty(), |node| node.states & States::PROTECTED),
                abilities,
                owner: item.owner,
                strangers: item.strangers.or(old.map(|node| node.strangers)).unwrap_or(0),
            });
            if parent.is_none() {
                tree.set_root(id);
            }
        }
        self.drop_unreachable(tree);
    }

    /// Gives the reading of an element with this parent the name and the role that it has there. Returns that place.
    fn put_in_place<'t>(
        &mut self,
        tree: &'t Tree,
        toolkit: Toolkit,
        (id, parent): (NodeId, Option<NodeId>),
        embedded: bool,
        reading: &mut Reading,
    ) -> ElementContext<'t> {
        let name = toolkit.normalise_name(reading.role, Arc::clone(&reading.name));
        reading.name = self.titles.called(id, name, &reading.name);
        let place = place_in(tree, parent, reading.role);
        let is_named = !reading.name.is_empty();
        reading.role = toolkit.normalise_role(reading.states, embedded, is_named, place);
        ElementContext { role: reading.role, ..place }
    }

    /// The children of `id` that may be there: loaded through it in this batch, or already in the tree and not above it.
    fn accept_children(
        &mut self,
        tree: &mut Tree,
        id: NodeId,
        key: &ObjectKey,
        children: &[ObjectKey],
        parents: &ObjectMap<Option<ObjectKey>>,
    ) -> Vec<NodeId> {
        let above: HashSet<NodeId> = tree.ancestors(id).map(|node| node.id).chain([id]).collect();
        let mut accepted = Vec::with_capacity(children.len());
        let mut seen = HashSet::new();
        for child in children {
            let loaded_here = match parents.get(child) {
                Some(parent) => parent.as_ref() == Some(key),
                None => self.id(child).is_some_and(|child| tree.contains(child)),
            };
            // Only what was loaded gets an identity: a list may name any number of others.
            if !loaded_here {
                continue;
            }
            let child_id = self.id_or_mint(child);
            if above.contains(&child_id) || !seen.insert(child_id) {
                continue;
            }
            if let Some(former) =
                tree.get(child_id).and_then(|node| node.parent).filter(|former| *former != id)
            {
                tree.update(former, |node| node.children.retain(|other| *other != child_id));
                tree.update(child_id, |node| node.parent = Some(id));
                // What it is depends on that: a panel that leaves its window and floats is a window of its own.
                if [Some(id), Some(former)].contains(&tree.root()) && !parents.contains_key(child) {
                    self.mark(child, Dirt::SELF);
                }
            }
            accepted.push(child_id);
        }
        accepted
    }

    /// Takes out children that were promised to a parent but never came, and forgets the identity of long gone elements.
    fn drop_unreachable(&mut self, tree: &mut Tree) {
        let dangling: Vec<NodeId> = tree
            .nodes()
            .filter(|node| node.children.iter().any(|child| !tree.contains(*child)))
            .map(|node| node.id)
            .collect();
        for id in dangling {
            let present: Vec<NodeId> = tree.children(id).map(|node| node.id).collect();
            tree.update(id, |node| node.children = present);
        }
        self.sketched.retain(|id| tree.contains(*id));
        self.named.retain(|id, _| tree.contains(*id));
        self.places.retain(|(container, _), _| tree.contains(*container));
        if self.ids.len() > tree.len() + REMEMBERED_GONE {
            self.ids.retain(|_, id| tree.contains(*id));
            self.keys.retain(|id, _| tree.contains(*id));
        }
    }

    /// Whether exactly the children at these places are loaded, so that there is no need to make new objects for them.
    pub(super) fn has_places(&self, tree: &Tree, container: NodeId, positions: &[ChildPosition]) -> bool {
        let Some(node) = tree.get(container) else { return false };
        node.children.len() == positions.len()
            && positions
                .iter()
                .zip(&node.children)
                .all(|(position, child)| self.places.get(&(container, *position)) == Some(child))
    }

    /// Where those of `nodes` are in their containers that make children on demand.
    pub(super) fn places_of(&self, nodes: &HashSet<NodeId>) -> Vec<(NodeId, ChildPosition, NodeId)> {
        let places = self.places.iter().filter(|(_, child)| nodes.contains(child));
        places.map(|((container, position), child)| (*container, *position, *child)).collect()
    }

    /// Whether an element is at this place still.
    pub(super) fn is_at(&self, container: NodeId, position: ChildPosition, id: NodeId) -> bool {
        self.places.get(&(container, position)) == Some(&id)
    }

    /// Forgets what is at a place, so that its container is asked for it again.
    pub(super) fn forget_place(&mut self, container: NodeId, position: ChildPosition) {
        self.places.remove(&(container, position));
    }

    /// Records that the object of an element was named just now, and is let go of later.
    pub(super) fn note_named(&mut self, id: NodeId) {
        self.named.insert(id, Instant::now());
    }

    /// Whether the object of an element is one that is let go of, and was named longer ago than that.
    pub(super) fn was_named_before(&self, id: NodeId, ago: Duration) -> bool {
        self.named.get(&id).is_some_and(|named| named.elapsed() > ago)
    }

    /// Whether exactly these objects are loaded as the children of a container, in this order.
    pub(super) fn has_objects(
        &self,
        tree: &Tree,
        container: NodeId,
        objects: &[(ChildPosition, ObjectKey)],
    ) -> bool {
        let Some(node) = tree.get(container) else { return false };
        node.children.len() == objects.len()
            && objects.iter().zip(&node.children).all(|((_, key), child)| self.key(*child) == Some(key))
    }

    /// Applies new readings of elements that are in the tree, without touching their children.
    pub(super) fn apply_reading(
        &mut self,
        tree: &mut Tree,
        toolkit: Toolkit,
        id: NodeId,
        mut reading: Reading,
    ) {
        // GTK 3 gives a field for a password another role while its text is visible.
        let lasting = States::COLLAPSED | States::PROTECTED;
        let (parent, kept, embedded) = tree.get(id).map_or((None, States::empty(), false), |node| {
            (node.parent, node.states & lasting, node.owner.is_some())
        });
        let place = self.put_in_place(tree, toolkit, (id, parent), embedded, &mut reading);
        let states = toolkit.normalise_states(reading.states | kept, place);
        let abilities = toolkit.normalise_abilities(reading.abilities, place);
        let was_showing = tree.get(id).is_some_and(|node| node.is_showing());
        note_lost_page(tree, id, reading.role);
        tree.update(id, |node| {
            node.details = kept_details(Some(node), &reading);
            node.role = reading.role;
            node.native_role = reading.native_role;
            node.name = reading.name;
            node.description = reading.description;
            node.states = states;
            node.abilities = abilities;
            node.child_count = reading.child_count;
        });
        if toolkit.derives_showing() && was_showing != states.contains(States::SHOWING) {
            derive_showing_below(tree, toolkit, id);
        }
    }
}

/// What is known of the details of an element that was there, and is true of it after this reading too.
fn kept_details(old: Option<&Node>, reading: &Reading) -> KeptDetails {
    let Some(old) = old else { return KeptDetails::default() };
    let mut details = old.details.clone();
    details.forget(outdated_by(old, &reading.name, &reading.native_role));
    details
}

/// Notes that an element is a page no longer. Chromium's empty page has no role and no states for a moment before it is replaced.
fn note_lost_page(tree: &mut Tree, id: NodeId, role: Role) {
    if role != Role::Document {
        tree.note_page(id);
    }
}
