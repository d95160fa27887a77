//! A look at an application: its elements and its windows at one moment.

use handeye_core::{NodeId, Role, States, Tree, Window, screen_text};
use std::sync::Arc;

/// An application at one moment.
#[derive(Debug, Clone)]
pub(super) struct AppSnapshot {
    /// Its elements.
    pub(super) tree: Arc<Tree>,
    /// Its windows, from the topmost down; empty where no display lists them.
    pub(super) windows: Vec<Window>,
    /// Whether the application answered; if not, the elements are those of an earlier look.
    pub(super) answers: bool,
}

impl AppSnapshot {
    /// Whether nothing is different from an earlier look, as far as can be determined without comparing every element.
    pub(super) fn is_same_as(&self, earlier: &Self) -> bool {
        Arc::ptr_eq(&self.tree, &earlier.tree)
            && self.windows == earlier.windows
            && self.answers == earlier.answers
    }

    /// The topmost window if it is above another one of the application. GTK 4 reports that in no other way.
    pub(super) fn topmost_dialog(&self) -> Option<&Window> {
        self.windows.iter().find(|window| !window.minimized).filter(|window| {
            window.transient_for.is_some_and(|owner| self.windows.iter().any(|other| other.id == owner))
        })
    }

    /// The window of the tree that is in front: a dialog before the active one, that before the others.
    pub(super) fn front(&self) -> Option<NodeId> {
        let shown = || self.tree.windows().filter(|window| window.is_showing());
        let is_dialog = |role: Role| matches!(role, Role::Dialog | Role::Alert);
        let dialog = shown().filter(|window| {
            window.states.contains(States::MODAL)
                || (is_dialog(window.role) && window.states.contains(States::ACTIVE))
        });
        dialog
            .last()
            .or_else(|| {
                let title = &self.topmost_dialog()?.title;
                shown().find(|window| screen_text::title(&window.name) == **title)
            })
            .or_else(|| shown().find(|window| window.states.contains(States::ACTIVE)))
            .or_else(|| shown().filter(|window| is_dialog(window.role)).last())
            .or_else(|| shown().next())
            .map(|window| window.id)
    }
}
