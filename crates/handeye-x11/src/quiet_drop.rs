//! A drop that leaves the focus of the user where it is.
//!
//! Some applications make their window the active one for it (Chromium): the keyboard of the user waits in the server until the focus is
//! where it was. Of the others, the picture that is dragged goes from under the pointer. Some window managers (i3) take that for a pointer that
//! comes into the window below it, and make it the active one: the pointer has gone before.

use super::activate::request_activation;
use super::entry::out_of_the_way;
use super::fault::Outcome;
use super::held_up::HeldUp;
use super::pointing::{press, warp};
use super::seat_devices::SeatDevices;
use super::windows::active;
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

/// How long after a drop an application may take the focus; as long what the user does waits.
const TAKES: Duration = Duration::from_millis(250);
/// How long the user may hold a button before the drop is made nevertheless.
const BUSY: Duration = Duration::from_millis(300);
/// How long a window manager may take to give the focus back.
const GIVEN_BACK: Duration = Duration::from_millis(300);
/// Time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Releases the button of the agent and takes its pointer away, in one go: the release has the place of the drop, and the application has the
/// pointer until it has noticed it.
pub(super) fn drop_unseen(session: &XSession) -> Outcome<()> {
    let aside = out_of_the_way(session);
    press(session, 1, false)?;
    warp(session, aside?)?;
    session.sync()
}

/// Releases the button of the agent, and gives the focus back that the application takes.
pub(super) fn drop_quietly(session: &mut XSession, masters: &SeatDevices) -> Outcome<()> {
    let mut held_up = HeldUp::hold(session, &[masters.users_keyboard], BUSY);
    let added = match &mut held_up {
        // The application may have it for the drag. If it goes on alone, a menu that the user opens by it cannot have the keyboard.
        Ok(Some(held_up)) => held_up.add(session, masters.users_pointer),
        Ok(None) | Err(_) => Ok(()),
    };
    let before = active(session);
    // Released on every way out.
    let dropped = press(session, 1, false).and_then(|()| session.sync());
    let given_back = before.and_then(|before| give_back_taken(session, before));
    if let Some(held_up) = held_up? {
        held_up.let_go(session)?;
    }
    dropped.and(added).and(given_back)
}

/// Waits for as long as an application may take the focus from the window `before`, and has it given back.
fn give_back_taken(session: &XSession, before: Option<Window>) -> Outcome<()> {
    let until = Instant::now() + TAKES;
    while Instant::now() < until {
        match before {
            Some(window) if active(session)? != before => return give_back(session, window),
            _ => session.pause(LOOK_AGAIN)?,
        }
    }
    Ok(())
}

/// Has the window manager make the user's window the active one again.
fn give_back(session: &XSession, window: Window) -> Outcome<()> {
    request_activation(session, window)?;
    let until = Instant::now() + GIVEN_BACK;
    while Instant::now() < until && active(session)? != Some(window) {
        session.pause(LOOK_AGAIN)?;
    }
    Ok(())
}
