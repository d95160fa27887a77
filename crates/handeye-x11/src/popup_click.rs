//! A click that opens a menu, without the menu taking the keyboard and the pointer of the user.
//!
//! Qt and Chromium grab each pointer of the server and the keyboard of the user for a popup, and do without where another client has them.
//! So this connection has them while the popup opens. What the user does meanwhile waits in the server and arrives when they are released.

use super::aim::Aim;
use super::fault::Outcome;
use super::held_up::HeldUp;
use super::pointer::{CLICK_PAUSE, check_count, check_over, click, go_to_click, hold, number_of, press_once};
use super::user_activity::user_holds_seat;
use super::x_session::XSession;
use handeye_core::{Button, Error, ErrorCode, Point, WindowId};
use std::time::{Duration, Instant};
use x11rb::protocol::Event;

/// How long a popup may take to open; as long what the user does waits where none opens.
const OPENS: Duration = Duration::from_millis(300);
/// How long the user may hold a button, or have a menu open, before the click is given up.
const BUSY: Duration = Duration::from_secs(1);
/// How long after it is there a toolkit tries to take the keyboard.
const TAKES: Duration = Duration::from_millis(80);

/// Clicks so many times.
pub(super) fn click_for_popup(
    session: &mut XSession,
    at: Point,
    (button, count): (Button, u32),
    window: WindowId,
) -> Outcome<()> {
    let Some(masters) = session.masters.clone() else {
        return click(session, at, button, count, Some(window));
    };
    check_count(count)?;
    let aim = Aim::at(window)?;
    // All that can take time is done before the input of the user waits.
    go_to_click(session, at, button, Some(window))?;
    let Some(mut held_up) = HeldUp::turn(session, BUSY)? else { return Err(others_act().into()) };
    hold(session, number_of(button))?;
    // An application that has them shows a menu of the user, which a click elsewhere may close.
    let clicked = match held_up.take(session, &[masters.users_pointer, masters.users_keyboard], BUSY) {
        Ok(true) => press_and_await(session, at, (button, count), aim),
        Ok(false) => Err(user_holds_seat().into()),
        Err(fault) => Err(fault),
    };
    held_up.let_go(session)?;
    session.announce_root_children(false)?;
    session.guard.let_go(|held| held.buttons.clear())?;
    session.sync()?;
    session.drain_events()?;
    clicked
}

fn press_and_await(
    session: &mut XSession,
    at: Point,
    (button, count): (Button, u32),
    aim: Aim,
) -> Outcome<()> {
    session.announce_root_children(true)?;
    press_all(session, at, (button, count), aim)?;
    await_popup(session, aim)
}

fn press_all(session: &mut XSession, at: Point, (button, count): (Button, u32), aim: Aim) -> Outcome<()> {
    for turn in 0..count {
        if turn > 0 {
            session.pause(CLICK_PAUSE)?;
        }
        // Another window may have come there meanwhile.
        check_over(session, aim, turn)?;
        press_once(session, at, button, turn)?;
    }
    Ok(())
}

fn others_act() -> Error {
    let why =
        "nothing was pressed: another agent opens a menu, or its pointer and keyboard are being removed";
    Error::new(ErrorCode::Timeout, why).with_next("Try again in a moment.")
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
