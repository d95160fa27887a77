//! Whether the user is at work in the window that an agent is about to act in. Both in one field would spoil it for both.

use super::aim::Aim;
use super::fault::{Outcome, Vanished};
use super::x_session::XSession;
use handeye_core::{Error, WindowId};
use std::time::{Duration, Instant};
use x11rb::protocol::sync::{ConnectionExt as _, Counter, Int64};
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceId};

/// How long after the user's last key an agent may act in the same window.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an action waits for that.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// How long after a click a window manager may make its window the active one.
const CHOOSES: Duration = Duration::from_millis(250);
/// Time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Waits until the user has typed nothing in the window for a while.
///
/// # Errors
/// [`ErrorCode::UserActive`](handeye_core::ErrorCode::UserActive) with the time after which it may be tried again.
pub(super) fn wait_for_user(session: &XSession, aim: Aim) -> Outcome<()> {
    let Some(masters) = &session.masters else { return Ok(()) };
    let until = Instant::now() + PATIENCE;
    loop {
        let Some(left) = left_of_pause(session, aim, masters.users_keyboard)? else { return Ok(()) };
        if Instant::now() >= until {
            return Err(Error::user_active("the user types in this window", left).into());
        }
        session.pause(left.min(LOOK_AGAIN))?;
    }
}

/// How much of the pause is left, where the focus of the user is in the window and the user types.
fn left_of_pause(session: &XSession, aim: Aim, keyboard: DeviceId) -> Outcome<Option<Duration>> {
    let focus = session.connection.xinput_xi_get_focus(keyboard)?.reply()?.focus;
    if !aim.holds(session, focus)? {
        return Ok(None);
    }
    let Some(idle) = idle_time(session, keyboard)? else { return Ok(None) };
    Ok(Some(PAUSE.saturating_sub(idle)).filter(|left| !left.is_zero()))
}

/// How long ago the last event of a device was; `None` where the server does not count that.
pub(super) fn idle_time(session: &XSession, device: DeviceId) -> Outcome<Option<Duration>> {
    if !session.extensions.counters {
        return Ok(None);
    }
    let name = format!("DEVICEIDLETIME {device}");
    let counters = session.connection.sync_list_system_counters()?.reply()?.counters;
    let Some(counter) = counters.iter().find(|counter| counter.name == name.as_bytes()) else {
        return Ok(None);
    };
    Ok(value(session, counter.counter)?.map(Duration::from_millis))
}

fn value(session: &XSession, counter: Counter) -> Outcome<Option<u64>> {
    let reply = session.connection.sync_query_counter(counter)?.reply().if_there()?;
    Ok(reply.map(|reply| milliseconds(reply.counter_value)))
}

/// A counter that is never negative.
fn milliseconds(Int64 { hi, lo }: Int64) -> u64 {
    (u64::from(hi.unsigned_abs()) << 32) | u64::from(lo)
}

/// The refusal of what cannot be done while the user holds a button or has a menu open.
pub(super) fn user_holds_seat() -> Error {
    Error::user_active("the user holds a button of the pointer or has a menu open", PAUSE)
}

/// Whether the user's pointer is in the window and was used a moment ago.
pub(super) fn was_chosen(session: &XSession, window: WindowId) -> Outcome<bool> {
    let pointer = session.connection.xinput_xi_get_client_pointer(x11rb::NONE)?.reply()?.deviceid;
    let idle = idle_time(session, pointer)?;
    Ok(idle.is_some_and(|idle| idle < CHOOSES) && Aim::at(window)?.pointer_is_elsewhere(session)?.is_none())
}
