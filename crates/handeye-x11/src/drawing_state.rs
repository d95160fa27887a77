//! What is watched for drawing, and what came of it.

use handeye_core::Rect;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use x11rb::protocol::damage::Damage;
use x11rb::protocol::xfixes::Region;
use x11rb::protocol::xproto::Window;

/// Numbers what was drawn, so that no two connections ever give the same number.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

pub(super) fn next_number() -> u64 {
    NUMBERS.fetch_add(1, Ordering::Relaxed)
}

/// What is watched, and what came of it.
#[derive(Default)]
pub(super) struct Drawings {
    /// There while the server announces windows and what is drawn in them.
    pub(super) region: Option<Region>,
    /// Windows may have come, gone or moved.
    pub(super) is_outdated: bool,
    /// The children of the root that hold windows of the processes.
    pub(super) tops: HashMap<Window, Top>,
    pub(super) processes: HashMap<u32, Process>,
}

pub(super) struct Top {
    pub(super) damage: Damage,
    pub(super) process: u32,
    pub(super) is_drawn: bool,
    /// Where something so small was drawn last that it may be the mark where text is typed.
    pub(super) small: Option<Rect>,
}

#[derive(Default)]
pub(super) struct Process {
    /// The number of the last thing that was drawn or rearranged.
    pub(super) last: u64,
    /// Whether all that is drawn is reported.
    pub(super) is_known: bool,
    pub(super) asked: Option<Instant>,
}

impl Process {
    /// Something was drawn or rearranged.
    pub(super) fn note_drawn(&mut self) {
        self.last = next_number();
    }
}
