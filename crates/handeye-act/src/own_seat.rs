//! The pointer and the keyboard of one caller.

use handeye_core::{Platform, Seat, WindowId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::sleep;

/// How long after its last action a seat rests. An application may take no keys of the user as long as it is there.
const RESTS_AFTER: Duration = Duration::from_secs(1);

/// The seat of one caller, which is there from its first action to the end of the caller: a menu that it opened stays open in between.
#[derive(Default)]
pub(super) struct OwnSeat {
    seat: OnceLock<Arc<dyn Seat>>,
    /// The window whose application believes that it has the focus.
    feigned: std::sync::Mutex<Option<WindowId>>,
    /// How many actions it has begun.
    actions: Arc<AtomicU64>,
    turn: Arc<Mutex<()>>,
}

impl OwnSeat {
    /// Its pointer and keyboard.
    pub(super) fn seat(&self, platform: &Platform) -> &Arc<dyn Seat> {
        self.seat.get_or_init(|| platform.seats.agents.seat())
    }

    /// Its pointer and keyboard, if there was an action with them.
    pub(super) fn made(&self) -> Option<Arc<dyn Seat>> {
        self.seat.get().cloned()
    }

    /// Whether an application believes that it has the focus.
    pub(super) fn feigns(&self) -> bool {
        self.feigned.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Notes the window whose application believes that it has the focus; returns the one that did before.
    pub(super) fn note_feigned(&self, window: Option<WindowId>) -> Option<WindowId> {
        std::mem::replace(&mut *self.feigned.lock().unwrap_or_else(PoisonError::into_inner), window)
    }

    /// Waits until no other action uses it.
    pub(super) async fn lock(&self) -> OwnedMutexGuard<()> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        self.actions.fetch_add(1, Ordering::Relaxed);
        turn
    }

    /// Has it rest when no other action has begun for a while.
    pub(super) fn rest_soon(&self) {
        let Some(seat) = self.made() else { return };
        let (actions, turn) = (Arc::clone(&self.actions), Arc::clone(&self.turn));
        let begun = actions.load(Ordering::Relaxed);
        tokio::spawn(async move {
            sleep(RESTS_AFTER).await;
            if actions.load(Ordering::Relaxed) == begun {
                let _turn = turn.lock().await;
                seat.rest().await;
            }
        });
    }
}
