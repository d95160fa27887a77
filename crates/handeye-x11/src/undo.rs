//! Releases what is held, from wherever there is a connection to the X server.

use super::fault::Outcome;
use super::held::Held;
use super::keyboard::{lock, press as press_key, take_back};
use super::pointing::press as press_button;
use super::x_session::XSession;
use x11rb::protocol::xkb::Group;
use x11rb::protocol::xproto::ModMask;

/// Releases all of it. The server takes no notice of the release of what is not pressed, and all connections press and release the
/// keys and buttons of the same device.
pub(super) fn undo(session: &XSession, held: &Held) -> Outcome<()> {
    for button in &held.buttons {
        press_button(session, *button, false)?;
    }
    for key in held.keys.iter().rev() {
        press_key(session, *key, false)?;
    }
    if let Some((modifiers, group)) = held.unlocked {
        lock(session, ModMask::from(modifiers), Group::from(group))?;
    }
    take_back(session, &held.lent)?;
    session.sync()
}
