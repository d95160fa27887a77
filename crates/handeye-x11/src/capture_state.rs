//! What captures keep between them.

use super::shared_memory::SharedMemory;
use handeye_core::Stamp;
use std::collections::HashSet;
use x11rb::protocol::damage::Damage;
use x11rb::protocol::xfixes::Region;
use x11rb::protocol::xproto::Window;

/// What captures keep between them.
#[derive(Default)]
pub(super) struct CaptureState {
    pub(super) memory: Option<SharedMemory>,
    pub(super) redirection: Redirection,
    pub(super) drawn: Option<DrawnOnScreen>,
}

/// What was drawn last on the screen.
pub(super) struct DrawnOnScreen {
    pub(super) damage: Damage,
    pub(super) region: Region,
    pub(super) stamp: Stamp,
}

/// What this session has redirected.
#[derive(Default)]
pub(super) struct Redirection {
    pub(super) holds: bool,
    /// Windows of which parts had no pixels when they were redirected, and that were not yet seen to have painted them.
    pub(super) unpainted: HashSet<Window>,
}
