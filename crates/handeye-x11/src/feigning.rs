//! Has an application believe that its window has the focus.
//!
//! Qt and Chromium ask for their window to be made the active one at the first press in it, unless it has the focus for all they know. An event that
//! says so prevents that, and one that says that it has it no more ends it. The focus itself stays where it is.

use super::aim::Aim;
use super::fault::{Outcome, Vanished};
use super::windows::id_of;
use super::x_session::XSession;
use x11rb::protocol::xinput::ConnectionExt as _;
use x11rb::protocol::xproto::{
    ConnectionExt as _, EventMask, FOCUS_IN_EVENT, FOCUS_OUT_EVENT, FocusInEvent, NotifyDetail, NotifyMode,
};

/// Sends the window the event that says whether it `has` the focus, unless the user's focus is in it.
pub(super) fn feign_focus(session: &mut XSession, aim: Aim, has: bool) -> Outcome<()> {
    session.feigned = has.then(|| aim.window());
    if let Some(masters) = &session.masters {
        let focus = session.connection.xinput_xi_get_focus(masters.users_keyboard)?.reply()?.focus;
        if aim.holds(session, focus)? {
            return Ok(());
        }
    }
    let event = FocusInEvent {
        response_type: if has { FOCUS_IN_EVENT } else { FOCUS_OUT_EVENT },
        detail: NotifyDetail::NONLINEAR,
        sequence: 0,
        event: aim.window(),
        mode: NotifyMode::NORMAL,
    };
    // The window may be gone.
    session.connection.send_event(false, aim.window(), EventMask::NO_EVENT, event)?.check().if_there()?;
    Ok(())
}

/// No application believes any more that it has the focus.
pub(super) fn end_feigning(session: &mut XSession) -> Outcome<()> {
    match session.feigned {
        Some(window) => feign_focus(session, Aim::at(id_of(window))?, false),
        None => Ok(()),
    }
}
