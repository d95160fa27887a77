//! A drag: press, way, release.

use super::abandoned::Abandoned;
use super::drag_start::DragStart;
use super::entry::out_of_the_way;
use super::fault::Outcome;
use super::monitors::require_on_a_monitor;
use super::pointer::{MENU_CLOSES, NOTICE, check_reach, hold, leave_menus, move_to, press_down};
use super::pointing::{press, warp};
use super::quiet_drop::{drop_quietly, drop_unseen};
use super::typing::press_escape;
use super::x_session::XSession;
use handeye_core::{DragWay, Error, ErrorCode, Point, Takes, WindowId};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::ConnectionExt as _;

/// Longest drag.
pub(super) const MAX_DRAG: Duration = Duration::from_secs(10);
/// Time between two positions of a drag: about a frame.
const DRAG_STEP: Duration = Duration::from_millis(12);
/// Fewest positions between the ends of a drag; toolkits want to see some before they take it for one.
const MIN_DRAG_STEPS: u32 = 8;
/// The buttons in the state of a pointer (X protocol, `SETofKEYBUTMASK`).
const ANY_BUTTON: u16 = 0x1f00;
/// Time between two motions over the target of a drop.
const DROP_STEP: Duration = Duration::from_millis(25);

/// Presses the left button where that reaches `window`, moves over the duration, releases. The button is released when the caller leaves or
/// something fails, too.
pub(super) fn drag(
    session: &mut XSession,
    way: DragWay,
    window: Option<WindowId>,
    caller: &dyn Abandoned,
) -> Outcome<()> {
    if way.duration > MAX_DRAG {
        let why = format!("{} ms is longer than {} ms", way.duration.as_millis(), MAX_DRAG.as_millis());
        return Err(Error::invalid_parameter("duration_ms", why).into());
    }
    require_on_a_monitor(session, "to", way.to)?;
    leave_menus(session, window)?;
    move_to(session, way.from)?;
    session.pause(NOTICE)?;
    check_reach(session, window, 0)?;
    let mut start = DragStart::watch(session)?;
    let dragged = press_and_pull(session, way, window, (&mut start, caller));
    let abandoned = if dragged.is_err() { abandon_drop(session) } else { Ok(()) };
    let owner = owner_of_dragged(session);
    let is_drop = dragged.is_ok() && matches!(owner, Ok(owner) if owner != x11rb::NONE);
    // The button is released and the input of the user goes on, on every way out.
    let released = match session.masters.clone() {
        Some(masters) if way.takes == Takes::Users && dragged.is_ok() => drop_quietly(session, &masters),
        Some(_) if is_drop => drop_unseen(session),
        _ => press(session, 1, false).and_then(|()| session.sync()),
    };
    let ended = start.end(session);
    released.and(ended)?;
    session.guard.let_go(|held| held.buttons.clear())?;
    dragged.and(abandoned).and(owner.map(drop))
}

fn press_and_pull(
    session: &mut XSession,
    way: DragWay,
    window: Option<WindowId>,
    (start, caller): (&mut DragStart, &dyn Abandoned),
) -> Outcome<()> {
    if way.takes == Takes::UsersIfFree {
        start.hold_user(session)?;
        // Another window may have come there meanwhile.
        check_reach(session, window, 0)?;
    }
    hold(session, 1)?;
    press_down(session, 1)?;
    pull(session, way, start, caller)
}

/// Moves step by step with the button held.
fn pull(session: &XSession, way: DragWay, start: &mut DragStart, caller: &dyn Abandoned) -> Outcome<()> {
    let DragWay { from, to, duration, .. } = way;
    let steps =
        u32::try_from(duration.as_millis() / DRAG_STEP.as_millis()).unwrap_or(u32::MAX).max(MIN_DRAG_STEPS);
    let begun = Instant::now();
    for step in 1..=steps {
        if caller.is_abandoned() {
            return Err(Error::new(ErrorCode::Cancelled, "the caller left during its drag").into());
        }
        warp(session, between(from, to, step, steps))?;
        let due = duration * step / steps;
        session.pause(due.saturating_sub(begun.elapsed()))?;
        start.look(session)?;
    }
    session.sync()?;
    start.wait_until_let_go(session)?;
    // What is dragged and dropped is asked for by the target at a motion, and the source answers, before it may be dropped there.
    if start.is_of_data(session) {
        for beside in [1, 0, 1, 0] {
            session.pause(DROP_STEP)?;
            warp(session, Point::new((to.x - beside).max(0), to.y))?;
        }
    }
    session.pause(NOTICE)
}

/// Whether any button of the pointer is pressed.
fn is_any_pressed(session: &XSession) -> Outcome<bool> {
    let pressed = session.connection.query_pointer(session.root())?.reply()?.mask;
    Ok(u16::from(pressed) & ANY_BUTTON != 0)
}

/// Who has data to drag, by the protocol of drag and drop (XDND). The application that dragged last stays the owner.
fn owner_of_dragged(session: &XSession) -> Outcome<u32> {
    Ok(session.connection.get_selection_owner(session.atoms.XdndSelection)?.reply()?.owner)
}

/// Makes sure that the release of a button drops nothing: what is dragged and dropped is let go of by Escape, over no target.
pub(super) fn abandon_drop(session: &mut XSession) -> Outcome<()> {
    if session.masters.is_none() || !is_any_pressed(session)? || owner_of_dragged(session)? == x11rb::NONE {
        return Ok(());
    }
    press_escape(session)?;
    session.pause(MENU_CLOSES)?;
    let aside = out_of_the_way(session)?;
    warp(session, aside)?;
    session.sync()
}

/// The point after `step` of `steps` equal parts of the way.
fn between(from: Point, to: Point, step: u32, steps: u32) -> Point {
    let part = |from: i32, to: i32| {
        let way = (i64::from(to) - i64::from(from)) * i64::from(step) / i64::from(steps);
        (i64::from(from) + way) as i32
    };
    Point::new(part(from.x, to.x), part(from.y, to.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drag_goes_straight_and_ends_where_it_should() {
        let (from, to) = (Point::new(10, 100), Point::new(110, -100));
        assert_eq!(between(from, to, 1, 10), Point::new(20, 80));
        assert_eq!(between(from, to, 10, 10), to);
        let (far, near) = (Point::new(i32::MAX, 0), Point::new(i32::MIN, 0));
        assert_eq!(between(far, near, 3, 3), near);
    }
}
