//! The start of a drag of data: its source becomes the owner of a selection then (XDND, `XdndSelection`).
//!
//! Qt grabs each pointer of the server for it, and drags without those that another client has. So this connection has the user's while the
//! drag starts. The keyboard of the user waits too: a key that opens a menu meanwhile would open one that cannot have the pointer.

use super::fault::Outcome;
use super::held_up::HeldUp;
use super::user_activity::user_holds_seat;
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xfixes::{ConnectionExt as _, SelectionEventMask};

/// How long a drag may take to start after the press; as long what the user does waits where it does not.
const STARTS: Duration = Duration::from_millis(300);
/// How long after it has started a toolkit tries to take the pointers.
const TAKES: Duration = Duration::from_millis(80);
/// How long the user may hold a button, or have a menu open, before the drag is given up.
const BUSY: Duration = Duration::from_secs(1);

/// The start of one drag. It has to be [ended](Self::end).
pub(super) struct DragStart {
    began: Instant,
    started: Option<Instant>,
    held_up: Option<HeldUp>,
}

impl DragStart {
    /// Watches for the start of a drag.
    pub(super) fn watch(session: &XSession) -> Outcome<Self> {
        announce(session, SelectionEventMask::SET_SELECTION_OWNER)?;
        // Events of before are not about this drag.
        session.sync()?;
        session.drain_events()?;
        Ok(Self { began: Instant::now(), started: None, held_up: None })
    }

    /// Has the input of the user wait until the drag has started. It is refused while the user holds a button or has a menu open.
    pub(super) fn hold_user(&mut self, session: &mut XSession) -> Outcome<()> {
        let Some(masters) = session.masters.clone() else { return Ok(()) };
        let users = [masters.users_pointer, masters.users_keyboard];
        self.held_up = HeldUp::hold(session, &users, BUSY)?;
        self.began = Instant::now();
        if self.held_up.is_some() { Ok(()) } else { Err(user_holds_seat().into()) }
    }

    /// Notes whether the drag has started. When the application had the time to try for the pointers, the input of the user goes on.
    pub(super) fn look(&mut self, session: &XSession) -> Outcome<()> {
        while let Some(event) = session.connection.poll_for_event()? {
            if self.started.is_none() && is_start(session, &event) {
                self.started = Some(Instant::now());
            }
        }
        let is_over = match self.started {
            Some(started) => started.elapsed() >= TAKES,
            None => self.began.elapsed() >= STARTS,
        };
        if is_over { self.let_go(session) } else { Ok(()) }
    }

    /// Whether data is dragged. Where the server does not announce that, whether it may be.
    pub(super) fn is_of_data(&self, session: &XSession) -> bool {
        self.started.is_some() || !session.extensions.fixes
    }

    /// Waits, where a drag has started, until the input of the user goes on.
    pub(super) fn wait_until_let_go(&mut self, session: &XSession) -> Outcome<()> {
        self.look(session)?;
        if let (Some(started), Some(_)) = (self.started, &self.held_up) {
            session.pause(TAKES.saturating_sub(started.elapsed()))?;
        }
        self.let_go(session)
    }

    /// Lets the input of the user go on, and watches no more.
    pub(super) fn end(mut self, session: &XSession) -> Outcome<()> {
        let let_go = self.let_go(session);
        announce(session, SelectionEventMask::from(0_u8))?;
        session.sync()?;
        session.drain_events()?;
        let_go
    }

    fn let_go(&mut self, session: &XSession) -> Outcome<()> {
        self.held_up.take().map_or(Ok(()), |held_up| held_up.let_go(session))
    }
}

fn announce(session: &XSession, events: SelectionEventMask) -> Outcome<()> {
    if session.extensions.fixes {
        let (root, selection) = (session.root(), session.atoms.XdndSelection);
        session.connection.xfixes_select_selection_input(root, selection, events)?;
    }
    Ok(())
}

fn is_start(session: &XSession, event: &Event) -> bool {
    matches!(event, Event::XfixesSelectionNotify(news)
        if news.selection == session.atoms.XdndSelection && news.owner != x11rb::NONE)
}
