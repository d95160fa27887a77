//! Closing a menu that holds the keyboard, without a key that could reach another client.

use super::fault::Outcome;
use super::held_up::is_held_up;
use super::keyboard::{Keymap, press};
use super::stack::popups;
use super::x_session::XSession;
use handeye_core::{Dismissal, Rect, Window, WindowId};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, GrabMode, GrabStatus, Keycode};
use xkeysym::Keysym;

/// Presses Escape if the keyboard is held while `popup` is open, and only then; see
/// [`Seat::dismiss`](handeye_core::Seat::dismiss).
pub(super) fn dismiss(session: &XSession, popup: WindowId) -> Outcome<Dismissal> {
    let keymap = Keymap::read(session)?;
    let Some(escape) = keymap.stroke(Keysym::Escape.raw()).filter(|stroke| !stroke.shifted) else {
        return Ok(Dismissal::Unsure);
    };
    // As long as the server serves this connection only, no other client can take or give back the keyboard. The client that holds it
    // when that is looked at gets the key.
    session.connection.grab_server()?;
    let dismissed = press_if_held(session, popup, escape.code);
    session.connection.ungrab_server()?;
    session.connection.flush()?;
    dismissed
}

fn press_if_held(session: &XSession, popup: WindowId, escape: Keycode) -> Outcome<Dismissal> {
    let root = session.connection.get_geometry(session.root())?.reply()?;
    let screen = Rect::new(0, 0, root.width.into(), root.height.into());
    let open: Vec<Window> = popups(session)?.into_iter().filter(|open| is_seen(open, &screen)).collect();
    let Some(owner) = open.iter().find(|open| open.id == popup).map(|open| open.pid) else {
        return Ok(Dismissal::Free);
    };
    let mode = GrabMode::ASYNC;
    let grab =
        session.connection.grab_keyboard(false, session.root(), x11rb::CURRENT_TIME, mode, mode)?.reply()?;
    if grab.status == GrabStatus::SUCCESS {
        session.connection.ungrab_keyboard(x11rb::CURRENT_TIME)?;
        return Ok(Dismissal::Free);
    }
    // A client of ours may have the keyboard, and no menu.
    if is_held_up(session)? {
        return Ok(Dismissal::Unsure);
    }
    let is_held = grab.status == GrabStatus::ALREADY_GRABBED || grab.status == GrabStatus::FROZEN;
    if !is_held || open.iter().any(|open| open.pid != owner) {
        return Ok(Dismissal::Unsure);
    }
    press(session, escape, true)?;
    press(session, escape, false)?;
    Ok(Dismissal::Pressed)
}

/// Whether any of it is on the screen: window managers keep a window of one pixel outside of it.
fn is_seen(window: &Window, screen: &Rect) -> bool {
    let seen = window.frame().and_then(|frame| frame.intersection(screen));
    seen.is_some_and(|seen| seen.width > 1 && seen.height > 1)
}
