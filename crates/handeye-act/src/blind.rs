//! Input into a window that shows no accessibility tree: nothing can be looked up before it, and nothing be observed after it.

use super::confirm::{Deed, Stroke};
use super::journal::{Entry, Fate, Revert};
use super::point_target::PointTarget;
use super::pointer::Gesture;
use super::route::{Route, SeatOf};
use crate::authorize::Whom;
use crate::desk::Desk;
use crate::effect::Status;
use crate::own_seat::Opens;
use crate::record::About;
use handeye_call::call::Call;
use handeye_core::{Chord, Error, ErrorCode, Means, Result, Window};
use std::time::SystemTime;

impl Desk {
    /// Has the pointer do something at a point that no tree describes, and returns the point as it was then.
    ///
    /// # Errors
    /// As the guard; [`ErrorCode::StaleScreenshot`](handeye_core::ErrorCode::StaleScreenshot) if the point is not what the picture showed.
    pub async fn point_blindly(
        &self,
        call: &Call,
        place: &PointTarget,
        gesture: Gesture,
        of: SeatOf,
    ) -> Result<PointTarget> {
        let seat = self.seat_with(of, place.needs())?;
        let pid = place.window.as_ref().and_then(|window| window.pid);
        let about = About::blind(pid, Some(place.point));
        let deed = if gesture == Gesture::Hover { Deed::Hover { over: None } } else { place.blind() };
        let grant = self.authorize(call, Whom::Window(place.window.as_ref()), &deed, about).await?;
        let clicking = async {
            let _held = self.lock_seat(of).await;
            match of {
                SeatOf::User => self.let_hear_user(pid).await?,
                SeatOf::Agent => self.ready_unlisted(place.window.as_ref()).await?,
            }
            let place = place.bring_up(self, of).await?;
            gesture.perform((seat.as_ref(), &grant), (place.point, place.window_id()), false).await?;
            if of == SeatOf::Agent {
                let opens =
                    if gesture == Gesture::Hover { Opens::UnderPointer } else { self.own.seat.opened() };
                self.own.seat.note_opened(opens);
            }
            self.write_down_blind(call, place.window.as_ref().and_then(|window| window.pid), of);
            Ok(place)
        };
        let clicked: Result<PointTarget> = clicking.await;
        grant.ended_with(clicked.as_ref().map(|_| Status::Unconfirmed)).await;
        clicked
    }

    /// Presses a key in the active window, which shows no tree.
    ///
    /// # Errors
    /// As the guard and [`Seat::key`](handeye_core::Seat::key).
    pub async fn press_blindly(&self, call: &Call, chord: &Chord, stroke: Stroke) -> Result<()> {
        let seat = self.seat_with(SeatOf::User, &[Means::Keys])?;
        let deed = Deed::Keys { strokes: vec![stroke], holder: None };
        let held = self.memory.lock_seat().await;
        let active = self.judged_window().await?;
        self.let_hear_user(active.as_ref().and_then(|window| window.pid)).await?;
        let ruled = self.guard.trust().rules().restrict();
        let about = About::blind(active.as_ref().and_then(|window| window.pid), None);
        let grant = self.authorize(call, Whom::Window(active.as_ref()), &deed, about).await?;
        // Another window may have come forward since that was judged.
        let pressed = seat.key(&grant, chord, active.filter(|_| ruled).map(|window| window.id)).await;
        drop(held);
        grant.ended_with(pressed.as_ref().map(|()| Status::Unconfirmed)).await;
        pressed?;
        self.write_down_blind(call, None, SeatOf::User);
        Ok(())
    }

    /// The window that has the keyboard: rules depend on whose it is, and a prompt for rights needs a person's yes. `None` where it is not
    /// known and there are no rules.
    ///
    /// # Errors
    /// [`ErrorCode::Blocked`] if there are rules and it is not known.
    pub(super) async fn judged_window(&self) -> Result<Option<Window>> {
        if !self.guard.trust().rules().restrict() {
            return Ok(self.guard.active_window().await.unwrap_or_else(|error| {
                tracing::debug!(code = error.code.as_str(), "the active window is not known");
                None
            }));
        }
        let unknown = || {
            Error::new(
                ErrorCode::Blocked,
                "it is not known which window has the keyboard, and rules depend on that: nothing was done",
            )
            .with_next("Name the application that the key is for.")
        };
        self.guard.active_window().await?.map(Some).ok_or_else(unknown)
    }

    fn write_down_blind(&self, call: &Call, pid: Option<u32>, of: SeatOf) {
        let number = self.own.journal.write(Entry {
            number: 0,
            tool: call.tool,
            at: SystemTime::now(),
            application: String::new(),
            pid,
            reference: None,
            watched: None,
            route: Route::Seat(of),
            before: None,
            after: None,
            status: Some(Status::Unconfirmed),
            revert: Revert::Impossible,
            fate: Fate::Stands,
        });
        call.trail.acted(number);
    }
}
