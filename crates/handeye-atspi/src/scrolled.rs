//! Keeps true in the mirror what of long lists is in view.

use super::book::{Book, Dirt};
use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::view::{View, read_edges};
use super::wire::burst;
use futures_util::FutureExt;
use handeye_core::{NodeId, Scope, States, Tree};

impl ConnectedApplication {
    /// Puts into `tree` which children of lists are in view.
    pub(super) fn note_views(
        &self,
        tree: &mut Tree,
        book: &Book,
        views: Vec<(ObjectKey, Option<Box<View>>)>,
    ) {
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
            known.insert(list, *view);
        }
    }

    /// Has lists in `scope` read again that were scrolled since they were read.
    pub(super) async fn doubt_scrolled(&self, scope: Scope) -> Result<(), CallError> {
        let lists: Vec<(ObjectKey, View)> = {
            let (tree, book, known) = (self.mirror.snapshot(), self.book(), self.views());
            let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
                return Ok(());
            };
            let is_in_scope = |id: NodeId| {
                tree.get(id).is_some_and(|list| list.is_showing())
                    && (id == start || tree.ancestors(id).any(|above| above.id == start))
            };
            let lists = known.iter().filter(|(id, _)| is_in_scope(**id));
            lists.filter_map(|(id, view)| Some((book.key(*id)?.clone(), view.clone()))).collect()
        };
        let calls = lists.iter().map(|(list, view)| read_edges(&self.wire, list, view).boxed()).collect();
        let places = burst(calls).await?;
        let mut book = self.book();
        for ((list, view), now) in lists.iter().zip(places) {
            if !now.is_ok_and(|now| view.holds(&now)) {
                book.mark(list, Dirt::CHILDREN);
            }
        }
        Ok(())
    }
}

/// Sets whether a child of a list, which says that it shows in any case, is in view, and so what is in it.
fn set_in_view(tree: &mut Tree, id: NodeId, shows: bool) {
    let list_shows =
        tree.get(id).and_then(|child| tree.get(child.parent?)).is_some_and(|list| list.is_showing());
    let below: Vec<NodeId> = tree.descendants(id).map(|node| node.id).collect();
    for id in below {
        tree.update(id, |node| {
            let may_show = node.states.contains(States::VISIBLE);
            node.states.set(States::COLLAPSED, !shows);
            node.states.set(States::SHOWING, shows && may_show && list_shows);
        });
    }
}
