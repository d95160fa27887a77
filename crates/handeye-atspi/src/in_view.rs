//! Loading what is in view of containers with more children than can be listed.

use super::book::Dirt;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::read_call::GET_STATE;
use super::reading::{MAX_LISTED_CHILDREN, Reading, read_alike, read_object};
use super::virtual_children::{ChildPosition, VisiblePositions};
use super::vocabulary::states_from_words;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{Node, NodeId, Scope};
use std::sync::Arc;

impl ConnectedApplication {
    /// Loads what is in view of the containers in `scope` that have more children than can be listed.
    pub(super) async fn load_visible_parts(&self, scope: Scope) -> Result<(), CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(());
        };
        let containers: Vec<Arc<Node>> = tree
            .descendants(start)
            .filter(|node| node.child_count > MAX_LISTED_CHILDREN && node.is_showing())
            .take(8)
            .cloned()
            .collect();
        for container in containers {
            self.load_visible_children(&container).await?;
        }
        Ok(())
    }

    async fn load_visible_children(&self, container: &Node) -> Result<(), CallError> {
        let Some(key) = self.book().key(container.id).cloned() else { return Ok(()) };
        let around: Vec<ObjectKey> = {
            let (tree, book) = (self.mirror.snapshot(), self.book());
            tree.ancestors(container.id).filter_map(|node| book.key(node.id).cloned()).collect()
        };
        let places = VisiblePositions::probe(&self.wire, &key, container, &around).await?;
        let is_known = self.book().has_places(&self.mirror.snapshot(), container.id, places.positions());
        if is_known && !self.toolkit.keeps_objects() {
            return Ok(());
        }
        let visible = places.objects(&self.wire, &key).await?;
        // Where one of them has gone or come, or they were sorted, other objects are at the same places.
        if is_known && self.book().has_objects(&self.mirror.snapshot(), container.id, &visible) {
            return Ok(());
        }
        let readings = self.read_in_view(&visible).await?;
        let inside: Vec<(ObjectKey, NodeId, Dirt)> = {
            let mut book = self.book();
            self.mirror
                .update(|tree| book.graft_virtual(tree, self.toolkit, container.id, visible, readings));
            let tree = self.mirror.snapshot();
            tree.children(container.id)
                .filter(|child| child.is_showing() && child.unloaded_children() > 0)
                .filter_map(|child| Some((book.key(child.id)?.clone(), child.id, Dirt::CHILDREN)))
                .collect()
        };
        if inside.is_empty() {
            return Ok(());
        }
        self.reload(inside, false).await
    }

    /// Reads children of a container that makes them on demand. Where they are alike, all but two are asked for what distinguishes them: cells whose
    /// name is their place for their states alone.
    pub(super) async fn read_in_view(
        &self,
        children: &[(ChildPosition, ObjectKey)],
    ) -> Result<Vec<Result<Reading, CallError>>, CallError> {
        let [first, .., last] = children else {
            return burst(children.iter().map(|(_, key)| read_object(&self.wire, key).boxed()).collect())
                .await;
        };
        let ends = burst([first, last].map(|(_, key)| read_object(&self.wire, key).boxed()).into()).await?;
        let likeness = match ends.as_slice() {
            [Ok(one), Ok(other)] => self.likeness((first.0, one), (last.0, other)),
            _ => Likeness::None,
        };
        let read = async |at: ChildPosition, key: &ObjectKey| match &likeness {
            Likeness::None => read_object(&self.wire, key).await,
            Likeness::Kind(pattern) => read_alike(&self.wire, key, pattern).await,
            Likeness::NamedByPlace(pattern) => {
                let states = states_from_words(&self.wire.call(key, &GET_STATE, &()).await?);
                Ok(Reading { name: at.cell_name().unwrap_or_default().into(), states, ..pattern.clone() })
            }
        };
        burst(children.iter().map(|(at, key)| read(*at, key).boxed()).collect()).await
    }

    /// What all children of a container have in common, by two of them.
    fn likeness(&self, one: (ChildPosition, &Reading), other: (ChildPosition, &Reading)) -> Likeness {
        let is_plain = |reading: &Reading| self.toolkit.has_plain_cells(reading.role, reading.abilities);
        if !is_plain(one.1) || !is_plain(other.1) {
            return Likeness::None;
        }
        let pattern = one.1.clone();
        let is_named_by_place = |(at, reading): (ChildPosition, &Reading)| {
            at.cell_name().is_some_and(|name| *name == *reading.name)
        };
        if is_named_by_place(one) && is_named_by_place(other) && one.1.description == other.1.description {
            Likeness::NamedByPlace(pattern)
        } else {
            Likeness::Kind(pattern)
        }
    }
}

/// What children of one container have in common.
enum Likeness {
    /// Nothing that is known.
    None,
    /// Role and interfaces, and that what is inside only repeats what they are.
    Kind(Reading),
    /// The description too; their name is their place, as in "B7".
    NamedByPlace(Reading),
}
