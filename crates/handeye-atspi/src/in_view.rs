//! Loading what is in view of containers with more children than can be listed.

use super::book::Dirt;
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::reading::MAX_LISTED_CHILDREN;
use super::virtual_children::VisiblePositions;
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
}
