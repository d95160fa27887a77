//! The pointer and the keyboard of one caller.

use crate::users_window::UsersWindow;
use handeye_core::{OpenMenus, Platform, Seat, WindowId};
use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::{Instant, sleep};

/// How long after its last action a seat rests. An application may take no keys of the user as long as it is there.
const RESTS_AFTER: Duration = Duration::from_secs(1);
/// Time between two looks at what the user and the agent do until then.
const LOOKS: Duration = Duration::from_millis(200);
/// Longest time between two attempts, where an application holds the seat or is busy.
const TRIES_AGAIN: Duration = Duration::from_secs(10);
/// How long a menu that the seat has opened may stay open without another action.
const MENU_STAYS: Duration = Duration::from_secs(60);
/// The same for the pointer where something is shown as long as it is there.
const HOVER_STAYS: Duration = Duration::from_secs(10);

/// What an input opens that closes when the seat rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Opens {
    /// Nothing.
    #[default]
    Nothing,
    /// A menu, or another popup that holds the pointer.
    Menu,
    /// A tooltip, or whatever else is shown as long as the pointer is there.
    UnderPointer,
}

impl Opens {
    /// How long the seat stays for it without another action.
    const fn stays(self) -> Duration {
        match self {
            Self::Nothing => Duration::ZERO,
            Self::Menu => MENU_STAYS,
            Self::UnderPointer => HOVER_STAYS,
        }
    }
}

/// The seat of one caller. It rests between actions that are some time apart.
#[derive(Default)]
pub(super) struct OwnSeat(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// The seat, and the platform that it is on.
    seat: OnceLock<(Arc<dyn Seat>, Platform)>,
    /// The window whose application believes that it has the focus.
    feigned: std::sync::Mutex<Option<WindowId>>,
    /// What it has opened, and would close without it.
    opened: std::sync::Mutex<Opens>,
    /// The menus of that, as far as they are known.
    menus: std::sync::Mutex<HashSet<WindowId>>,
    /// How many actions it has begun.
    actions: AtomicU64,
    turn: Arc<Mutex<()>>,
}

/// The turn of one action on a seat. The caller's own rests some time after it.
pub struct Turn {
    _held: OwnedMutexGuard<()>,
    own: Option<Weak<Shared>>,
}

impl OwnSeat {
    /// Its pointer and keyboard.
    pub(super) fn seat(&self, platform: &Platform) -> &Arc<dyn Seat> {
        &self.0.seat.get_or_init(|| (platform.seats.agents.seat(), platform.clone())).0
    }

    /// Its pointer and keyboard, if there was an action with them.
    pub(super) fn made(&self) -> Option<Arc<dyn Seat>> {
        self.0.seat.get().map(|(seat, _)| Arc::clone(seat))
    }

    /// Notes the window whose application believes that it has the focus; returns the one that did before.
    pub(super) fn note_feigned(&self, window: Option<WindowId>) -> Option<WindowId> {
        std::mem::replace(&mut *self.0.feigned.lock().unwrap_or_else(PoisonError::into_inner), window)
    }

    /// What is open that it has opened, as far as is known.
    pub(super) fn opened(&self) -> Opens {
        self.0.opened()
    }

    /// Notes what is open that it has opened.
    pub(super) fn note_opened(&self, what: Opens) {
        self.0.note_opened(what);
    }

    /// Notes the menus that are open. When none of them is, because the application has closed them, nothing is that it has opened.
    pub(super) fn note_menus(&self, open: HashSet<WindowId>) {
        *self.0.menus.lock().unwrap_or_else(PoisonError::into_inner) = open;
    }

    /// Waits until no other action uses it.
    pub(super) async fn lock(&self) -> Turn {
        let held = Arc::clone(&self.0.turn).lock_owned().await;
        self.0.actions.fetch_add(1, Ordering::Relaxed);
        Turn { _held: held, own: Some(Arc::downgrade(&self.0)) }
    }
}

impl Shared {
    /// How many actions it has begun.
    fn begun(&self) -> u64 {
        self.actions.load(Ordering::Relaxed)
    }

    fn note_opened(&self, what: Opens) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    fn opened(&self) -> Opens {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has opened menus of which none is there any more: the application has closed them.
    async fn has_lost_menus(&self, platform: &Platform) -> bool {
        let menus = self.menus.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.opened() != Opens::Menu || menus.is_empty() {
            return false;
        }
        match platform.screen.shown().await {
            Ok(shown) => shown.iter().all(|window| !menus.contains(&window.id)),
            Err(error) => {
                tracing::debug!(%error, "whether a menu is still open is not known");
                false
            }
        }
    }
}

impl Turn {
    /// The turn of the user's seat, which never rests.
    pub(super) const fn of_user(held: OwnedMutexGuard<()>) -> Self {
        Self { _held: held, own: None }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("own", &self.own.is_some()).finish_non_exhaustive()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Without a runtime the process ends, and the seat with it.
        if let (Some(own), Ok(runtime)) = (self.own.take(), Handle::try_current()) {
            runtime.spawn(rest_later(own));
        }
    }
}

/// Has a seat rest when no other action has begun for a while, or as soon as the user goes to a window that takes no keys until then.
async fn rest_later(own: Weak<Shared>) {
    let Some((begun, platform)) =
        own.upgrade().and_then(|own| Some((own.begun(), own.seat.get()?.1.clone())))
    else {
        return;
    };
    let mut users = UsersWindow::now(platform.clone()).await;
    let since = Instant::now();
    let (mut pause, mut due) = (RESTS_AFTER, since + RESTS_AFTER);
    loop {
        sleep(LOOKS.min(due.saturating_duration_since(Instant::now()))).await;
        if own.upgrade().is_none_or(|own| own.begun() != begun) {
            return;
        }
        let has_gone_deaf = users.has_gone_deaf().await;
        let Some(own) = own.upgrade() else { return };
        let has_lost_menus = own.has_lost_menus(&platform).await;
        if own.begun() != begun {
            return;
        }
        if has_lost_menus {
            own.note_opened(Opens::Nothing);
        }
        if Instant::now() < due && !has_gone_deaf && !has_lost_menus {
            continue;
        }
        let Some((seat, _)) = own.seat.get().cloned() else { return };
        let _turn = own.turn.lock().await;
        if own.begun() != begun {
            return;
        }
        let stays = own.opened().stays().saturating_sub(since.elapsed());
        if !users.is_deaf() && !stays.is_zero() {
            due = Instant::now() + stays;
            continue;
        }
        let is_late = since.elapsed() >= MENU_STAYS;
        let menus = if users.is_deaf() || is_late { OpenMenus::Close } else { OpenMenus::Stay };
        if seat.rest(menus).await {
            return;
        }
        pause = if users.is_deaf() { RESTS_AFTER } else { (pause * 2).min(TRIES_AGAIN) };
        due = Instant::now() + pause;
    }
}
