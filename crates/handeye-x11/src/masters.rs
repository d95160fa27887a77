//! The pointer and the keyboard of an agent: a pair of masters beside those of the user (`XInput` 2).
//!
//! A connection that has such a pair as its own moves, presses and types with it by XTEST: pointer, focus and modifiers of the user stay
//! as they are. A pair outlives the connection that made it, so each has a number, and who owns the selection of that number uses it: the server takes
//! the selection from a client that ends. A pair that nobody uses is taken over before another one is made.

use super::claims::{Claim, is_taken};
use super::drag::abandon_drop;
use super::fault::{Fault, Outcome};
use super::idle_clients::notice_clients;
use super::keyboard::{keep_keys_under_pointer, press as press_key};
use super::pointing::press as press_button;
use super::seat_devices::SeatDevices;
use super::windows::manager_name;
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode};
use x11rb::connection::Connection;
use x11rb::protocol::ErrorKind;
use x11rb::protocol::xinput::{
    ConnectionExt as _, DeviceId, DeviceType, HierarchyChange, HierarchyChangeData,
    HierarchyChangeDataAddMaster, XIDeviceInfo,
};
use x11rb::protocol::xproto::ConnectionExt as _;

/// Asks for all masters.
const ALL_MASTERS: DeviceId = 1;
/// What the name of each pair begins with; its number follows.
const MARK: &str = "handeye seat ";
/// Most pairs of one server.
const MOST: u32 = 16;

/// Has this connection press with a pair that nobody else uses, which is made if there is none, and returns its number. From before it is made it will be removed
/// if this process ends without having done it.
///
/// # Errors
/// [`ErrorCode::InputUnavailable`] where the server knows one seat only, [`ErrorCode::TooLarge`] where it takes no more, [`ErrorCode::Refused`]
/// where the window manager does not survive it.
pub(super) fn take(session: &mut XSession) -> Outcome<u32> {
    if loses_devices(&manager_name(session)?) {
        let why = "this window manager (mutter) may crash when the pointer of an agent is removed";
        return Err(Error::new(ErrorCode::Refused, why).into());
    }
    if !session.extensions.several_seats {
        return Err(one_seat("it does not speak XInput 2.2").into());
    }
    for number in 1..=MOST {
        let name = format!("{MARK}{number}");
        if !claim(session, &name)? {
            continue;
        }
        session.guard.hold(|held| held.seat = Some(name.clone()))?;
        // If that fails, the guard has the keeper remove what was made of it.
        made(session, &name)?;
        return Ok(number);
    }
    Err(no_room().into())
}

/// Whether a window manager of that name crashes some time after a pair was removed: mutter does, and what is built on it.
fn loses_devices(manager: &str) -> bool {
    manager.contains("Mutter") || manager == "GNOME Shell"
}

/// Has this connection press with the pair of that name, which is made if it is not there.
fn made(session: &mut XSession, name: &str) -> Outcome<()> {
    let found = if let Some(found) = find(session, name)? {
        found
    } else {
        make(session, name)?;
        find(session, name)?.ok_or_else(|| one_seat("it has not made another one"))?
    };
    enter(session, found)?;
    // An earlier user of the pair may have left something pressed.
    abandon_drop(session)?;
    let_go(session)
}

/// Has this connection press with the pair of that name, where it is there and nobody uses it.
pub(super) fn take_over(session: &mut XSession, name: &str) -> Outcome<TakenOver> {
    let Some(claim) = Claim::take(session, &selection_of(name))? else { return Ok(TakenOver::InUse) };
    // Looked for when nobody else can remove it any more.
    match find(session, name)? {
        Some(found) => enter(session, found).map(|()| TakenOver::Entered),
        None => claim.give_up(session).map(|()| TakenOver::Gone),
    }
}

/// The pair of that name.
fn find(session: &XSession, name: &str) -> Outcome<Option<SeatDevices>> {
    let masters = session.connection.xinput_xi_query_device(ALL_MASTERS)?.reply()?.infos;
    let mut pointers = masters.iter().filter(|device| device.type_ == DeviceType::MASTER_POINTER);
    // The server lists the pair of the user first.
    let Some(users) = pointers.next() else { return Ok(None) };
    let name = format!("{name} pointer");
    let own = pointers.find(|device: &&XIDeviceInfo| device.name == name.as_bytes());
    Ok(own.map(|own| SeatDevices {
        pointer: own.deviceid,
        keyboard: own.attachment,
        users_keyboard: users.attachment,
        users_pointer: users.deviceid,
    }))
}

/// The names of the pairs that nobody uses.
pub(super) fn abandoned(session: &XSession) -> Outcome<Vec<String>> {
    let masters = session.connection.xinput_xi_query_device(ALL_MASTERS)?.reply()?.infos;
    let mut abandoned = Vec::new();
    for device in &masters {
        let name = std::str::from_utf8(&device.name).ok().and_then(|name| name.strip_suffix(" pointer"));
        if let Some(name) = name.filter(|name| name.starts_with(MARK))
            && !is_taken(session, &selection_of(name))?
        {
            abandoned.push(name.to_owned());
        }
    }
    Ok(abandoned)
}

/// The pointers and keyboards of other agents.
pub(super) fn other_agents(session: &XSession, own: &SeatDevices) -> Outcome<Vec<DeviceId>> {
    let masters = session.connection.xinput_xi_query_device(ALL_MASTERS)?.reply()?.infos;
    let others = masters.iter().filter(|device| {
        device.name.starts_with(MARK.as_bytes()) && ![own.pointer, own.keyboard].contains(&device.deviceid)
    });
    Ok(others.map(|device| device.deviceid).collect())
}

/// Has this connection press with it.
fn enter(session: &mut XSession, devices: SeatDevices) -> Outcome<()> {
    session.connection.xinput_xi_set_client_pointer(x11rb::NONE, devices.pointer)?.check()?;
    session.masters = Some(devices);
    notice_clients(session)?;
    keep_keys_under_pointer(session)
}

/// What came of taking over a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakenOver {
    /// This connection presses with it.
    Entered,
    /// Another client uses it.
    InUse,
    /// There is no such pair.
    Gone,
}

/// Makes this connection the user of the pair of that name, until it ends; returns false if another one is.
fn claim(session: &XSession, name: &str) -> Outcome<bool> {
    Ok(Claim::take(session, &selection_of(name))?.is_some())
}

/// The selection whose owner uses the pair of that name.
fn selection_of(name: &str) -> String {
    format!("_{}", name.to_uppercase().replace(' ', "_"))
}

/// Makes a pair.
fn make(session: &XSession, name: &str) -> Outcome<()> {
    const HEADER: usize = 8;
    let add = HierarchyChangeDataAddMaster { send_core: true, enable: true, name: name.as_bytes().to_vec() };
    let len = u16::try_from((HEADER + name.len()).div_ceil(4)).map_err(Error::internal)?;
    let change = HierarchyChange { len, data: HierarchyChangeData::AddMaster(add) };
    match session.connection.xinput_xi_change_hierarchy(&[change])?.check().map_err(Fault::from) {
        Err(Fault::Rejected(error)) if error.error_kind == ErrorKind::Alloc => Err(no_room().into()),
        Err(Fault::Rejected(error)) => {
            Err(one_seat(&format!("it refuses another one ({:?})", error.error_kind)).into())
        }
        other => other,
    }
}

/// Releases whatever is pressed on the pair.
pub(super) fn let_go(session: &XSession) -> Outcome<()> {
    let pressed = session.connection.query_keymap()?.reply()?.keys;
    let buttons = session.connection.query_pointer(session.root())?.reply()?.mask;
    for button in 1..=5_u8 {
        // Buttons 1 to 5 are bits 8 to 12 (X protocol, SETofKEYBUTMASK).
        if u16::from(buttons) & (1 << (7 + button)) != 0 {
            press_button(session, button, false)?;
        }
    }
    for code in session.connection.setup().min_keycode..=u8::MAX {
        if pressed[usize::from(code / 8)] & (1 << (code % 8)) != 0 {
            press_key(session, code, false)?;
        }
    }
    session.sync()
}

/// The server has no seat but the user's; `why` completes the sentence.
fn one_seat(why: &str) -> Error {
    Error::new(ErrorCode::InputUnavailable, format!("the X server has one pointer and keyboard only: {why}"))
}

fn no_room() -> Error {
    Error::new(ErrorCode::TooLarge, "the X server takes no further pointer and keyboard")
        .with_next("Wait until another agent has ended, then try again.")
}
