//! The seat of an action: whether it can do what is needed, and bringing a window forward with it.

use crate::desk::Desk;
use crate::route::SeatOf;
use handeye_core::{ConnectedApp, Means, Missing, Result, Seat, Support, WindowId};
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

impl Desk {
    /// Has the application of a window believe that it has the focus, and no other one any more, where it would take the focus otherwise.
    /// The caller's own seat has to be held.
    pub(super) async fn feign_focus(&self, app: &dyn ConnectedApp, window: WindowId) -> Result<()> {
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
    /// [`ErrorCode::Refused`](handeye_core::ErrorCode::Refused) with the seat's reason.
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
    pub(super) async fn lock_seat(&self, of: SeatOf) -> OwnedMutexGuard<()> {
        match of {
            SeatOf::User => self.memory.lock_seat().await,
            SeatOf::Agent => self.own.seat.lock().await,
        }
    }

    /// Whether the caller's own seat can do all of this here. It is made if it is not there.
    pub async fn agent_seat(&self, needed: &[Means]) -> Support {
        let seat = match self.seat_with(SeatOf::Agent, needed) {
            Ok(seat) => seat,
            Err(error) => return Support::No(Missing { reason: error.message.into(), next: error.next }),
        };
        match seat.state().await {
            Ok(_) => {
                self.own.seat.rest_soon();
                Support::Yes
            }
            Err(error) => Support::No(Missing { reason: error.message.into(), next: error.next }),
        }
    }

    /// Has the caller's own seat give up its devices, where an application takes no keys of the user with them.
    pub(super) async fn rest_agent_seat(&self) {
        if let Some(seat) = self.own.seat.made() {
            let _turn = self.own.seat.lock().await;
            seat.rest().await;
        }
    }

    /// Makes a window the active one of a seat, as a person's click on it would. Nothing is lost by that, so nobody is asked.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`](handeye_core::ErrorCode::Refused) with the reason where the seat cannot; as [`Seat::activate`].
    pub async fn bring_forward(&self, seat: &dyn Seat, window: WindowId) -> Result<()> {
        seat.capabilities().require(Means::Activation)?;
        seat.activate(&self.harmless(), window).await
    }
}
