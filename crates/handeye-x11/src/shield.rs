//! Presses a button of an agent's pointer so that the application gets it and the window manager does not.
//!
//! "Click to focus" is a passive grab of the window manager, of whichever pointer. A grab of ours on the same windows, for this one pointer,
//! is newer and more specific, so it takes the press first; each has the server go on with the press past itself, down to the application.

use super::fault::{Outcome, Vanished};
use super::pointing::press;
use super::x_session::XSession;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xinput::{
    ConnectionExt as _, DeviceId, EventMode, GrabMode22, GrabOwner, GrabType, ModifierMask, XIEventMask,
};
use x11rb::protocol::xproto::{ConnectionExt as _, GrabMode, Window};

/// Every button.
const ANY_BUTTON: u32 = 0;
/// Most windows that the one under the pointer may be nested in.
const MAX_NESTING: usize = 32;

/// Presses a button of the agent's pointer.
pub(super) fn press_shielded(session: &XSession, pointer: DeviceId, button: u8) -> Outcome<()> {
    let path = path_under(session)?;
    let shields = raise(session, pointer, &path)?;
    let pressed = press(session, button, true).and_then(|()| pass_on(session, pointer));
    for window in shields {
        session.connection.xinput_xi_passive_ungrab_device(
            window,
            ANY_BUTTON,
            pointer,
            GrabType::BUTTON,
            &[ModifierMask::ANY.into()],
        )?;
    }
    session.sync()?;
    pressed
}

/// The windows under the pointer of this connection, from the child of the root inwards.
fn path_under(session: &XSession) -> Outcome<Vec<Window>> {
    let mut path = Vec::new();
    let mut window = session.root();
    while path.len() < MAX_NESTING {
        match session.connection.query_pointer(window)?.reply().if_there()? {
            Some(reply) if reply.child != x11rb::NONE => {
                window = reply.child;
                path.push(window);
            }
            _ => break,
        }
    }
    Ok(path)
}

/// Grabs the buttons of the pointer on each of these windows; returns those on which that was possible.
fn raise(session: &XSession, pointer: DeviceId, path: &[Window]) -> Outcome<Vec<Window>> {
    let cookies = path
        .iter()
        .map(|window| {
            session.connection.xinput_xi_passive_grab_device(
                x11rb::CURRENT_TIME,
                *window,
                x11rb::NONE,
                ANY_BUTTON,
                pointer,
                GrabType::BUTTON,
                GrabMode22::SYNC,
                GrabMode::ASYNC,
                GrabOwner::NO_OWNER,
                &[XIEventMask::BUTTON_PRESS.into()],
                &[ModifierMask::ANY.into()],
            )
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut raised = Vec::new();
    for (window, cookie) in path.iter().zip(cookies) {
        if cookie.reply().if_there()?.is_some_and(|reply| reply.modifiers.is_empty()) {
            raised.push(*window);
        }
    }
    Ok(raised)
}

/// Has the server go on with the press, past each shield that took it. An application that holds the pointer itself, as for its menu, has it
/// at once.
fn pass_on(session: &XSession, pointer: DeviceId) -> Outcome<()> {
    loop {
        session.sync()?;
        let mut is_taken = false;
        while let Some(event) = session.connection.poll_for_event()? {
            is_taken |= matches!(event, Event::XinputButtonPress(taken) if taken.deviceid == pointer);
        }
        if !is_taken {
            return Ok(());
        }
        session.connection.xinput_xi_allow_events(
            x11rb::CURRENT_TIME,
            pointer,
            EventMode::REPLAY_DEVICE,
            0,
            x11rb::NONE,
        )?;
    }
}
