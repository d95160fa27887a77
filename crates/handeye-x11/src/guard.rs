//! Keeps account of what is held, so that it is released whatever becomes of this process.

use super::fault::Outcome;
use super::held::{Held, SeatKeeper};
use std::sync::Arc;

/// Notifies the keeper of what is held before it is pressed, and after it was released.
#[derive(Debug, Default)]
pub(super) struct Guard {
    keeper: Option<Arc<dyn SeatKeeper>>,
    display: Option<String>,
    held: Held,
}

impl Guard {
    /// For a connection to `display`.
    pub(super) fn new(keeper: Arc<dyn SeatKeeper>, display: Option<&str>) -> Self {
        Self { keeper: Some(keeper), display: display.map(str::to_owned), held: Held::default() }
    }

    /// Before something is pressed. Returns when it will be released whatever becomes of this process.
    pub(super) fn hold(&mut self, change: impl FnOnce(&mut Held)) -> Outcome<()> {
        let mut held = self.held.clone();
        held.display.clone_from(&self.display);
        change(&mut held);
        if held != self.held {
            if let Some(keeper) = &self.keeper {
                keeper.hold(&held)?;
            }
            self.held = held;
        }
        Ok(())
    }

    /// After it was released.
    pub(super) fn let_go(&mut self, change: impl FnOnce(&mut Held)) -> Outcome<()> {
        let mut held = self.held.clone();
        change(&mut held);
        if !held.is_empty() {
            return self.hold(|current| *current = held);
        }
        self.held = Held::default();
        if let Some(keeper) = &self.keeper {
            keeper.let_go(None, true);
        }
        Ok(())
    }

    /// After the agent's seat was removed, with all that was held on it.
    pub(super) fn close(&mut self) {
        let held = std::mem::take(&mut self.held);
        if let Some(keeper) = self.keeper.as_ref().filter(|_| !held.is_empty()) {
            keeper.let_go(held.seat(), true);
        }
    }
}

impl Drop for Guard {
    /// The connection is lost with something held: the keeper may have one that works.
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.as_ref().filter(|_| !self.held.is_empty()) {
            keeper.let_go(self.held.seat(), false);
        }
    }
}
