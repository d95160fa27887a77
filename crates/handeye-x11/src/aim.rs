//! Whether keys and buttons reach the window that is meant, asked right before they are sent.

use super::fault::{Outcome, Vanished};
use super::windows::{describe, list, toplevels};
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, WindowId};
use x11rb::protocol::xproto::{ConnectionExt as _, Window};

/// How far the keyboard focus may be nested inside of a window.
const MAX_NESTING: usize = 32;
/// How many owners a dialog of a dialog may have.
const MAX_OWNERS: usize = 8;
/// How much of a title an error repeats, in characters.
const MAX_TITLE: usize = 80;

/// The window that input is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Aim {
    window: Window,
}

impl Aim {
    /// At a window that is known.
    pub(super) fn at(window: WindowId) -> Outcome<Self> {
        let window = u32::try_from(window.number()).map_err(|_| {
            Error::new(ErrorCode::WindowNotFound, format!("there is no window {}", window.number()))
        })?;
        Ok(Self { window })
    }

    /// Whether the window is `focus`, or around it.
    pub(super) fn holds(self, session: &XSession, focus: Window) -> Outcome<bool> {
        Ok(path_to_root(session, focus)?.is_some_and(|path| path.contains(&self.window)))
    }

    /// The window.
    pub(super) const fn window(self) -> Window {
        self.window
    }

    /// At the window, or, where none is named, at the one that has the keyboard now; `None` if none has.
    pub(super) fn of_keys(session: &XSession, window: Option<WindowId>) -> Outcome<Option<Self>> {
        match window {
            Some(window) => Self::at(window).map(Some),
            None => Ok(holder(session)?.map(|window| Self { window })),
        }
    }

    /// Who has the keyboard instead of the window, by its title; `None` if the window has it, or a popup or a dialog of its own that
    /// does not shut it off.
    pub(super) fn keyboard_is_elsewhere(self, session: &XSession) -> Outcome<Option<String>> {
        // The keys of an agent go to the window under its pointer.
        if session.masters.is_some() {
            return self.pointer_is_elsewhere(session);
        }
        let Some(path) = path_of_focus(session)? else { return Ok(Some("no window".to_owned())) };
        if path.contains(&self.window) {
            return Ok(None);
        }
        let Some(top) = path.last().copied() else { return Ok(Some("no window".to_owned())) };
        self.unless_own(session, top)
    }

    /// What lies over the window under the pointer, by its title; `None` if a click there reaches the window or a popup of its own.
    pub(super) fn pointer_is_elsewhere(self, session: &XSession) -> Outcome<Option<String>> {
        let pointer = session.connection.query_pointer(session.root())?.reply()?;
        let under = pointer.child;
        if under == x11rb::NONE {
            return Ok(Some("the bare desktop".to_owned()));
        }
        if toplevels(session, &[self.window])?.get(&self.window) == Some(&under) {
            return Ok(None);
        }
        self.unless_own(session, under)
    }

    /// The name of the window in the child `top` of the root, unless it belongs to the window that is meant: a popup of its process, or
    /// a window that it owns, as far as that does not shut it off.
    fn unless_own(self, session: &XSession, top: Window) -> Outcome<Option<String>> {
        let mut windows = list(session)?;
        let ids: Vec<Window> =
            windows.iter().filter_map(|window| u32::try_from(window.id.number()).ok()).collect();
        let tops = toplevels(session, &ids)?;
        let shown_in = |window: &handeye_core::Window| {
            u32::try_from(window.id.number()).ok().and_then(|id| tops.get(&id)) == Some(&top)
        };
        let meant = WindowId::issued(self.window.into());
        let Some(found) = windows.iter().position(shown_in) else {
            // No window manager knows of it: a popup, if it is shown by the same process.
            let mut both = describe(session, &[self.window, top])?;
            let popup = both.pop();
            let own = both.first().and_then(|window| window.pid);
            let same_client = (top ^ self.window) & !session.resource_mask() == 0;
            return Ok(match popup {
                Some(popup) if same_client || (own.is_some() && popup.pid == own) => None,
                Some(popup) => Some(named(&popup.title)),
                None => Some("another window".to_owned()),
            });
        };
        let holder = windows.swap_remove(found);
        let mut owner = holder.transient_for;
        for _ in 0..MAX_OWNERS {
            match owner {
                Some(window) if window == meant && !holder.modal => return Ok(None),
                Some(window) => {
                    owner =
                        windows.iter().find(|known| known.id == window).and_then(|known| known.transient_for);
                }
                None => break,
            }
        }
        Ok(Some(named(&holder.title)))
    }
}

/// The window that has the keyboard: the child of the root, or the client window inside of it.
fn holder(session: &XSession) -> Outcome<Option<Window>> {
    let Some(path) = path_of_focus(session)? else { return Ok(None) };
    let client = super::windows::active(session)?.filter(|active| path.contains(active));
    Ok(client.or_else(|| path.last().copied()))
}

/// The window with the keyboard focus and those around it, innermost first, up to the child of the root. `None` if no window has it, or whatever is under
/// the pointer.
fn path_of_focus(session: &XSession) -> Outcome<Option<Vec<Window>>> {
    let focus = session.connection.get_input_focus()?.reply()?.focus;
    path_to_root(session, focus)
}

/// A window and those around it, up to the child of the root.
pub(super) fn path_to_root(session: &XSession, focus: Window) -> Outcome<Option<Vec<Window>>> {
    // 0 is no window, 1 is whatever is under the pointer.
    if focus <= 1 || focus == session.root() {
        return Ok(None);
    }
    let mut path = vec![focus];
    for _ in 0..MAX_NESTING {
        let Some(innermost) = path.last().copied() else { break };
        match session.connection.query_tree(innermost)?.reply().if_there()? {
            Some(tree) if tree.parent == session.root() => return Ok(Some(path)),
            Some(tree) if tree.parent != x11rb::NONE => path.push(tree.parent),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// A title in a sentence, on one line.
pub(super) fn named(title: &str) -> String {
    let short: String = title.chars().take(MAX_TITLE).flat_map(char::escape_debug).collect();
    format!("window \"{short}\"")
}
