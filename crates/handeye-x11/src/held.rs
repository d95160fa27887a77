//! What is held on a seat while an action works, and the port to whatever releases it when this process cannot.

use handeye_core::Result;
use serde::{Deserialize, Serialize};

/// What is held on one seat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// The display, if it is not the one of the environment.
    pub display: Option<String>,
    /// Buttons of the pointer.
    pub buttons: Vec<u8>,
    /// Keys, in the order in which they are pressed.
    pub keys: Vec<u8>,
    /// Spare keys that have symbols.
    pub lent: Vec<u8>,
    /// Modifiers and layout that were locked before and are not now.
    pub unlocked: Option<(u16, u8)>,
    /// The agent's seat on which all of it is held, by the name of its masters, and which has to go too. `None` for the user's seat.
    pub seat: Option<String>,
}

impl Held {
    /// Whether there is nothing to release.
    pub fn is_empty(&self) -> bool {
        self.is_free() && self.seat.is_none()
    }

    /// Whether nothing is pressed, lent or unlocked.
    pub(crate) fn is_free(&self) -> bool {
        self.buttons.is_empty() && self.keys.is_empty() && self.lent.is_empty() && self.unlocked.is_none()
    }

    /// On which seat it is held.
    pub fn seat(&self) -> Option<&str> {
        self.seat.as_deref()
    }
}

/// Releases what is held on the seat when this process ends without having done it, however it ends. Its methods block, each for a
/// few seconds at most, and are called on a thread that may.
pub trait SeatKeeper: std::fmt::Debug + Send + Sync {
    /// Records what is held on this seat from now on. When this returns, it will be released whatever becomes of this process.
    ///
    /// # Errors
    /// If that cannot be promised: then nothing may be pressed.
    fn hold(&self, held: &Held) -> Result<()>;

    /// Records that nothing is held on this seat any more if it was `released`; else has it released. Where nothing was recorded there is
    /// nothing to do.
    fn let_go(&self, seat: Option<&str>, released: bool);
}
