//! What only one client of the server has at a time: the owner of a selection has it, and the server takes the selection from a client that ends.

use super::fault::Outcome;
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{Atom, ConnectionExt as _, EventMask, Window};

/// Time between two looks at what another client has.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Something that this client has.
#[derive(Debug)]
pub(super) struct Claim {
    selection: Atom,
    window: Window,
}

impl Claim {
    /// Takes what `name` stands for; `None` if another client has it.
    pub(super) fn take(session: &XSession, name: &str) -> Outcome<Option<Self>> {
        let selection = session.connection.intern_atom(false, name.as_bytes())?.reply()?.atom;
        let window = session.create_helper_window(EventMask::NO_EVENT)?;
        // As long as the server serves this connection only, no other client can take it in between.
        session.connection.grab_server()?;
        let taken = take_alone(session, selection, window);
        session.connection.ungrab_server()?;
        if matches!(taken, Ok(true)) {
            session.sync()?;
            return Ok(Some(Self { selection, window }));
        }
        session.connection.destroy_window(window)?;
        session.sync()?;
        taken.map(|_| None)
    }

    /// The same, waiting at most `patience` for the client that has it.
    pub(super) fn take_within(session: &XSession, name: &str, patience: Duration) -> Outcome<Option<Self>> {
        let until = Instant::now() + patience;
        loop {
            match Self::take(session, name)? {
                None if Instant::now() < until => session.pause(LOOK_AGAIN)?,
                taken => return Ok(taken),
            }
        }
    }

    /// Gives it up: the server takes the selection from a window that is gone.
    pub(super) fn give_up(self, session: &XSession) -> Outcome<()> {
        tracing::trace!(selection = self.selection, "given up");
        session.connection.destroy_window(self.window)?;
        session.sync()
    }
}

/// Whether any client has what `name` stands for.
pub(super) fn is_taken(session: &XSession, name: &str) -> Outcome<bool> {
    Ok(owner(session, name)? != x11rb::NONE)
}

/// The same of a client other than this one.
pub(super) fn is_taken_by_another(session: &XSession, name: &str) -> Outcome<bool> {
    let owner = owner(session, name)?;
    let is_own = (owner ^ session.connection.setup().resource_id_base) & !session.resource_mask() == 0;
    Ok(owner != x11rb::NONE && !is_own)
}

/// The window that has what `name` stands for.
fn owner(session: &XSession, name: &str) -> Outcome<Window> {
    let selection = session.connection.intern_atom(true, name.as_bytes())?.reply()?.atom;
    if selection == x11rb::NONE {
        return Ok(x11rb::NONE);
    }
    Ok(session.connection.get_selection_owner(selection)?.reply()?.owner)
}

fn take_alone(session: &XSession, selection: Atom, window: Window) -> Outcome<bool> {
    if session.connection.get_selection_owner(selection)?.reply()?.owner != x11rb::NONE {
        return Ok(false);
    }
    session.connection.set_selection_owner(window, selection, x11rb::CURRENT_TIME)?;
    Ok(true)
}
