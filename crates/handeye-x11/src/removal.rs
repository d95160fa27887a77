//! Removes the pointer and the keyboard of an agent so that no application is harmed.
//!
//! GTK 3 asks the server about each pointer that it knows when something happens to its windows, and exits at the error for one that
//! is gone. So a pair is removed while nothing happens: the user's own input waits in the server, and each application has answered that it has
//! worked off what came before. Where one does not answer, the pair stays, and is taken over by the next agent.

use super::agent_cursor::hide;
use super::drag::abandon_drop;
use super::entry::{bring, is_held_by_another, out_of_the_way};
use super::fault::{Outcome, Vanished};
use super::feigning::end_feigning;
use super::held_up::HeldUp;
use super::idle_clients::{all_are_idle, has_newcomer, wait_until_known};
use super::masters::{TakenOver, abandoned, let_go, other_agents, take_over};
use super::seat_devices::SeatDevices;
use super::typing::press_escape;
use super::x_session::XSession;
use std::time::{Duration, Instant};
use x11rb::protocol::xinput::{
    ChangeMode, ConnectionExt as _, HierarchyChange, HierarchyChangeData, HierarchyChangeDataRemoveMaster,
};
use x11rb::protocol::xproto::ConnectionExt as _;

/// How long all applications together may take to answer.
const PATIENCE: Duration = Duration::from_millis(700);
/// The same while the user's input waits: once before the removal and once after it.
const SILENCE: Duration = Duration::from_millis(250);
/// How long the user may hold a button or have a menu open where nobody waits for the removal.
pub(super) const AT_THE_END: Duration = Duration::from_secs(6);
/// The same where the next action may wait for it.
pub(super) const AT_REST: Duration = Duration::from_millis(300);
/// Most menus that are closed.
const MOST_MENUS: usize = 6;
/// Time for an application to work off a release, or to close a menu.
const NOTICE: Duration = Duration::from_millis(50);

/// Removes the pair of this connection, which presses on the user's seat from then on. Returns whether it is gone. The user may hold a button or
/// have a menu open for `busy`, and as long others may be removed, before the pair stays.
pub(super) fn remove(session: &mut XSession, busy: Duration) -> Outcome<bool> {
    let Some(masters) = session.masters.clone() else { return Ok(true) };
    end_feigning(session)?;
    // Another removal would have the devices of this one wait.
    let Some(mut held_up) = HeldUp::turn(session, busy)? else { return Ok(false) };
    let removed = remove_in_turn(session, &masters, &mut held_up, busy);
    held_up.let_go(session)?;
    removed
}

fn remove_in_turn(
    session: &mut XSession,
    masters: &SeatDevices,
    held_up: &mut HeldUp,
    busy: Duration,
) -> Outcome<bool> {
    abandon_drop(session)?;
    let_go(session)?;
    session.pause(NOTICE)?;
    for _ in 0..MOST_MENUS {
        if !is_held_by_another(session, masters)? {
            break;
        }
        press_escape(session)?;
        session.pause(NOTICE)?;
    }
    if is_held_by_another(session, masters)? {
        return Ok(false);
    }
    let aside = out_of_the_way(session)?;
    hide(session)?;
    let cursor = session.cursor.take();
    let brought = bring(session, masters, aside);
    session.cursor = cursor;
    brought?;
    // Nothing of the user's waits for an application that does not answer anyway.
    if !all_are_idle(session, PATIENCE)?
        || !held_up.take(session, &[masters.users_pointer, masters.users_keyboard], busy)?
    {
        return Ok(false);
    }
    hold_up_others(session, masters, held_up)?;
    remove_in_silence(session, masters)
}

/// Removes the pairs that nobody uses, as far as no application is busy: their process ended while one was. A connection of which one stays
/// has that as its own.
pub(super) fn remove_abandoned(session: &mut XSession) -> Outcome<()> {
    for name in abandoned(session)? {
        if take_over(session, &name)? == TakenOver::Entered && !remove(session, AT_REST)? {
            tracing::debug!(name, "a seat that nobody uses stays for the next one");
            break;
        }
    }
    Ok(())
}

/// Has the input of other agents wait too, as far as no application has it for a menu.
fn hold_up_others(session: &XSession, own: &SeatDevices, held_up: &mut HeldUp) -> Outcome<()> {
    for device in other_agents(session, own)? {
        held_up.add(session, device)?;
    }
    Ok(())
}

fn remove_in_silence(session: &mut XSession, masters: &SeatDevices) -> Outcome<bool> {
    let until = Instant::now() + SILENCE;
    while all_are_idle(session, until.saturating_duration_since(Instant::now()))? {
        // As long as the server serves this connection only, no program can connect and learn of the devices.
        session.connection.grab_server()?;
        let removed = remove_unless_newcomer(session, masters);
        session.connection.ungrab_server()?;
        session.sync()?;
        if removed? {
            session.masters = None;
            // They know of it before anything else happens.
            wait_until_known(session, SILENCE)?;
            return Ok(true);
        }
    }
    Ok(false)
}

fn remove_unless_newcomer(session: &XSession, masters: &SeatDevices) -> Outcome<bool> {
    if has_newcomer(session)? {
        return Ok(false);
    }
    session.connection.xinput_xi_set_client_pointer(x11rb::NONE, masters.users_pointer)?;
    let remove = HierarchyChangeDataRemoveMaster {
        deviceid: masters.pointer,
        return_mode: ChangeMode::FLOAT,
        return_pointer: 0,
        return_keyboard: 0,
    };
    let change = HierarchyChange { len: 3, data: HierarchyChangeData::RemoveMaster(remove) };
    session.connection.xinput_xi_change_hierarchy(&[change])?.check().if_there()?;
    Ok(true)
}
