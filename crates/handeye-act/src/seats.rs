//! The seat of an action: whether it can do what is needed, and bringing a window forward with it.

use crate::blocking::check_open;
use crate::desk::Desk;
use crate::naming::belongs;
use crate::own_seat::{Opens, Turn};
use crate::route::SeatOf;
use handeye_core::{
    ConnectedApp, Error, ErrorCode, Means, Missing, OpenMenus, Result, Seat, Support, Window, WindowId,
};
use std::sync::Arc;

/// What a seat is about to act on.
#[derive(Clone, Copy)]
pub enum SeatTarget<'a> {
    /// An application.
    App(&'a dyn ConnectedApp),
    /// A window that shows no tree, by the process that it names.
    Window(Option<u32>),
}

impl Desk {
    /// Makes sure that a window takes input of the caller's own seat without harm, and has its application believe that it has the focus where
    /// it would take the focus otherwise. The seat has to be held.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] with the reason, such as a dialog that is to be answered first.
    pub(super) async fn ready_window(&self, app: &dyn ConnectedApp, window: WindowId) -> Result<()> {
        let windows = self.platform.screen.windows().await?;
        check_open(window, &windows)?;
        // The user may have gone to another window since that was asked.
        self.check_harm_among(SeatTarget::App(app), windows).await?;
        self.feign_focus(app, window).await
    }

    /// Has the application of a window believe that it has the focus, and no other one any more, where it would take the focus otherwise.
    /// The caller's own seat has to be held.
    async fn feign_focus(&self, app: &dyn ConnectedApp, window: WindowId) -> Result<()> {
        let needs = app.on_agent_seat().activates_itself.then_some(window);
        let earlier = self.own.seat.note_feigned(needs);
        let seat = self.seat_with(SeatOf::Agent, &[])?;
        if let Some(earlier) = earlier.filter(|earlier| needs != Some(*earlier)) {
            seat.feign_focus(&self.harmless(), earlier, false).await?;
        }
        match needs {
            Some(window) => seat.feign_focus(&self.harmless(), window, true).await,
            None => Ok(()),
        }
    }

    /// No application believes any more that it has the focus. The caller's own seat has to be held.
    pub(super) async fn end_feigning(&self) {
        let Some(window) = self.own.seat.note_feigned(None) else { return };
        let ended = match self.seat_with(SeatOf::Agent, &[]) {
            Ok(seat) => seat.feign_focus(&self.harmless(), window, false).await,
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            tracing::debug!(code = error.code.as_str(), "a window still believes that it has the focus");
        }
    }

    /// The seat, where it can do all of this: asked before a person is, and before anything is touched.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] with the seat's reason.
    pub(super) fn seat_with(&self, of: SeatOf, needed: &[Means]) -> Result<Arc<dyn Seat>> {
        let seat = match of {
            SeatOf::User => &self.platform.seats.user,
            SeatOf::Agent => self.own.seat.seat(&self.platform),
        };
        let can = seat.capabilities();
        of.needs(needed).try_for_each(|means| can.require(means))?;
        Ok(Arc::clone(seat))
    }

    /// Waits until no other action uses this seat.
    pub(super) async fn lock_seat(&self, of: SeatOf) -> Turn {
        match of {
            SeatOf::User => Turn::of_user(self.memory.lock_seat().await),
            SeatOf::Agent => self.own.seat.lock().await,
        }
    }

    /// Whether the caller's own seat can do all of this in an application. It is made if it is not there.
    pub async fn agent_seat(&self, needed: &[Means], target: SeatTarget<'_>) -> Support {
        match self.ready_agent_seat(needed, target).await {
            Ok(()) => Support::Yes,
            Err(error) => Support::No(Missing { reason: error.message.into(), next: error.next }),
        }
    }

    async fn ready_agent_seat(&self, needed: &[Means], target: SeatTarget<'_>) -> Result<()> {
        let seat = self.seat_with(SeatOf::Agent, needed)?;
        self.check_harm(target).await?;
        let _turn = self.own.seat.lock().await;
        seat.state().await.map(drop)
    }

    /// Makes sure that a seat of an agent does no harm, to the application that is acted on or to the user in another one.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] with what it would do.
    async fn check_harm(&self, target: SeatTarget<'_>) -> Result<()> {
        self.check_harm_among(target, self.platform.screen.windows().await?).await
    }

    /// As [`ready_window`](Self::ready_window), for a window that shows no tree.
    pub(super) async fn ready_unlisted(&self, window: Option<&Window>) -> Result<()> {
        let windows = self.platform.screen.windows().await?;
        if let Some(window) = window {
            check_open(window.id, &windows)?;
        }
        self.check_harm_among(SeatTarget::Window(window.and_then(|window| window.pid)), windows).await
    }

    /// As [`check_harm`](Self::check_harm), where the windows are known already.
    async fn check_harm_among(&self, target: SeatTarget<'_>, windows: Vec<Window>) -> Result<()> {
        let accessibility = &self.platform.accessibility;
        let (refusal, own) = match target {
            SeatTarget::App(app) => (app.on_agent_seat().refusal, Some(app.application())),
            SeatTarget::Window(Some(pid)) => {
                (accessibility.on_agent_seat(pid).await?.and_then(|effects| effects.refusal), None)
            }
            SeatTarget::Window(None) => (None, None),
        };
        if let Some(reason) = refusal {
            return Err(Error::new(ErrorCode::Refused, reason));
        }
        let active = windows.into_iter().find(|window| window.active);
        let Some(user) = active.filter(|window| own.is_none_or(|own| !belongs(window, own))) else {
            return Ok(());
        };
        let Some(pid) = user.pid else { return Ok(()) };
        if accessibility.on_agent_seat(pid).await?.is_some_and(|effects| effects.deafens) {
            let why =
                "the window that the user is in takes no keys of the user while an agent has a keyboard";
            return Err(Error::new(ErrorCode::Refused, why));
        }
        Ok(())
    }

    /// Makes sure that the window of this process takes the keys of the user's seat: the caller's own gives up its devices where it would not.
    ///
    /// # Errors
    /// As [`rest_agent_seat`](Self::rest_agent_seat).
    pub(super) async fn let_hear_user(&self, pid: Option<u32>) -> Result<()> {
        let Some(pid) = pid.filter(|_| self.own.seat.made().is_some()) else { return Ok(()) };
        match self.platform.accessibility.on_agent_seat(pid).await? {
            Some(effects) if effects.deafens => self.rest_agent_seat().await,
            _ => Ok(()),
        }
    }

    /// Has the caller's own seat give up its devices, where an application takes no keys of the user with them.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] where it cannot: an application holds it for a menu, or is busy.
    pub(super) async fn rest_agent_seat(&self) -> Result<()> {
        let Some(seat) = self.own.seat.made() else { return Ok(()) };
        let _turn = self.own.seat.lock().await;
        self.own.seat.note_opened(Opens::Nothing);
        if seat.rest(OpenMenus::Stay).await {
            return Ok(());
        }
        let why = "nothing was done: the agent's own seat has a menu open or an application is busy, and this \
                   application takes no other keys until the seat is gone";
        Err(Error::new(ErrorCode::Refused, why).with_next("Close the menu, then try again."))
    }

    /// Makes a window the active one of a seat, as a person's click on it would. Nothing is lost by that, so nobody is asked.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`] with the reason where the seat cannot; as [`Seat::activate`].
    pub async fn bring_forward(&self, seat: &dyn Seat, window: WindowId) -> Result<()> {
        seat.capabilities().require(Means::Activation)?;
        seat.activate(&self.harmless(), window).await
    }
}
