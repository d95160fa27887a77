//! The pointer: moves, clicks, drags and the wheel.

use super::abandoned::Abandoned;
use super::aim::Aim;
use super::entry::{bring, is_held_by_another, out_of_the_way};
use super::fault::Outcome;
use super::held_up::{is_held_up, wait_until_let_go};
use super::monitors::require_on_a_monitor;
use super::pointing::{press, warp};
use super::quiet_drop::{drop_quietly, drop_unseen};
use super::shield::press_shielded;
use super::stack::is_popup;
use super::typing::{press_escape, require_test_input};
use super::user_activity::wait_for_user;
use super::x_session::XSession;
use handeye_core::{Button, Error, ErrorCode, Invocation, Point, WindowId, text};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::ConnectionExt as _;

/// Most clicks of one call; toolkits know up to three.
const MAX_CLICKS: u32 = 10;
/// Most menus within each other that are closed.
const MOST_MENUS: usize = 6;
/// Time for an application to close a menu.
const MENU_CLOSES: Duration = Duration::from_millis(40);
/// Most notches of the wheel of one call, in each direction.
const MAX_NOTCHES: u32 = 100;
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
/// Time for an application to notice where the pointer is, before something is pressed or released there.
const NOTICE: Duration = Duration::from_millis(12);
/// Time between press and release, and between two clicks: well within a double click.
pub(super) const CLICK_PAUSE: Duration = Duration::from_millis(12);
/// Clicks that follow each other more quickly than this are one double click: 500 ms at most where toolkits do not ask for the user's
/// setting, and some for what the application is late.
const DOUBLE_CLICK: Duration = Duration::from_millis(550);
/// The same after a double click, for which GTK 3 waits twice as long to make a triple click of it.
const TRIPLE_CLICK: Duration = Duration::from_millis(950);
/// How far apart they may be for that, in pixels: toolkits have 4 to 10.
const SAME_PLACE: i32 = 12;

/// Moves the pointer.
pub(super) fn move_to(session: &mut XSession, to: Point) -> Outcome<()> {
    require_test_input(session)?;
    require_on_a_monitor(session, "point", to)?;
    // A pointer that waits looks as if an application held it.
    wait_until_let_go(session)?;
    match &session.masters {
        Some(masters) => bring(session, masters, to)?,
        None => warp(session, to)?,
    }
    session.sync()?;
    // A move waits in the server too while another client removes the seat of an agent.
    wait_until_let_go(session)
}

/// Makes an agent's pointer free for what is outside of a menu that it has open: another press would only close that.
fn leave_menus(session: &mut XSession, window: Option<WindowId>) -> Outcome<()> {
    let (Some(masters), Some(window)) = (session.masters.clone(), window) else { return Ok(()) };
    for _ in 0..MOST_MENUS {
        // Another client may have this pointer wait, which looks like a menu.
        wait_until_let_go(session)?;
        if is_popup(session, window)? || !is_held_by_another(session, &masters)? {
            return Ok(());
        }
        if is_held_up(session)? {
            continue;
        }
        press_escape(session)?;
        session.pause(MENU_CLOSES)?;
    }
    if is_held_by_another(session, &masters)? {
        let why =
            "nothing was pressed: another program holds the agent's pointer, and Escape does not end that";
        return Err(Error::new(ErrorCode::Refused, why)
            .with_next("Close the menu or the dialog that is open, then try again.")
            .into());
    }
    Ok(())
}

/// Moves the pointer to `at` and clicks `count` times, as long as that reaches `window`.
pub(super) fn click(
    session: &mut XSession,
    at: Point,
    button: Button,
    count: u32,
    window: Option<WindowId>,
) -> Outcome<()> {
    check_count(count)?;
    go_to_click(session, at, button, window)?;
    for turn in 0..count {
        if turn > 0 {
            session.pause(CLICK_PAUSE)?;
            check_reach(session, window, turn)?;
        }
        hold(session, number_of(button))?;
        press_once(session, at, button, turn)?;
        session.guard.let_go(|held| held.buttons.clear())?;
    }
    Ok(())
}

/// Makes sure that there can be so many clicks.
pub(super) fn check_count(count: u32) -> Outcome<()> {
    if (1..=MAX_CLICKS).contains(&count) {
        return Ok(());
    }
    Err(Error::invalid_parameter("count", format!("{count} is not between 1 and {MAX_CLICKS}")).into())
}

/// Moves the pointer to where it is about to click, when that begins a series of its own and reaches `window`.
pub(super) fn go_to_click(
    session: &mut XSession,
    at: Point,
    button: Button,
    window: Option<WindowId>,
) -> Outcome<()> {
    go_to(session, at, window)?;
    session.pause(left_of_last_click(session, at, button))?;
    check_reach(session, window, 0)
}

/// Moves the pointer to `at`, where that is in `window`.
pub(super) fn go_to(session: &mut XSession, at: Point, window: Option<WindowId>) -> Outcome<()> {
    leave_menus(session, window)?;
    move_to(session, at)?;
    session.pause(NOTICE)?;
    check_reach(session, window, 0)
}

/// Presses a button at `at` and releases it, after so many clicks of the same series.
pub(super) fn press_once(session: &mut XSession, at: Point, button: Button, done: u32) -> Outcome<()> {
    let number = number_of(button);
    let pressed = press_down(session, number).and_then(|()| session.pause(CLICK_PAUSE));
    press(session, number, false)?;
    session.sync()?;
    let series = if done == 0 { DOUBLE_CLICK } else { TRIPLE_CLICK };
    session.last_click = Some((at, button, Instant::now() + series));
    pressed
}

pub(super) const fn number_of(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}

/// How long a click has to wait in order to be one of its own, and not the second half of a double click with the one before.
fn left_of_last_click(session: &XSession, at: Point, button: Button) -> Duration {
    match session.last_click {
        Some((place, by, until))
            if by == button
                && (place.x - at.x).abs() <= SAME_PLACE
                && (place.y - at.y).abs() <= SAME_PLACE =>
        {
            until.saturating_duration_since(Instant::now())
        }
        _ => Duration::ZERO,
    }
}

/// Presses the left button where that reaches `window`, moves over `duration`, releases. The button is released when the
/// caller leaves or something fails, too.
pub(super) fn drag(
    session: &mut XSession,
    (from, to): (Point, Point),
    duration: Duration,
    window: Option<WindowId>,
    caller: &dyn Abandoned,
) -> Outcome<()> {
    if duration > MAX_DRAG {
        let why = format!("{} ms is longer than {} ms", duration.as_millis(), MAX_DRAG.as_millis());
        return Err(Error::invalid_parameter("duration_ms", why).into());
    }
    require_on_a_monitor(session, "to", to)?;
    leave_menus(session, window)?;
    move_to(session, from)?;
    session.pause(NOTICE)?;
    check_reach(session, window, 0)?;
    hold(session, 1)?;
    press_down(session, 1)?;
    let dragged = pull(session, from, to, duration, caller);
    let abandoned = if dragged.is_err() { abandon_drop(session) } else { Ok(()) };
    let owner = owner_of_dragged(session);
    let is_drop = dragged.is_ok() && matches!(owner, Ok(owner) if owner != x11rb::NONE);
    // Released on every way out.
    match session.masters.clone() {
        Some(masters) if session.feigned.is_some() && dragged.is_ok() => drop_quietly(session, &masters)?,
        Some(_) if is_drop => drop_unseen(session)?,
        _ => press(session, 1, false).and_then(|()| session.sync())?,
    }
    session.guard.let_go(|held| held.buttons.clear())?;
    dragged.and(abandoned).and(owner.map(drop))
}

/// Turns the wheel at `at`, where that reaches `window`; positive `dy` scrolls down, positive `dx` right, in notches.
pub(super) fn wheel(
    session: &mut XSession,
    at: Point,
    dx: i32,
    dy: i32,
    window: Option<WindowId>,
) -> Outcome<()> {
    for (name, notches) in [("dx", dx), ("dy", dy)] {
        if notches.unsigned_abs() > MAX_NOTCHES {
            let why = format!("{notches} notches are more than {MAX_NOTCHES}");
            return Err(Error::invalid_parameter(name, why).into());
        }
    }
    move_to(session, at)?;
    session.pause(NOTICE)?;
    check_reach(session, window, 0)?;
    let vertical = if dy < 0 { 4 } else { 5 };
    let horizontal = if dx < 0 { 6 } else { 7 };
    for (button, notches) in [(vertical, dy), (horizontal, dx)] {
        if notches != 0 {
            hold(session, button)?;
        }
        for _ in 0..notches.unsigned_abs() {
            press_down(session, button)?;
            press(session, button, false)?;
        }
    }
    session.sync()?;
    session.guard.let_go(|held| held.buttons.clear())
}

/// Makes sure that a press where the pointer is reaches `window`, after so many clicks that were done.
fn check_reach(session: &XSession, window: Option<WindowId>, done: u32) -> Outcome<()> {
    let Some(window) = window else { return Ok(()) };
    let aim = Aim::at(window)?;
    wait_for_user(session, aim)?;
    check_over(session, aim, done)
}

/// Makes sure that the pointer is over this window.
pub(super) fn check_over(session: &XSession, aim: Aim, done: u32) -> Outcome<()> {
    let Some(over) = aim.pointer_is_elsewhere(session)? else { return Ok(()) };
    let error = if done == 0 {
        Error::new(ErrorCode::Refused, format!("nothing was pressed: {over} is at this point by now"))
    } else {
        let message = format!("{done} of the clicks were done, then {over} came to this point");
        Error::new(ErrorCode::ActionFailed, message)
    };
    Err(error
        .with_next(text![
            Invocation::of("ax_list_windows"),
            " shows what is on top; close or move it, then try again."
        ])
        .into())
}

/// Makes sure that a button will be released, before it is pressed.
pub(super) fn hold(session: &mut XSession, button: u8) -> Outcome<()> {
    session.guard.hold(|held| {
        if !held.buttons.contains(&button) {
            held.buttons.push(button);
        }
    })
}

/// Moves step by step with the button held.
fn pull(
    session: &XSession,
    from: Point,
    to: Point,
    duration: Duration,
    caller: &dyn Abandoned,
) -> Outcome<()> {
    let steps =
        u32::try_from(duration.as_millis() / DRAG_STEP.as_millis()).unwrap_or(u32::MAX).max(MIN_DRAG_STEPS);
    let earlier = owner_of_dragged(session)?;
    let begun = Instant::now();
    for step in 1..=steps {
        if caller.is_abandoned() {
            return Err(Error::new(ErrorCode::Cancelled, "the caller left during its drag").into());
        }
        warp(session, between(from, to, step, steps))?;
        let due = duration * step / steps;
        session.pause(due.saturating_sub(begun.elapsed()))?;
    }
    session.sync()?;
    // What is dragged and dropped is asked for by the target at a motion, and the source answers, before it may be dropped there.
    let holder = owner_of_dragged(session)?;
    if holder != x11rb::NONE && holder != earlier {
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

/// Presses a button. Of an agent's press no window manager is notified.
fn press_down(session: &XSession, button: u8) -> Outcome<()> {
    match &session.masters {
        Some(masters) => {
            // A press that waits would arrive when its shield is gone.
            wait_until_let_go(session)?;
            press_shielded(session, masters.pointer, button)
        }
        None => press(session, button, true),
    }
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
