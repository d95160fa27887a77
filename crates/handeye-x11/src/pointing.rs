//! The moves and presses that a pointer is made of.

use super::agent_cursor::follow;
use super::fault::Outcome;
use super::x_session::XSession;
use handeye_core::{Error, Point};
use x11rb::protocol::xproto::{BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, MOTION_NOTIFY_EVENT};
use x11rb::protocol::xtest::ConnectionExt as _;

/// Puts the pointer to a point that is known to be on the desktop.
pub(super) fn warp(session: &XSession, to: Point) -> Outcome<()> {
    let coordinate = |value: i32| {
        i16::try_from(value)
            .map_err(|_| Error::invalid_parameter("point", format!("{value} is beyond the desktop")))
    };
    let (x, y) = (coordinate(to.x)?, coordinate(to.y)?);
    let absolute = 0;
    session.connection.xtest_fake_input(
        MOTION_NOTIFY_EVENT,
        absolute,
        x11rb::CURRENT_TIME,
        session.root(),
        x,
        y,
        0,
    )?;
    follow(session, to)
}

/// Presses a button, or releases it.
pub(super) fn press(session: &XSession, button: u8, down: bool) -> Outcome<()> {
    let kind = if down { BUTTON_PRESS_EVENT } else { BUTTON_RELEASE_EVENT };
    session.connection.xtest_fake_input(kind, button, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
    Ok(())
}
