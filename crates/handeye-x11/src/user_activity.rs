//! Whether the user is at work in the window that an agent is about to act in. Both in one field would spoil it for both.

use super::aim::Aim;
use super::fault::{Outcome, Vanished};
use super::x_session::XSession;
use handeye_core::Error;
use std::time::{Duration, Instant};
use x11rb::protocol::sync::{ConnectionExt as _, Counter, Int64};
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceId};

/// How long after the user's last key an agent may act in the same window.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an action waits for that.
const PATIENCE: Duration = Duration::from_millis(1_500);
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
fn idle_time(session: &XSession, device: DeviceId) -> Outcome<Option<Duration>> {
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
