//! What takes no room although it says that it is visible, and so shows nothing of what is in it.

use super::book::{Dirt, derive_showing_below, states_in_place};
use super::connected::ConnectedApplication;
use super::object::ObjectKey;
use super::read_call::GET_EXTENTS;
use super::wire::{CallError, Wire, burst};
use futures_util::FutureExt;
use handeye_core::{NodeId, Scope, States};

/// Coordinates relative to the screen; only sizes matter here.
const SCREEN_COORDINATES: u32 = 0;

impl ConnectedApplication {
    /// Reads of what may have collapsed in `scope` whether it has, in one burst. Whether something has unfolded that has
    /// to be loaded now.
    pub(super) async fn note_collapsed(&self, scope: Scope) -> Result<bool, CallError> {
        let tree = self.mirror.snapshot();
        let Some(start) = scope.root.filter(|root| tree.contains(*root)).or(tree.root()) else {
            return Ok(false);
        };
        let candidates: Vec<(ObjectKey, NodeId, bool)> = {
            let book = self.book();
            tree.descendants(start)
                .filter(|node| self.toolkit.may_collapse(node))
                .filter(|node| node.is_showing() || node.states.contains(States::COLLAPSED))
                .filter_map(|node| {
                    Some((book.key(node.id)?.clone(), node.id, node.states.contains(States::COLLAPSED)))
                })
                .collect()
        };
        drop(tree);
        if candidates.is_empty() {
            return Ok(false);
        }
        let calls = candidates.iter().map(|(key, _, _)| takes_no_room(&self.wire, key).boxed()).collect();
        let answers = burst(calls).await?;
        let mut unfolded = false;
        for ((_, id, was_collapsed), answer) in candidates.into_iter().zip(answers) {
            // What vanished meanwhile is noticed by who looks at its parent.
            let Ok(collapsed) = answer else { continue };
            if collapsed != was_collapsed {
                unfolded |= self.collapse(id, collapsed);
            }
        }
        Ok(unfolded)
    }

    /// Records whether an element takes no room. Whether something below it has to be loaded now.
    fn collapse(&self, id: NodeId, collapsed: bool) -> bool {
        self.mirror.update(|tree| {
            let Some((parent, role, mut states)) =
                tree.get(id).map(|node| (node.parent, node.role, node.states))
            else {
                return;
            };
            states.set(States::COLLAPSED, collapsed);
            let states = states_in_place(tree, self.toolkit, parent, role, states);
            tree.update(id, |node| node.states = states);
            derive_showing_below(tree, self.toolkit, id);
        });
        let (mut book, tree) = (self.book(), self.mirror.snapshot());
        let mut unloaded = false;
        for node in tree.descendants(id).filter(|node| node.is_showing() && node.unloaded_children() > 0) {
            if let Some(key) = book.key(node.id).cloned() {
                book.mark(&key, Dirt::CHILDREN);
                unloaded = true;
            }
        }
        unloaded
    }
}

/// Whether an element says that it is nothing wide or nothing high.
async fn takes_no_room(wire: &Wire, key: &ObjectKey) -> Result<bool, CallError> {
    let (_, _, width, height): (i32, i32, i32, i32) =
        wire.call(key, &GET_EXTENTS, &SCREEN_COORDINATES).await?;
    Ok(width == 0 || height == 0)
}
