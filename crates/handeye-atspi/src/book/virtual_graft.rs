//! Puts children into the mirror that their container makes on demand.

use super::{Book, ChildPosition, ObjectKey, Reading, Toolkit, place_in, states_in_place};
use handeye_core::{Node, NodeId, Tree};
use std::collections::HashSet;

impl Book {
    /// Replaces the loaded children of a container that makes them on demand. Where the application makes a new object for a child at every
    /// call, a child keeps its identity by its place. Elsewhere another object is another element: a row that came in the place of one that was
    /// removed does not get its references.
    pub(crate) fn graft_virtual<E>(
        &mut self,
        tree: &mut Tree,
        toolkit: Toolkit,
        container: NodeId,
        children: Vec<(ChildPosition, ObjectKey)>,
        readings: Vec<Result<Reading, E>>,
    ) {
        let Some(parent) = self.keys.get(&container).cloned() else { return };
        // An object that is known stays what it is, wherever it is now.
        let known: Vec<Option<NodeId>> = children.iter().map(|(_, object)| self.id(object)).collect();
        let mut taken: HashSet<NodeId> = known.iter().flatten().copied().collect();
        let mut loaded = Vec::new();
        let mut listed = Vec::new();
        let mut seen = HashSet::new();
        for (((position, object), reading), known) in children.into_iter().zip(readings).zip(known) {
            let Ok(reading) = reading else { continue };
            // An application that names one object twice, or one that is elsewhere, still has it in one place.
            let elsewhere =
                known.and_then(|id| tree.get(id)).is_some_and(|node| node.parent != Some(container));
            if elsewhere || !seen.insert(object.clone()) {
                continue;
            }
            let place = (container, position);
            let id = known.unwrap_or_else(|| {
                let at_place = self.places.get(&place).copied().filter(|_| !toolkit.keeps_objects());
                at_place.filter(|id| taken.insert(*id)).unwrap_or_else(NodeId::mint)
            });
            self.places.insert(place, id);
            self.sketched.remove(&id);
            if toolkit.lets_go_of_cells() && matches!(position, ChildPosition::Cell { .. }) {
                self.note_named(id);
            }
            if known.is_none() {
                self.rebind(id, object);
            }
            listed.push(id);
            loaded.push((id, known.is_some(), reading));
        }
        self.places.retain(|(owner, _), id| *owner != container || listed.contains(id) || tree.contains(*id));
        let gone: Vec<NodeId> = tree
            .get(container)
            .map(|node| node.children.iter().copied().filter(|child| !listed.contains(child)).collect())
            .unwrap_or_default();
        for id in gone {
            tree.remove_subtree(id);
        }
        for (id, is_same, reading) in loaded {
            insert_virtual(tree, toolkit, container, id, is_same, reading);
        }
        tree.update(container, |node| node.children = listed);
        tracing::trace!(path = %parent.path, "virtual children loaded");
    }
}

/// Puts a child of a container that makes them on demand into the tree; `is_same` if it is the object that was there under this
/// number.
fn insert_virtual(
    tree: &mut Tree,
    toolkit: Toolkit,
    container: NodeId,
    id: NodeId,
    is_same: bool,
    reading: Reading,
) {
    let is_plain = toolkit.has_plain_cells(reading.role, reading.abilities);
    let old = tree.get(id).cloned();
    let details = old.as_ref().map(|node| node.details.clone()).unwrap_or_default();
    // What another object had inside is not in this one.
    let inside = old.map(|node| node.children.clone()).unwrap_or_default();
    if !is_same {
        for gone in &inside {
            tree.remove_subtree(*gone);
        }
    }
    tree.insert(Node {
        id,
        parent: Some(container),
        children: if is_same { inside } else { Vec::new() },
        child_count: if is_plain { 0 } else { reading.child_count },
        role: reading.role,
        native_role: reading.native_role,
        name: toolkit.normalise_name(reading.role, reading.name),
        description: reading.description,
        states: states_in_place(tree, toolkit, Some(container), reading.role, reading.states),
        abilities: toolkit
            .normalise_abilities(reading.abilities, place_in(tree, Some(container), reading.role)),
        details,
        owner: tree.get(container).and_then(|node| node.owner.clone()),
        strangers: 0,
    });
}
