//! A look at an application: its elements and its windows at one moment.

use handeye_core::{Tree, Window};
use handeye_insight::{Front, Insight, State};
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

    /// The window of the tree that is in front.
    pub(super) fn front(&self) -> Option<Front> {
        handeye_insight::front(&self.tree, &self.windows)
    }

    /// What is recognised in the window in front.
    pub(super) fn insight(&self) -> Option<Insight> {
        Insight::of(&self.tree, self.front()?)
    }

    /// What state the application is in.
    pub(super) fn state(&self, insight: Option<&Insight>) -> State {
        if self.answers { insight.map_or(State::Idle, |insight| insight.state) } else { State::Busy }
    }
}
