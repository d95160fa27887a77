//! What is held on the seat while an action works, and how it is released from wherever there is a connection to the X server.

use super::fault::Outcome;
use super::keyboard::{blank, lock, press as press_key};
use super::pointer::press as press_button;
use super::session::Session;
use crate::keeper::Keeper;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use x11rb::protocol::xkb::Group;
use x11rb::protocol::xproto::ModMask;

/// What is held on the seat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Held {
    /// The display, if it is not the one of the environment.
    pub(crate) display: Option<String>,
    /// Buttons of the pointer.
    pub(super) buttons: Vec<u8>,
    /// Keys, in the order in which they are pressed.
    pub(super) keys: Vec<u8>,
    /// Spare keys that bear symbols.
    pub(super) lent: Vec<u8>,
    /// Modifiers and layout that were locked before and are not now.
    pub(super) unlocked: Option<(u16, u8)>,
}

impl Held {
    /// Whether there is nothing to release.
    pub(crate) fn is_empty(&self) -> bool {
        self.buttons.is_empty() && self.keys.is_empty() && self.lent.is_empty() && self.unlocked.is_none()
    }
}

/// Releases all of it. The server takes no notice of the release of what is not pressed, and all connections press and release the
/// keys and buttons of the same device.
pub(super) fn undo(session: &Session, held: &Held) -> Outcome<()> {
    for button in &held.buttons {
        press_button(session, *button, false)?;
    }
    for key in held.keys.iter().rev() {
        press_key(session, *key, false)?;
    }
    if let Some((modifiers, group)) = held.unlocked {
        lock(session, ModMask::from(modifiers), Group::from(group))?;
    }
    blank(session, &held.lent)?;
    session.sync()
}

/// Tells the keeper what is held before it is pressed, and after it was released.
#[derive(Debug, Default)]
pub(super) struct Guard {
    keeper: Option<Arc<Keeper>>,
    display: Option<String>,
    held: Held,
}

impl Guard {
    /// For a connection to `display`.
    pub(super) fn new(keeper: Arc<Keeper>, display: Option<&str>) -> Self {
        Self { keeper: Some(keeper), display: display.map(str::to_owned), held: Held::default() }
    }

    /// Before something is pressed. Returns when it will be released whatever becomes of this process.
    pub(super) fn hold(&mut self, change: impl FnOnce(&mut Held)) -> Outcome<()> {
        let mut held = self.held.clone();
        held.display.clone_from(&self.display);
        change(&mut held);
        if held != self.held {
            if let Some(keeper) = &self.keeper {
                keeper.hold(&held)?;
            }
            self.held = held;
        }
        Ok(())
    }

    /// After it was released.
    pub(super) fn let_go(&mut self, change: impl FnOnce(&mut Held)) -> Outcome<()> {
        let mut held = self.held.clone();
        change(&mut held);
        if !held.is_empty() {
            return self.hold(|current| *current = held);
        }
        self.held = Held::default();
        if let Some(keeper) = &self.keeper {
            keeper.let_go(true);
        }
        Ok(())
    }
}

impl Drop for Guard {
    /// The connection is lost with something held: the keeper may have one that works.
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.as_ref().filter(|_| !self.held.is_empty()) {
            keeper.let_go(false);
        }
    }
}
