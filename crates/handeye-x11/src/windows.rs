//! The top-level windows, as the window manager (EWMH) and the window tree list them.

use super::fault::{Outcome, Vanished};
use super::shadow::{Shadow, with_border};
use super::stream::PatientStream;
use super::x_session::{XSession, numbers_of};
use handeye_core::{Place, Point, Rect, SeatState, WindowId, screen_text};
use std::collections::{HashMap, HashSet};
use x11rb::cookie::Cookie;
use x11rb::protocol::res::{ClientIdMask, ClientIdSpec, ConnectionExt as _, QueryClientIdsReply};
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ConnectionExt as _, GetPropertyReply, GetWindowAttributesReply, MapState, Window,
    WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// Most windows that are looked at; a desktop has tens.
pub(super) const MAX_WINDOWS: u32 = 2_048;
/// Longest title that is read, in units of four bytes.
const MAX_TITLE: u32 = 1_024;
/// How deep a window manager may nest a client below the root.
const MAX_NESTING: usize = 16;
/// `WM_STATE` of a minimized window (ICCCM 4.1.3.1).
const ICONIC_STATE: u32 = 3;

/// The top-level windows, from the topmost down: those that the window manager manages, or, where there is none,
/// the mapped children of the root. Windows that vanish meanwhile are left out.
pub(super) fn list(session: &XSession) -> Outcome<Vec<handeye_core::Window>> {
    let desk = Desk::read(session)?;
    let mut windows = describe(session, &desk.topmost_first)?;
    for (place, window) in windows.iter_mut().enumerate() {
        window.stacking = Some(place);
        window.active = desk.active == Some(window.id);
    }
    Ok(windows)
}

/// Active window and pointer of the user's seat.
pub(super) fn seat(session: &XSession) -> Outcome<SeatState> {
    let pointer = session.connection.query_pointer(session.root())?;
    let desk = Desk::read(session)?;
    let pointer = pointer.reply()?;
    Ok(SeatState {
        active_window: desk.active.into(),
        pointer: Some(Point::new(pointer.root_x.into(), pointer.root_y.into())),
    })
}

/// The window that receives the keyboard, if any.
pub(super) fn active(session: &XSession) -> Outcome<Option<Window>> {
    let named = session.numbers(session.root(), session.atoms._NET_ACTIVE_WINDOW, AtomEnum::WINDOW, 1)?;
    Ok(named.first().copied().filter(|window| *window != x11rb::NONE))
}

/// Whether a window manager that speaks EWMH runs.
pub(super) fn has_manager(session: &XSession) -> Outcome<bool> {
    Ok(manager(session)?.is_some())
}

/// The window by which the window manager has announced itself.
fn manager(session: &XSession) -> Outcome<Option<Window>> {
    let check = session.atoms._NET_SUPPORTING_WM_CHECK;
    let Some(window) = session.numbers(session.root(), check, AtomEnum::WINDOW, 1)?.first().copied() else {
        return Ok(None);
    };
    // The window of a manager that ended is gone, though the root's property may still name it.
    let is_there = session.numbers(window, check, AtomEnum::WINDOW, 1)?.first() == Some(&window);
    Ok(is_there.then_some(window))
}

/// The name by which the window manager calls itself; empty if it has none.
pub(super) fn manager_name(session: &XSession) -> Outcome<String> {
    let Some(window) = manager(session)? else { return Ok(String::new()) };
    let name = session.atoms._NET_WM_NAME;
    let asked = session.connection.get_property(false, window, name, AtomEnum::ANY, 0, MAX_TITLE)?;
    Ok(asked.reply().if_there()?.map(|reply| text(&reply)).unwrap_or_default())
}

/// The child of the root that holds `window` (its frame, or itself), or `None` if it is gone.
pub(super) fn toplevel_of(session: &XSession, window: Window) -> Outcome<Option<Window>> {
    Ok(toplevels(session, &[window])?.get(&window).copied())
}

/// Whether a window is minimized, by its properties `WM_STATE` and `_NET_WM_STATE`.
pub(super) fn is_minimized(session: &XSession, window: Window) -> Outcome<bool> {
    let connection = &session.connection;
    let wm_state = connection.get_property(false, window, session.atoms.WM_STATE, AtomEnum::ANY, 0, 2)?;
    let net_state =
        connection.get_property(false, window, session.atoms._NET_WM_STATE, AtomEnum::ATOM, 0, 64)?;
    let (wm_state, net_state) = (wm_state.reply().if_there()?, net_state.reply().if_there()?);
    Ok(says_minimized(session, wm_state.as_ref(), net_state.as_ref()))
}

pub(super) fn id_of(window: Window) -> WindowId {
    WindowId::issued(window.into())
}

/// Which windows there are, and which one is active.
struct Desk {
    topmost_first: Vec<Window>,
    active: Option<WindowId>,
}

impl Desk {
    fn read(session: &XSession) -> Outcome<Self> {
        let (connection, root, atoms) = (&session.connection, session.root(), &session.atoms);
        let list =
            |property| connection.get_property(false, root, property, AtomEnum::WINDOW, 0, MAX_WINDOWS);
        let stacking = list(atoms._NET_CLIENT_LIST_STACKING)?;
        let mapping = list(atoms._NET_CLIENT_LIST)?;
        let active = list(atoms._NET_ACTIVE_WINDOW)?;
        let tree = connection.query_tree(root)?;
        let focus = connection.get_input_focus()?;
        let (stacking, mapping, active) = (stacking.reply()?, mapping.reply()?, active.reply()?);
        let (tree, focus) = (tree.reply()?, focus.reply()?);

        let mut bottom_first = numbers_of(&stacking);
        let managed = numbers_of(&mapping);
        // A manager may keep only the list in order of mapping, or lag behind with the other one.
        let known: HashSet<Window> = bottom_first.iter().copied().collect();
        bottom_first.extend(managed.iter().filter(|window| !known.contains(window)));
        if bottom_first.is_empty() && !has_manager(session)? {
            let mut children = tree.children;
            let excess = children.len().saturating_sub(MAX_WINDOWS as usize);
            children.drain(..excess);
            let topmost_first = select_children(session, &children, |a| !a.override_redirect)?;
            let active = match focus.focus {
                // 0 is no window, 1 is whatever is under the pointer.
                0 | 1 => None,
                focus => toplevel_of(session, focus)?.filter(|top| topmost_first.contains(top)),
            };
            return Ok(Self { topmost_first, active: active.map(id_of) });
        }
        let active = numbers_of(&active).first().copied().filter(|window| *window != x11rb::NONE);
        bottom_first.reverse();
        Ok(Self { topmost_first: bottom_first, active: active.map(id_of) })
    }
}

/// The mapped children (given bottom first, as the server lists them) that pass `wanted`, topmost first.
fn select_children(
    session: &XSession,
    children: &[Window],
    wanted: impl Fn(&GetWindowAttributesReply) -> bool,
) -> Outcome<Vec<Window>> {
    let cookies = children
        .iter()
        .rev()
        .map(|child| Ok((*child, session.connection.get_window_attributes(*child)?)))
        .collect::<Outcome<Vec<_>>>()?;
    let mut selected = Vec::new();
    for (child, cookie) in cookies {
        let Some(attributes) = cookie.reply().if_there()? else { continue };
        let shown =
            attributes.map_state == MapState::VIEWABLE && attributes.class == WindowClass::INPUT_OUTPUT;
        if shown && wanted(&attributes) {
            selected.push(child);
        }
    }
    Ok(selected)
}

/// Each window's child of the root, found level by level for all windows at once. Windows that are gone are left out.
pub(super) fn toplevels(session: &XSession, windows: &[Window]) -> Outcome<HashMap<Window, Window>> {
    let mut found = HashMap::with_capacity(windows.len());
    let mut open: Vec<(Window, Window)> = windows.iter().map(|window| (*window, *window)).collect();
    for _ in 0..MAX_NESTING {
        if open.is_empty() {
            break;
        }
        let cookies = open
            .iter()
            .map(|(_, ancestor)| Ok(session.connection.query_tree(*ancestor)?))
            .collect::<Outcome<Vec<_>>>()?;
        let mut higher = Vec::new();
        for ((window, ancestor), cookie) in open.into_iter().zip(cookies) {
            match cookie.reply().if_there()? {
                Some(tree) if tree.parent == session.root() => {
                    found.insert(window, ancestor);
                }
                Some(tree) if tree.parent != x11rb::NONE => higher.push((window, tree.parent)),
                _ => {}
            }
        }
        open = higher;
    }
    Ok(found)
}

/// Reads everything about the given windows in three bursts; `stacking` and `active` are left to the caller.
pub(super) fn describe(session: &XSession, windows: &[Window]) -> Outcome<Vec<handeye_core::Window>> {
    let (connection, root, atoms) = (&session.connection, session.root(), &session.atoms);
    let owners = ask_for_owners(session, windows)?;
    let bursts = windows
        .iter()
        .map(|&window| {
            let property = |name, kind, length| connection.get_property(false, window, name, kind, 0, length);
            Ok((
                window,
                [
                    property(atoms._NET_WM_NAME, atoms.UTF8_STRING, MAX_TITLE)?,
                    property(AtomEnum::WM_NAME.into(), AtomEnum::ANY.into(), MAX_TITLE)?,
                    property(AtomEnum::WM_CLASS.into(), AtomEnum::STRING.into(), 256)?,
                    property(atoms._NET_WM_PID, AtomEnum::CARDINAL.into(), 1)?,
                    property(atoms.WM_STATE, AtomEnum::ANY.into(), 2)?,
                    property(atoms._NET_WM_STATE, AtomEnum::ATOM.into(), 64)?,
                    property(AtomEnum::WM_TRANSIENT_FOR.into(), AtomEnum::WINDOW.into(), 1)?,
                    property(atoms._GTK_FRAME_EXTENTS, AtomEnum::CARDINAL.into(), Shadow::ITEMS)?,
                ],
                connection.get_geometry(window)?,
                connection.translate_coordinates(window, root, 0, 0)?,
            ))
        })
        .collect::<Outcome<Vec<_>>>()?;
    let tops = toplevels(session, windows)?;
    let frames = frames(session, tops.values().copied())?;

    let mut described = Vec::with_capacity(windows.len());
    for (window, properties, geometry, position) in bursts {
        let properties = properties.map(|cookie| cookie.reply().if_there());
        let (geometry, position) = (geometry.reply().if_there()?, position.reply().if_there()?);
        let [title, old_title, class, pid, wm_state, net_state, owner, extents] = properties;
        let (Some(geometry), Some(position)) = (geometry, position) else { continue };
        let client = Rect::new(
            position.dst_x.into(),
            position.dst_y.into(),
            geometry.width.into(),
            geometry.height.into(),
        );
        let shadow = Shadow::from_property(extents?.as_ref());
        let Some(frame) = tops.get(&window).and_then(|top| frames.get(top)) else { continue };
        let net_state = net_state?;
        let title = title?.map(|reply| text(&reply)).filter(|title| !title.is_empty());
        let title = match title {
            Some(title) => title,
            None => old_title?.map(|reply| text(&reply)).unwrap_or_default(),
        };
        described.push(handeye_core::Window {
            id: id_of(window),
            title: screen_text::title(&title),
            class: class?.as_ref().and_then(class_of).map(|class| screen_text::name(&class)),
            pid: pid?.as_ref().and_then(first_number),
            place: Some(Place { content: shadow.cut_from(client), frame: shadow.cut_from(*frame) }),
            stacking: None,
            minimized: says_minimized(session, wm_state?.as_ref(), net_state.as_ref()),
            active: false,
            modal: has_state(net_state.as_ref(), session.atoms._NET_WM_STATE_MODAL),
            transient_for: owner?
                .as_ref()
                .and_then(first_number)
                .filter(|owner| *owner != x11rb::NONE && *owner != root)
                .map(id_of),
        });
    }
    fill_in_owners(session, owners, &mut described)?;
    Ok(described)
}

/// The outer rectangles of children of the root, borders included.
fn frames(session: &XSession, tops: impl Iterator<Item = Window>) -> Outcome<HashMap<Window, Rect>> {
    let cookies =
        tops.map(|top| Ok((top, session.connection.get_geometry(top)?))).collect::<Outcome<Vec<_>>>()?;
    let mut frames = HashMap::new();
    for (top, cookie) in cookies {
        if let Some(geometry) = cookie.reply().if_there()? {
            frames.insert(top, with_border(&geometry));
        }
    }
    Ok(frames)
}

/// The question for the processes of windows, where the server can be asked.
type Owners<'a> = Option<Cookie<'a, RustConnection<PatientStream>, QueryClientIdsReply>>;

/// Asks the server who is at the other end of the sockets through which windows were made. What a window says of itself
/// (`_NET_WM_PID`) is for any program to write.
fn ask_for_owners<'a>(session: &'a XSession, windows: &[Window]) -> Outcome<Owners<'a>> {
    if !session.extensions.client_ids || windows.is_empty() {
        return Ok(None);
    }
    let ask = |&client| ClientIdSpec { client, mask: ClientIdMask::LOCAL_CLIENT_PID };
    let specs: Vec<ClientIdSpec> = windows.iter().map(ask).collect();
    Ok(Some(session.connection.res_query_client_ids(&specs)?))
}

/// The process that made a window, where the server knows it.
pub(super) fn process_of(session: &XSession, window: Window) -> Outcome<Option<u32>> {
    let Some(cookie) = ask_for_owners(session, &[window])? else { return Ok(None) };
    let Some(reply) = cookie.reply().if_there()? else { return Ok(None) };
    Ok(reply.ids.iter().find_map(|id| id.value.first().copied()).filter(|pid| *pid != 0))
}

/// Puts the processes that the server knows in the place of those that windows name. It knows none for a client on another machine.
fn fill_in_owners(
    session: &XSession,
    owners: Owners<'_>,
    windows: &mut [handeye_core::Window],
) -> Outcome<()> {
    let Some(cookie) = owners else { return Ok(()) };
    let Some(reply) = cookie.reply().if_there()? else { return Ok(()) };
    // The answer names a client by its base, the part of the id that all of its resources share.
    let resources = session.resource_mask();
    let processes: HashMap<u32, u32> =
        reply.ids.iter().filter_map(|id| Some((id.spec.client & !resources, *id.value.first()?))).collect();
    for window in windows {
        let client = u32::try_from(window.id.number()).ok().map(|id| id & !resources);
        let known = client.and_then(|client| processes.get(&client).copied()).filter(|pid| *pid != 0);
        window.pid = known.or(window.pid);
    }
    Ok(())
}

fn says_minimized(
    session: &XSession,
    wm_state: Option<&GetPropertyReply>,
    net_state: Option<&GetPropertyReply>,
) -> bool {
    wm_state.and_then(first_number) == Some(ICONIC_STATE)
        || has_state(net_state, session.atoms._NET_WM_STATE_HIDDEN)
}

fn has_state(net_state: Option<&GetPropertyReply>, state: Atom) -> bool {
    net_state.is_some_and(|reply| numbers_of(reply).contains(&state))
}

fn first_number(reply: &GetPropertyReply) -> Option<u32> {
    reply.value32()?.next()
}

/// A text property: UTF-8, or Latin-1 where it is not.
fn text(reply: &GetPropertyReply) -> String {
    let bytes = reply.value.split(|byte| *byte == 0).next().unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // A cut in the middle of a character does not excuse reading the rest wrongly.
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into()
        }
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// The class part of `WM_CLASS` (which is instance, NUL, class, NUL); the instance where there is none.
fn class_of(reply: &GetPropertyReply) -> Option<String> {
    let parts: Vec<_> = reply.value.split(|byte| *byte == 0).filter(|part| !part.is_empty()).collect();
    parts.get(1).or(parts.first()).map(|part| String::from_utf8_lossy(part).into_owned())
}
