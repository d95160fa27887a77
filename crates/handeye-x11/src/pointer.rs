//! The pointer: moves, clicks and the wheel.

use super::aim::Aim;
use super::entry::{bring, is_held_by_another};
use super::fault::Outcome;
use super::held_up::{is_held_up, wait_until_let_go};
use super::monitors::require_on_a_monitor;
use super::pointing::{press, warp};
use super::shield::press_shielded;
use super::stack::is_popup;
use super::typing::{press_escape, require_test_input};
use super::user_activity::wait_for_user;
use super::x_session::XSession;
use handeye_core::{Button, Error, ErrorCode, Invocation, Point, WindowId, text};
use std::time::{Duration, Instant};

/// Most clicks of one call; toolkits know up to three.
const MAX_CLICKS: u32 = 10;
/// Most menus within each other that are closed.
const MOST_MENUS: usize = 6;
/// Time for an application to close a menu.
pub(super) const MENU_CLOSES: Duration = Duration::from_millis(40);
/// Most notches of the wheel of one call, in each direction.
const MAX_NOTCHES: u32 = 100;
/// Time for an application to notice where the pointer is, before something is pressed or released there.
pub(super) const NOTICE: Duration = Duration::from_millis(12);
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
pub(super) fn leave_menus(session: &mut XSession, window: Option<WindowId>) -> Outcome<()> {
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
pub(super) fn check_reach(session: &XSession, window: Option<WindowId>, done: u32) -> Outcome<()> {
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

/// Presses a button. Of an agent's press no window manager is notified.
pub(super) fn press_down(session: &XSession, button: u8) -> Outcome<()> {
    match &session.masters {
        Some(masters) => {
            // A press that waits would arrive when its shield is gone.
            wait_until_let_go(session)?;
            press_shielded(session, masters.pointer, button)
        }
        None => press(session, button, true),
    }
}
