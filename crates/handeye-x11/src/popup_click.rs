//! A click that opens a menu, without the menu taking the keyboard and the pointer of the user.
//!
//! Qt and Chromium grab each pointer of the server and the keyboard of the user for a popup, and do without where another client has them.
//! So this connection has them while the popup opens. What the user does meanwhile waits in the server and arrives when they are released.

use super::aim::Aim;
use super::fault::Outcome;
use super::held_up::HeldUp;
use super::pointer::{check_over, click, go_to_click, hold, number_of, press_once};
use super::user_activity::user_holds_seat;
use super::x_session::XSession;
use handeye_core::{Button, Point, WindowId};
use std::time::{Duration, Instant};
use x11rb::protocol::Event;

/// How long a popup may take to open; as long what the user does waits where none opens.
const OPENS: Duration = Duration::from_millis(300);
/// How long the user may hold a button, or have a menu open, before the click is given up.
const BUSY: Duration = Duration::from_secs(1);
/// How long after it is there a toolkit tries to take the keyboard.
const TAKES: Duration = Duration::from_millis(80);

/// Clicks once.
pub(super) fn click_for_popup(
    session: &mut XSession,
    at: Point,
    button: Button,
    window: WindowId,
) -> Outcome<()> {
    let Some(masters) = session.masters.clone() else {
        return click(session, at, button, 1, Some(window));
    };
    let aim = Aim::at(window)?;
    // All that can take time is done before the input of the user waits.
    go_to_click(session, at, button, Some(window))?;
    hold(session, number_of(button))?;
    session.announce_root_children(true)?;
    let users = [masters.users_pointer, masters.users_keyboard];
    // An application that has them shows a menu of the user, which a click elsewhere may close.
    let held_up = HeldUp::hold(session, &users, BUSY)?;
    let clicked = match &held_up {
        // Another window may have come there meanwhile.
        Some(_) => check_over(session, aim, 0)
            .and_then(|()| press_once(session, button))
            .and_then(|()| await_popup(session, aim)),
        None => Err(user_holds_seat().into()),
    };
    if let Some(held_up) = held_up {
        held_up.let_go(session)?;
    }
    session.announce_root_children(false)?;
    session.guard.let_go(|held| held.buttons.clear())?;
    session.sync()?;
    session.drain_events()?;
    clicked
}

/// Waits until a popup is there, and had time to try for the keyboard.
fn await_popup(session: &XSession, aim: Aim) -> Outcome<()> {
    let until = Instant::now() + OPENS;
    while let Some(event) = session.next_event(until)? {
        if let Event::MapNotify(mapped) = event
            && mapped.override_redirect
            && mapped.window != aim.window()
        {
            return session.pause(TAKES);
        }
    }
    Ok(())
}
