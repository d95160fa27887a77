//! The pointer and the keyboard of one caller.

use handeye_core::{Platform, Seat, WindowId};
use std::sync::{Arc, OnceLock, PoisonError};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The seat of one caller, which is there from its first action to the end of the caller: a menu that it opened stays open in between.
#[derive(Default)]
pub(super) struct OwnSeat {
    seat: OnceLock<Arc<dyn Seat>>,
    /// The window whose application believes that it has the focus.
    feigned: std::sync::Mutex<Option<WindowId>>,
    turn: Arc<Mutex<()>>,
}

impl OwnSeat {
    /// Its pointer and keyboard.
    pub(super) fn seat(&self, platform: &Platform) -> &Arc<dyn Seat> {
        self.seat.get_or_init(|| platform.seats.agents.seat())
    }

    /// Notes the window whose application believes that it has the focus; returns the one that did before.
    pub(super) fn note_feigned(&self, window: Option<WindowId>) -> Option<WindowId> {
        std::mem::replace(&mut *self.feigned.lock().unwrap_or_else(PoisonError::into_inner), window)
    }

    /// Waits until no other action uses it.
    pub(super) async fn lock(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.turn).lock_owned().await
    }
}
