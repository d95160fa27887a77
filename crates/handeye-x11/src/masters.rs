//! The pointer and the keyboard of an agent: a pair of masters beside those of the user (XInput 2).
//!
//! A connection that has such a pair as its own moves, presses and types with it by XTEST: pointer, focus and modifiers of the user stay
//! as they are. A pair outlives the connection that made it. It bears the number of a window of that connection as its name, so that one
//! whose maker has ended is recognized.

use super::fault::{Fault, Outcome, Vanished};
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode};
use x11rb::protocol::ErrorKind;
use x11rb::protocol::xinput::{
    ChangeMode, ConnectionExt as _, DeviceId, DeviceType, HierarchyChange, HierarchyChangeData,
    HierarchyChangeDataAddMaster, HierarchyChangeDataRemoveMaster, XIDeviceInfo,
};
use x11rb::protocol::xproto::{AtomEnum, EventMask, PropMode, Window};
use x11rb::wrapper::ConnectionExt as _;

/// What the name of each pair begins with; the number of a window follows.
const MARK: &str = "handeye ";
/// What the server appends for the pointer of a pair.
const POINTER: &str = " pointer";

/// A pair of masters.
#[derive(Debug, Clone)]
pub(super) struct Masters {
    name: String,
    /// The pointer.
    pub(super) pointer: DeviceId,
    /// The keyboard.
    keyboard: DeviceId,
    /// The keyboard of the user.
    pub(super) users_keyboard: DeviceId,
    /// The pointer of the user.
    pub(super) users_pointer: DeviceId,
}

impl Masters {
    /// Makes a pair and has this connection press with it. Pairs of makers that have ended are removed first.
    ///
    /// # Errors
    /// [`ErrorCode::InputUnavailable`] where the server knows one seat only, [`ErrorCode::TooLarge`] where it takes no more.
    pub(super) fn make(session: &mut XSession) -> Outcome<()> {
        if !session.extensions.several_seats {
            return Err(one_seat("it does not speak XInput 2.2").into());
        }
        sweep(session)?;
        let window = session.create_helper_window(EventMask::NO_EVENT)?;
        let owned = session.atoms._HANDEYE_SEAT;
        session.connection.change_property32(
            PropMode::REPLACE,
            window,
            owned,
            AtomEnum::CARDINAL,
            &[std::process::id()],
        )?;
        let name = format!("{MARK}{window:x}");
        // If this process is killed from here on, it is removed.
        session.guard.hold(|held| held.seat = Some(name.clone()))?;
        let add =
            HierarchyChangeDataAddMaster { send_core: true, enable: true, name: name.clone().into_bytes() };
        let change =
            HierarchyChange { len: length_of(name.len()), data: HierarchyChangeData::AddMaster(add) };
        let made = session.connection.xinput_xi_change_hierarchy(&[change])?.check();
        let entered = match made.map_err(Fault::from) {
            Ok(()) => Self::enter(session, &name),
            Err(Fault::Rejected(error)) if error.error_kind == ErrorKind::Alloc => Err(no_room().into()),
            Err(Fault::Rejected(error)) => {
                Err(one_seat(&format!("it refuses another one ({:?})", error.error_kind)).into())
            }
            Err(fault) => Err(fault),
        };
        match entered {
            Ok(true) => Ok(()),
            Ok(false) => {
                session.guard.close();
                Err(one_seat("it has not made another one").into())
            }
            Err(fault) => {
                session.guard.close();
                Err(fault)
            }
        }
    }

    /// Has this connection press with the pair of that name; returns whether there is one.
    pub(super) fn enter(session: &mut XSession, name: &str) -> Outcome<bool> {
        let masters = all(session)?;
        let users = masters.iter().find(|device| device.type_ == DeviceType::MASTER_POINTER);
        let pointer = format!("{name}{POINTER}");
        let own = masters
            .iter()
            .find(|device| device.type_ == DeviceType::MASTER_POINTER && device.name == pointer.as_bytes());
        let (Some(users), Some(own)) = (users, own) else { return Ok(false) };
        let found = Self {
            name: name.to_owned(),
            pointer: own.deviceid,
            keyboard: own.attachment,
            users_keyboard: users.attachment,
            users_pointer: users.deviceid,
        };
        session.connection.xinput_xi_set_client_pointer(x11rb::NONE, found.pointer)?.check()?;
        // Keys go to the window under its pointer, and no window manager is notified of a focus.
        session.connection.xinput_xi_set_focus(POINTER_ROOT, x11rb::CURRENT_TIME, found.keyboard)?.check()?;
        session.masters = Some(found);
        Ok(true)
    }

    /// Removes the pair of this connection, which presses on the user's seat from then on.
    pub(super) fn leave_and_remove(session: &mut XSession) -> Outcome<()> {
        let Some(masters) = session.masters.take() else { return Ok(()) };
        session.connection.xinput_xi_set_client_pointer(x11rb::NONE, masters.users_pointer)?;
        remove(session, masters.pointer)?;
        tracing::debug!(name = masters.name, "an agent's seat was removed");
        Ok(())
    }
}

/// Asks for all masters.
const ALL_MASTERS: DeviceId = 1;
/// The focus of a keyboard whose keys go to the window under its pointer.
const POINTER_ROOT: Window = 1;

/// The length of a change with a name, in units of four bytes.
fn length_of(name: usize) -> u16 {
    const HEADER: usize = 8;
    u16::try_from((HEADER + name).div_ceil(4)).unwrap_or(u16::MAX)
}

/// The masters, those of the user first.
fn all(session: &XSession) -> Outcome<Vec<XIDeviceInfo>> {
    Ok(session.connection.xinput_xi_query_device(ALL_MASTERS)?.reply()?.infos)
}

/// Removes a pair by its pointer; does nothing where it is gone.
fn remove(session: &XSession, pointer: DeviceId) -> Outcome<()> {
    let remove = HierarchyChangeDataRemoveMaster {
        deviceid: pointer,
        return_mode: ChangeMode::FLOAT,
        return_pointer: 0,
        return_keyboard: 0,
    };
    let change = HierarchyChange { len: 3, data: HierarchyChangeData::RemoveMaster(remove) };
    session.connection.xinput_xi_change_hierarchy(&[change])?.check().if_there()?;
    session.sync()
}

/// Removes the pairs whose makers have ended without it.
fn sweep(session: &XSession) -> Outcome<()> {
    for device in all(session)? {
        if device.type_ != DeviceType::MASTER_POINTER {
            continue;
        }
        let name = String::from_utf8_lossy(&device.name);
        let window = name.strip_prefix(MARK).and_then(|name| name.strip_suffix(POINTER));
        let Some(window) = window.and_then(|number| Window::from_str_radix(number, 16).ok()) else {
            continue;
        };
        let owned = session.numbers(window, session.atoms._HANDEYE_SEAT, AtomEnum::CARDINAL, 1)?;
        if owned.is_empty() {
            tracing::debug!(%name, "the maker of an agent's seat has ended; it is removed");
            remove(session, device.deviceid)?;
        }
    }
    Ok(())
}

/// The server has no seat but the user's; `why` completes the sentence.
fn one_seat(why: &str) -> Error {
    Error::new(ErrorCode::InputUnavailable, format!("the X server has one pointer and keyboard only: {why}"))
}

fn no_room() -> Error {
    Error::new(ErrorCode::TooLarge, "the X server takes no further pointer and keyboard")
        .with_next("Wait until another agent has ended, then try again.")
}
