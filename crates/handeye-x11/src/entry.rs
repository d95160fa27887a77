//! Brings the pointer of an agent into a window so that no window manager takes it for the user's.
//!
//! Some window managers (i3) make the window active that any pointer enters. While a client holds the pointer, only that client gets its
//! events; when it lets go, the windows are notified of an entry that is the end of a grab, which window managers ignore.

use super::fault::Outcome;
use super::monitors;
use super::pointing::warp;
use super::seat_devices::SeatDevices;
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, Point, Rect};
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

/// Where the pointer of an agent is in nobody's way: over the bare desktop, if it is bare near a corner of a monitor, and never at the edge,
/// where some window managers (`KWin`) wait for the user's pointer, and move that.
pub(super) fn out_of_the_way(session: &XSession) -> Outcome<Point> {
    let monitors = monitors::list(session)?;
    let places: Vec<Point> = monitors.iter().flat_map(|monitor| corners(monitor.area)).collect();
    for point in &places {
        if window_at(session, *point)? == x11rb::NONE {
            return Ok(*point);
        }
    }
    Ok(places.first().copied().unwrap_or(Point::new(FROM_THE_EDGE, FROM_THE_EDGE)))
}

/// Points near the corners of an area, from the upper left one on.
fn corners(area: Rect) -> [Point; 4] {
    let inner = |start: i32, length: u32| {
        let length = i32::try_from(length).unwrap_or(i32::MAX);
        (start + FROM_THE_EDGE.min(length / 2), start + (length - 1 - FROM_THE_EDGE).max(length / 2))
    };
    let ((left, right), (top, bottom)) = (inner(area.x, area.width), inner(area.y, area.height));
    [(left, top), (right, bottom), (left, bottom), (right, top)].map(|(x, y)| Point::new(x, y))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corners_are_inside_of_every_area() {
        for area in [Rect::new(0, 0, 1280, 1024), Rect::new(-1920, 40, 1920, 1080), Rect::new(5, 5, 1, 3)] {
            assert!(
                corners(area).into_iter().all(|point| area.contains(point)),
                "{area:?}: {:?}",
                corners(area)
            );
        }
        let [first, second, ..] = corners(Rect::new(100, 0, 1280, 1024));
        assert_eq!((first, second), (Point::new(108, 8), Point::new(1371, 1015)));
    }
}
