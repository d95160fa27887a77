//! Where a fake application and its elements are, and in which space it reports that.

use super::app::{FakeApp, lock};
use handeye_core::Detail;
use handeye_core::{Extents, NodeId};
use std::sync::atomic::Ordering;

impl FakeApp {
    /// Moves its windows and everything in them.
    pub fn move_by(&self, dx: i32, dy: i32) {
        for window in lock(&self.windows).iter_mut() {
            window.place = window.place.map(|place| place.translated(dx, dy));
        }
        let nodes: Vec<NodeId> = self.truth().nodes().map(|node| node.id).collect();
        for id in nodes {
            self.edit(id, |node| {
                if let Detail::Known(Extents::OnScreen(area)) = &mut node.details.extents {
                    *area = area.translated(dx, dy);
                }
            });
        }
    }

    /// Has each of its elements that is there now report where it is in its window, and not where it is on the screen.
    pub fn place_in_windows(&self) {
        let nodes: Vec<NodeId> = self.truth().nodes().map(|node| node.id).collect();
        for id in nodes {
            let Some(place) = self.shown_in(id).and_then(|window| window.place) else { continue };
            self.edit(id, |node| {
                if let Detail::Known(Extents::OnScreen(area)) = node.details.extents {
                    node.details.extents = Detail::Known(Extents::InWindow(place.in_window(area)));
                }
            });
        }
    }

    /// Has none of its windows report where it is, as where places are unknown.
    pub(super) fn forget_windows(&self) {
        self.unplaced.store(true, Ordering::SeqCst);
    }

    /// Has none of its elements and windows report where it is, as where places are unknown.
    pub(super) fn forget_places(&self) {
        self.forget_windows();
        let nodes: Vec<NodeId> = self.truth().nodes().map(|node| node.id).collect();
        for id in nodes {
            self.edit(id, |node| node.details.extents = Detail::Absent);
        }
    }
}
