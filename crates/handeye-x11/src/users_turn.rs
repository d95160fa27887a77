//! A moment in which the application that the user is in has worked off all that the user did.
//!
//! A key can open a menu, for which the application takes the keyboard of the user. It cannot while this client has it, and the next key
//! would be one of the window. So that keyboard is not taken before the application has answered.

use super::fault::Outcome;
use super::ping::{ping, pingable};
use super::user_activity::idle_time;
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceId};

/// How long the application may take to answer.
const PATIENCE: Duration = Duration::from_millis(200);
/// The counter of the server counts whole milliseconds.
const TICK: Duration = Duration::from_millis(1);

/// When the application began to be asked that has answered since.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answered {
    asked: Instant,
    keyboard: DeviceId,
}

impl Answered {
    /// Asks the application whose window has the focus of the user. One that does not answer counts as if it had.
    pub(super) fn by_users_application(session: &mut XSession, keyboard: DeviceId) -> Outcome<Self> {
        let asked = Instant::now();
        let focus = session.connection.xinput_xi_get_focus(keyboard)?.reply()?.focus;
        if let Some(window) = pingable(session, focus)? {
            let pong = ping(session, window, PATIENCE)?;
            tracing::trace!(?pong, window, "the application that the user is in was asked");
        }
        Ok(Self { asked, keyboard })
    }

    /// Whether the user has pressed or released no key since. Where the server does not count that, nobody knows, and it is taken for so.
    pub(super) fn still_holds(self, session: &XSession) -> Outcome<bool> {
        let idle = idle_time(session, self.keyboard)?;
        Ok(idle.is_none_or(|idle| idle > self.asked.elapsed() + TICK))
    }
}
