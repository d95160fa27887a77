//! The seat of an action: whether it can do what is needed, and bringing a window forward with it.

use crate::desk::Desk;
use handeye_core::{Means, Result, Seat, WindowId};

impl Desk {
    /// The user's seat, where it can do all of this: asked before a person is, and before anything is touched.
    ///
    /// # Errors
    /// [`ErrorCode::Refused`](handeye_core::ErrorCode::Refused) with the seat's reason.
    pub(super) fn user_seat_with(&self, needed: &[Means]) -> Result<&dyn Seat> {
        let seat = self.platform.seats.user.as_ref();
        let can = seat.capabilities();
        needed.iter().try_for_each(|means| can.require(*means))?;
        Ok(seat)
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
