//! A walk over a tree that is fast enough to do for every find.

use handeye_core::{Node, NodeId, Tree};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Calls `visit` for `start` and everything below it, parents before children, in document order.
///
/// Does what [`Tree::descendants`] does at a third of its cost, which is what a find spends most of its time
/// on. Ends on cyclic trees too: every element is visited once.
pub(super) fn walk<'t>(tree: &'t Tree, start: NodeId, visit: impl FnMut(&'t Arc<Node>)) {
    walk_unseen(tree, start, &mut none_seen(tree), visit);
}

/// Room for every element of a tree.
pub(super) fn none_seen(tree: &Tree) -> FxHashSet<NodeId> {
    FxHashSet::with_capacity_and_hasher(tree.len(), rustc_hash::FxBuildHasher)
}

/// [`walk`], but for what was `seen` in a walk before and is below that.
pub(super) fn walk_unseen<'t>(
    tree: &'t Tree,
    start: NodeId,
    seen: &mut FxHashSet<NodeId>,
    mut visit: impl FnMut(&'t Arc<Node>),
) {
    let mut stack = vec![start];
    while let Some(id) = stack.pop() {
        let Some(node) = tree.get(id) else { continue };
        if !seen.insert(id) {
            continue;
        }
        visit(node);
        stack.extend(node.children.iter().rev());
    }
}
