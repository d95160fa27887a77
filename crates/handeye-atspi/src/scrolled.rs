//! Keeps true in the mirror what of long lists is in view.

use super::book::{Book, Dirt};
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::details::read_raw_extents;
use super::object::ObjectKey;
use super::view::View;
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{NodeId, Rect, Scope, States, Tree};

impl ConnectedApplication {
    /// Puts into `tree` which children of lists are in view.
    pub(super) fn note_views(&self, tree: &mut Tree, book: &Book, views: Vec<(ObjectKey, Option<View>)>) {
        let mut known = self.views();
        known.retain(|id, _| tree.contains(*id));
        for (list, view) in views {
            let Some(list) = book.id(&list) else { continue };
            let Some(view) = view else {
                if known.remove(&list).is_some() {
                    let children: Vec<NodeId> = tree.children(list).map(|child| child.id).collect();
                    for child in children {
                        set_in_view(tree, child, true);
                    }
                }
                continue;
            };
            for (child, shows) in view.listed.iter().zip(&view.shown) {
                let Some(child) = book.id(child).filter(|child| tree.contains(*child)) else { continue };
                set_in_view(tree, child, *shows);
            }
            known.insert(list, view);
        }
    }

    /// Has lists in `scope` read again that were scrolled since they were read.
    pub(super) async fn doubt_scrolled(&self, scope: Scope) -> Result<(), CallError> {
        let edges: Vec<(NodeId, ObjectKey, Option<Rect>)> = {
            let (tree, known) = (self.mirror.snapshot(), self.views());
            let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
                return Ok(());
            };
            let is_in_scope = |id: NodeId| {
                tree.get(id).is_some_and(|list| list.is_showing())
                    && (id == start || tree.ancestors(id).any(|above| above.id == start))
            };
            let lists = known.iter().filter(|(id, _)| is_in_scope(**id));
            lists
                .flat_map(|(id, view)| view.edges.iter().map(|(key, area)| (*id, key.clone(), *area)))
                .collect()
        };
        let calls = edges.iter().map(|(_, key, _)| read_raw_extents(&self.wire, key).boxed()).collect();
        let areas = burst(calls).await?;
        let mut book = self.book();
        for ((list, _, before), now) in edges.into_iter().zip(areas) {
            if now.ok().flatten() != before
                && let Some(key) = book.key(list).cloned()
            {
                book.mark(&key, Dirt::CHILDREN);
            }
        }
        Ok(())
    }
}

/// Sets whether an element, which says that it shows in any case, is in view, and so what is in it.
fn set_in_view(tree: &mut Tree, id: NodeId, shows: bool) {
    let below: Vec<NodeId> = tree.descendants(id).map(|node| node.id).collect();
    for id in below {
        tree.update(id, |node| {
            let may_show = node.states.contains(States::VISIBLE);
            node.states.set(States::COLLAPSED, !shows);
            node.states.set(States::SHOWING, shows && may_show);
        });
    }
}
