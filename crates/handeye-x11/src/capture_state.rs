//! What captures keep between them.

use super::screen_pixels::{Belief, LastRead};
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
    /// What was drawn last in windows, and on the screen; the one that was asked for last is the last one.
    pub(super) stamps: Vec<Stamped>,
    /// What was read of the screen last, unless that is too much to keep.
    pub(super) last_read: Option<LastRead>,
    pub(super) belief: Belief,
}

/// What was drawn last in a window; that of the root stands for the screen.
pub(super) struct Stamped {
    pub(super) window: Window,
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
