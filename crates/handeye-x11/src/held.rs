//! What is held on the seat while an action works, and the port to whatever releases it when this process cannot.

use handeye_core::Result;
use serde::{Deserialize, Serialize};

/// What is held on the seat.
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
}

impl Held {
    /// Whether there is nothing to release.
    pub fn is_empty(&self) -> bool {
        self.buttons.is_empty() && self.keys.is_empty() && self.lent.is_empty() && self.unlocked.is_none()
    }
}

/// Releases what is held on the seat when this process ends without having done it, however it ends. Its methods block, each for a
/// few seconds at most, and are called on a thread that may.
pub trait SeatKeeper: std::fmt::Debug + Send + Sync {
    /// Records what is held on the seat from now on. When this returns, it will be released whatever becomes of this process.
    ///
    /// # Errors
    /// If that cannot be promised: then nothing may be pressed.
    fn hold(&self, held: &Held) -> Result<()>;

    /// Records that nothing is held any more if it was `released`; else has it released. Where nothing was recorded there is nothing
    /// to do.
    fn let_go(&self, released: bool);
}
