//! Asks an application whether it has worked off the events it got so far (`_NET_WM_PING`).

use super::fault::{Outcome, Vanished};
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::CURRENT_TIME;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, Window,
};

/// How a ping ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pong {
    /// The application has seen every event that was sent before the ping.
    Came,
    /// It did not answer in time.
    Missed,
    /// It never does: it does not take part in the protocol.
    NotSpoken,
}

/// Pings the application of a client window and waits for the answer. As events are handled in order, an
/// answer says that everything before the ping, such as typed keys or demands to repaint, has arrived.
pub(super) fn ping(session: &mut XSession, window: Window, patience: Duration) -> Outcome<Pong> {
    let protocols = session.numbers(window, session.atoms.WM_PROTOCOLS, AtomEnum::ATOM, 64)?;
    if !protocols.contains(&session.atoms._NET_WM_PING) {
        return Ok(Pong::NotSpoken);
    }
    // Answers go to the root window, to the clients that listen there for changes of its children, or (Qt 5) of itself.
    listen(session, EventMask::SUBSTRUCTURE_NOTIFY | EventMask::STRUCTURE_NOTIFY)?;
    let outcome = exchange(session, window, patience);
    listen(session, EventMask::NO_EVENT)?;
    session.sync()?;
    session.drain_events()?;
    outcome
}

fn listen(session: &XSession, mask: EventMask) -> Outcome<()> {
    let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
    session.connection.change_window_attributes(session.root(), &attributes)?;
    Ok(())
}

fn exchange(session: &mut XSession, window: Window, patience: Duration) -> Outcome<Pong> {
    session.last_ping = session.last_ping.wrapping_add(1).max(CURRENT_TIME + 1);
    let (ping, number) = (session.atoms._NET_WM_PING, session.last_ping);
    let message =
        ClientMessageEvent::new(32, window, session.atoms.WM_PROTOCOLS, [ping, number, window, 0, 0]);
    let sent = session.connection.send_event(false, window, EventMask::NO_EVENT, message)?;
    if sent.check().if_there()?.is_none() {
        return Ok(Pong::NotSpoken);
    }
    let until = Instant::now() + patience;
    while let Some(event) = session.next_event(until)? {
        if let Event::ClientMessage(answer) = event
            && answer.window == session.root()
            && answer.format == 32
            && answer.data.as_data32()[..3] == [ping, number, window]
        {
            return Ok(Pong::Came);
        }
    }
    Ok(Pong::Missed)
}
