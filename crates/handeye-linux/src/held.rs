//! What is held on the seat while an action works.

use serde::{Deserialize, Serialize};

/// What is held on the seat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Held {
    /// The display, if it is not the one of the environment.
    pub(crate) display: Option<String>,
    /// Buttons of the pointer.
    pub(crate) buttons: Vec<u8>,
    /// Keys, in the order in which they are pressed.
    pub(crate) keys: Vec<u8>,
    /// Spare keys that bear symbols.
    pub(crate) lent: Vec<u8>,
    /// Modifiers and layout that were locked before and are not now.
    pub(crate) unlocked: Option<(u16, u8)>,
}

impl Held {
    /// Whether there is nothing to release.
    pub(crate) fn is_empty(&self) -> bool {
        self.buttons.is_empty() && self.keys.is_empty() && self.lent.is_empty() && self.unlocked.is_none()
    }
}
