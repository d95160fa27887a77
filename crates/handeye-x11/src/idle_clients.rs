//! Whether the applications of the server have worked off the events they got, those that are starting too.

use super::fault::{Outcome, Vanished};
use super::ping::{Pong, ping};
use super::windows::list;
use super::x_session::XSession;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use x11rb::connection::Connection as _;
use x11rb::protocol::res::ConnectionExt as _;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};

/// Time for an application without a window.
const WINDOWLESS: Duration = Duration::from_millis(20);
/// Time for an application that does not answer such questions.
const UNASKED: Duration = Duration::from_millis(150);
/// How long after it has connected a client creates the window that it can be asked by, if it ever does.
const SETTLES: Duration = Duration::from_millis(250);
/// How long an application may take to start before it counts as one that never answers.
const STARTS: Duration = Duration::from_secs(20);
/// The least time to answer after which it counts as one: who was given less may only have been late.
const ENOUGH: Duration = Duration::from_millis(150);
/// Time between two looks at clients that have just connected.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Most children of the root window that are looked at.
const MOST_WINDOWS: usize = 2_000;

/// The window that a client is asked by.
#[derive(Debug, Clone, Copy)]
enum Ear {
    /// One that the window manager knows.
    Managed(Window),
    /// One that is not shown: GTK creates it when it connects, before it asks for the devices.
    Hidden(Window),
}

/// Looks who is connected. A client that connects later may be starting.
pub(super) fn notice_clients(session: &mut XSession) -> Outcome<()> {
    let connected = connected(session)?;
    session.clients.note(&connected);
    Ok(())
}

/// Whether a client has connected since the last time that all were looked at.
pub(super) fn has_newcomer(session: &XSession) -> Outcome<bool> {
    Ok(connected(session)?.into_iter().any(|client| !session.clients.contains(client)))
}

/// Whether each application has worked off its events by now, and none is starting.
pub(super) fn all_are_idle(session: &mut XSession, patience: Duration) -> Outcome<bool> {
    let until = Instant::now() + patience;
    match settled_ears(session, until)? {
        Some(ears) => all_answer(session, ears, until),
        None => Ok(false),
    }
}

/// Waits until each application has worked off the events it got so far, or `patience` is over.
pub(super) fn wait_until_known(session: &mut XSession, patience: Duration) -> Outcome<()> {
    let until = Instant::now() + patience;
    let ears = ears(session)?;
    all_answer(session, ears, until).map(drop)
}

fn all_answer(session: &mut XSession, ears: Vec<(u32, Ear)>, until: Instant) -> Outcome<bool> {
    let mut is_unasked = false;
    for (client, ear) in ears {
        let (Ear::Managed(window) | Ear::Hidden(window)) = ear;
        let left = until.saturating_duration_since(Instant::now());
        match (ping(session, window, left)?, ear) {
            (Pong::Came, _) | (Pong::NotSpoken, Ear::Hidden(_)) => {}
            (Pong::NotSpoken, Ear::Managed(_)) => is_unasked = true,
            (Pong::Missed, Ear::Managed(_)) => return Ok(false),
            (Pong::Missed, Ear::Hidden(_)) if left < ENOUGH => return Ok(false),
            (Pong::Missed, Ear::Hidden(_)) => {
                session.clients.note_silence(client, STARTS);
                return Ok(false);
            }
        }
    }
    // What has no window that answers is given the time that such a one takes.
    session.pause(if is_unasked { UNASKED } else { WINDOWLESS })?;
    Ok(true)
}

/// By which window each client can be asked, once no client is there that has just connected and may still create one; `None` if there is by `until`.
fn settled_ears(session: &mut XSession, until: Instant) -> Outcome<Option<Vec<(u32, Ear)>>> {
    loop {
        notice_clients(session)?;
        let ears = ears(session)?;
        let has_ear: HashSet<u32> = ears.iter().map(|(client, _)| *client).collect();
        if session.clients.younger_than(SETTLES).all(|client| has_ear.contains(&client)) {
            return Ok(Some(ears));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        session.pause(LOOK_AGAIN)?;
    }
}

/// The windows to ask by: each that is managed, as an application may be another one for each window, and one of every client that has none.
fn ears(session: &XSession) -> Outcome<Vec<(u32, Ear)>> {
    let resources = session.resource_mask();
    let managed = list(session)?;
    let managed = managed.iter().filter_map(|window| u32::try_from(window.id.number()).ok());
    let mut ears: Vec<(u32, Ear)> =
        managed.map(|window| (window & !resources, Ear::Managed(window))).collect();
    let mut has_ear: HashSet<u32> = ears.iter().map(|(client, _)| *client).collect();
    let protocols = session.atoms.WM_PROTOCOLS;
    let mut asked = Vec::new();
    let children = session.connection.query_tree(session.root())?.reply()?.children;
    for window in children.into_iter().take(MOST_WINDOWS) {
        let client = window & !resources;
        if !session.clients.is_mute(client) && !has_ear.contains(&client) {
            asked.push((
                client,
                window,
                session.connection.get_property(false, window, protocols, AtomEnum::ATOM, 0, 64)?,
            ));
        }
    }
    for (client, window, cookie) in asked {
        let speaks = cookie.reply().if_there()?.is_some_and(|reply| {
            reply
                .value32()
                .is_some_and(|mut protocols| protocols.any(|known| known == session.atoms._NET_WM_PING))
        });
        if speaks && has_ear.insert(client) {
            ears.push((client, Ear::Hidden(window)));
        }
    }
    Ok(ears)
}

/// All clients but this connection; none where the server does not list them (X-Resource).
fn connected(session: &XSession) -> Outcome<HashSet<u32>> {
    if !session.extensions.client_ids {
        return Ok(HashSet::new());
    }
    let own = session.connection.setup().resource_id_base;
    let clients = session.connection.res_query_clients()?.reply()?.clients;
    Ok(clients.iter().map(|client| client.resource_base).filter(|client| *client != own).collect())
}
