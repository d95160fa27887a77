//! Makes a window the active one.

use super::aim::named;
use super::fault::{Outcome, Vanished};
use super::windows::{active, describe, has_manager};
use super::x_session::XSession;
use handeye_core::{Argument, Error, ErrorCode, Invocation, WindowId, text};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, EventMask,
    InputFocus, MapState, PropMode, StackMode, Timestamp, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

/// How long a window may take to become active and to get the keyboard.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is looked whether it has.
const INTERVAL: Duration = Duration::from_millis(4);
/// Says that a request comes from a tool that acts for the user, which window managers obey (EWMH).
const SOURCE_PAGER: u32 = 2;
/// How far the keyboard focus may be nested inside a window.
const MAX_NESTING: usize = 32;

/// Makes `window` the active one, brings it up if it is minimized, and waits until it has the keyboard.
pub(super) fn activate(session: &mut XSession, window: WindowId) -> Outcome<()> {
    let target = u32::try_from(window.number()).unwrap_or(x11rb::NONE);
    if session.connection.get_window_attributes(target)?.reply().if_there()?.is_none() {
        return Err(Error::new(ErrorCode::WindowNotFound, format!("there is no window {}", window.number()))
            .with_next(text![
                "List the windows (",
                Invocation::of("ax_list_windows"),
                "): it may have been closed."
            ])
            .into());
    }
    let managed = has_manager(session)?;
    let time = server_time(session)?;
    if managed {
        ask_manager(session, target, time)?;
    } else {
        take_focus(session, target, time)?;
    }
    let until = Instant::now() + PATIENCE;
    loop {
        if (!managed || active(session)? == Some(target)) && has_keyboard(session, target)? {
            return Ok(());
        }
        if Instant::now() >= until {
            return Err(never_active(session, target)?.into());
        }
        session.pause(INTERVAL)?;
    }
}

/// Asks the window manager to make a window the active one, without waiting for it.
pub(super) fn request_activation(session: &XSession, window: Window) -> Outcome<()> {
    let time = server_time(session)?;
    ask_manager(session, window, time)
}

fn ask_manager(session: &XSession, target: Window, time: Timestamp) -> Outcome<()> {
    let current = active(session)?.unwrap_or(x11rb::NONE);
    let message = ClientMessageEvent::new(
        32,
        target,
        session.atoms._NET_ACTIVE_WINDOW,
        [SOURCE_PAGER, time, current, 0, 0],
    );
    let listeners = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
    session.connection.send_event(false, session.root(), listeners, message)?;
    Ok(())
}

/// Does what a window manager would do, where none runs.
fn take_focus(session: &XSession, target: Window, time: Timestamp) -> Outcome<()> {
    let connection = &session.connection;
    connection.map_window(target)?;
    connection.configure_window(target, &ConfigureWindowAux::new().stack_mode(StackMode::ABOVE))?;
    session.sync()?;
    connection.set_input_focus(InputFocus::PARENT, target, time)?.check().if_there()?;
    Ok(())
}

/// Whether the keyboard focus is at the window or inside of it.
fn has_keyboard(session: &XSession, target: Window) -> Outcome<bool> {
    let mut window = session.connection.get_input_focus()?.reply()?.focus;
    for _ in 0..MAX_NESTING {
        if window == target {
            return Ok(true);
        }
        match session.connection.query_tree(window)?.reply().if_there()? {
            Some(tree) if tree.parent != x11rb::NONE => window = tree.parent,
            _ => return Ok(false),
        }
    }
    Ok(false)
}

fn never_active(session: &XSession, target: Window) -> Outcome<Error> {
    let attributes = session.connection.get_window_attributes(target)?.reply().if_there()?;
    let why = match attributes.map(|attributes| attributes.map_state) {
        None => "it was closed meanwhile",
        Some(MapState::VIEWABLE) => "the window manager or the application did not let it have the keyboard",
        Some(_) => "it was not brought up: it is minimized, hidden or on another virtual desktop",
    };
    let titled = |window| -> Outcome<String> {
        Ok(describe(session, &[window])?
            .pop()
            .map_or_else(|| format!("window {window}"), |found| named(&found.title)))
    };
    let error = Error::new(
        ErrorCode::Refused,
        format!("{} did not become active within {} ms: {why}", titled(target)?, PATIENCE.as_millis()),
    );
    Ok(match active(session)? {
        Some(other) => error.with_found([format!("the active one is {}", titled(other)?)]),
        None => error,
    }
    .with_next(text![
        "Close a dialog that may be in the way, or use ",
        Argument::new("mode", "background"),
        ", which needs no active window."
    ]))
}

/// The server's clock, which window managers compare requests by. Each notification of a changed property contains it.
pub(super) fn server_time(session: &XSession) -> Outcome<Timestamp> {
    let (connection, atom) = (&session.connection, session.atoms._HANDEYE_TIME);
    let probe: Window = connection.generate_id()?;
    let listening = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    connection.create_window(
        0,
        probe,
        session.root(),
        -1,
        -1,
        1,
        1,
        0,
        WindowClass::INPUT_ONLY,
        0,
        &listening,
    )?;
    connection.change_property32(PropMode::REPLACE, probe, atom, AtomEnum::CARDINAL, &[0])?;
    connection.destroy_window(probe)?;
    let until = Instant::now() + PATIENCE;
    while let Some(event) = session.next_event(until)? {
        if let Event::PropertyNotify(change) = event
            && change.window == probe
        {
            return Ok(change.time);
        }
    }
    Ok(x11rb::CURRENT_TIME)
}
