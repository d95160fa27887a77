//! Brings the pointer of an agent into a window so that no window manager takes it for the user's.
//!
//! Some window managers (i3) make the window active that any pointer enters. While a client holds the pointer, only that client gets its
//! events; when it lets go, the windows are notified of an entry that is the end of a grab, which window managers ignore.

use super::fault::Outcome;
use super::pointing::warp;
use super::seat_devices::SeatDevices;
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, Point};
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceId, GrabOwner};
use x11rb::protocol::xproto::{ConnectionExt as _, GrabMode, GrabStatus};

/// How far a resting pointer is from the edges of the desktop, in pixels: what waits there is a pixel wide.
const FROM_THE_EDGE: i32 = 8;

/// Moves the pointer of an agent.
pub(super) fn bring(session: &XSession, masters: &SeatDevices, to: Point) -> Outcome<()> {
    if window_under(session)? == window_at(session, to)? {
        return warp(session, to);
    }
    if !hold(session, masters.pointer, GrabMode::ASYNC)? {
        // An application holds it, for a menu: no other window is notified of its moves.
        return warp(session, to);
    }
    let moved = warp(session, to);
    release(session, masters.pointer)?;
    moved?;
    // Toolkits look at a motion, and one of no way is none.
    let beside = Point::new(if to.x > 0 { to.x - 1 } else { to.x + 1 }, to.y);
    warp(session, beside)?;
    warp(session, to)
}

/// Where the pointer of an agent is in nobody's way: over the bare desktop, if it is bare near a corner, and never at the edge, where some
/// window managers (`KWin`) wait for the user's pointer, and move that.
pub(super) fn out_of_the_way(session: &XSession) -> Outcome<Point> {
    let setup = session.connection.get_geometry(session.root())?.reply()?;
    let (right, bottom) = (i32::from(setup.width) - FROM_THE_EDGE, i32::from(setup.height) - FROM_THE_EDGE);
    let first = Point::new(FROM_THE_EDGE, FROM_THE_EDGE);
    for point in [
        first,
        Point::new(right, bottom),
        Point::new(FROM_THE_EDGE, bottom),
        Point::new(right, FROM_THE_EDGE),
    ] {
        if window_at(session, point)? == x11rb::NONE {
            return Ok(point);
        }
    }
    Ok(first)
}

/// The child of the root under the pointer of this connection.
fn window_under(session: &XSession) -> Outcome<u32> {
    Ok(session.connection.query_pointer(session.root())?.reply()?.child)
}

/// The child of the root at a point.
fn window_at(session: &XSession, point: Point) -> Outcome<u32> {
    let coordinate = |value: i32| {
        i16::try_from(value)
            .map_err(|_| Error::new(ErrorCode::InvalidParameter, "a point beyond the desktop"))
    };
    let (x, y) = (coordinate(point.x)?, coordinate(point.y)?);
    Ok(session.connection.translate_coordinates(session.root(), session.root(), x, y)?.reply()?.child)
}

/// Takes a device, so that nobody else can; returns whether nobody else has it. In [`GrabMode::SYNC`] its events wait until it is released.
pub(super) fn hold(session: &XSession, device: DeviceId, mode: GrabMode) -> Outcome<bool> {
    let grab = session.connection.xinput_xi_grab_device(
        session.root(),
        x11rb::CURRENT_TIME,
        x11rb::NONE,
        device,
        mode,
        GrabMode::ASYNC,
        GrabOwner::NO_OWNER,
        &[0],
    )?;
    Ok(grab.reply()?.status == GrabStatus::SUCCESS)
}

/// Gives a device back.
pub(super) fn release(session: &XSession, device: DeviceId) -> Outcome<()> {
    session.connection.xinput_xi_ungrab_device(x11rb::CURRENT_TIME, device)?;
    Ok(())
}

/// Whether another client holds the pointer of the agent, as for a menu.
pub(super) fn is_held_by_another(session: &XSession, masters: &SeatDevices) -> Outcome<bool> {
    if !hold(session, masters.pointer, GrabMode::ASYNC)? {
        return Ok(true);
    }
    release(session, masters.pointer)?;
    Ok(false)
}
