//! Asks an application whether it has worked off the events it got so far (`_NET_WM_PING`).

use super::aim::path_to_root;
use super::fault::{Outcome, Vanished};
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, Window,
};

/// How many clients the X server lets in at most, with the greatest `-maxclients` of the X.Org server.
const MOST_CLIENTS: u32 = 2_048;
/// After how many pings of a client their numbers begin again.
const DISTINCT_PINGS: u32 = 24;

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
    if !answers_pings(session, window)? {
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

/// Whether the application of a window takes part in the protocol.
pub(super) fn answers_pings(session: &XSession, window: Window) -> Outcome<bool> {
    let protocols = session.numbers(window, session.atoms.WM_PROTOCOLS, AtomEnum::ATOM, 64)?;
    Ok(protocols.contains(&session.atoms._NET_WM_PING))
}

/// The window at or around `focus` whose application takes part in the protocol; `None` if there is none, and for a focus that is no window.
pub(super) fn pingable(session: &XSession, focus: Window) -> Outcome<Option<Window>> {
    for window in path_to_root(session, focus)?.unwrap_or_default() {
        if answers_pings(session, window)? {
            return Ok(Some(window));
        }
    }
    Ok(None)
}

fn listen(session: &XSession, mask: EventMask) -> Outcome<()> {
    let attributes = ChangeWindowAttributesAux::new().event_mask(mask);
    session.connection.change_window_attributes(session.root(), &attributes)?;
    Ok(())
}

fn exchange(session: &mut XSession, window: Window, patience: Duration) -> Outcome<Pong> {
    session.pings_sent = session.pings_sent.wrapping_add(1);
    let setup = session.connection.setup();
    let number = number_of(setup.resource_id_base, setup.resource_id_mask, session.pings_sent);
    let ping = session.atoms._NET_WM_PING;
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

/// What distinguishes a ping from those of other clients to the same window, and from the last ones of this client. Each answer reaches every client that listens at the root window, so those of one
/// client must not be those of another. It stands where the protocol has a time, which Qt takes for the time of the server if it is later than any
/// it knows: the number is less than a minute in ms.
fn number_of(resource_base: u32, resource_mask: u32, sent: u32) -> u32 {
    let client: u32 = (resource_base >> resource_mask.count_ones()) % MOST_CLIENTS;
    CURRENT_TIME + 1 + client + MOST_CLIENTS * (sent % DISTINCT_PINGS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_pings_have_the_same_number() {
        let mask: u32 = 0x001f_ffff;
        let clients = (0..MOST_CLIENTS).map(|client| client << mask.count_ones());
        let numbers: HashSet<u32> = clients
            .flat_map(|base| (0..DISTINCT_PINGS).map(move |sent| number_of(base, mask, sent)))
            .collect();
        assert_eq!(numbers.len(), (MOST_CLIENTS * DISTINCT_PINGS) as usize);
        assert!(!numbers.contains(&CURRENT_TIME) && numbers.iter().all(|number| *number < 60_000));
    }
}
