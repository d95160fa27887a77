//! What captures keep between them.

use super::drawn::Drawn;
use super::shared_memory::SharedMemory;
use handeye_core::{Rect, Redrawn, Stamp};
use std::collections::HashSet;
use std::sync::Arc;
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

/// What was read of the screen last.
pub(super) struct LastRead {
    pub(super) area: Rect,
    pub(super) rgb: Arc<Vec<u8>>,
    /// The last picture of the area with a stamp, and where later ones may differ from it. `None` until there is one.
    pub(super) redrawn: Option<Redrawn>,
    /// What was drawn on the screen since it was read, or meanwhile.
    pub(super) drawn: Drawn,
}

/// How far what the server reports as drawn is believed.
#[derive(Default)]
pub(super) struct Belief {
    /// Pictures of which only a part was read, since the last one that was compared with all that is there.
    pub(super) pictures: u32,
    /// Something was drawn that was not reported.
    pub(super) is_lost: bool,
}

/// What this session has redirected.
#[derive(Default)]
pub(super) struct Redirection {
    pub(super) holds: bool,
    /// Windows of which parts had no pixels when they were redirected, and that were not yet seen to have painted them.
    pub(super) unpainted: HashSet<Window>,
}
