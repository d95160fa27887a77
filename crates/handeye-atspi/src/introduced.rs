//! What is known of programs on the accessibility bus from when they were listed: what does not change, and which of them showed a window.

use handeye_core::Window;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is true of a program for as long as it is on the bus.
#[derive(Debug, Clone)]
pub(super) struct Lasting {
    pub(super) pid: u32,
    pub(super) toolkit_name: String,
    pub(super) version: String,
    /// Whether it is no Chromium without a tree: one that has shown its tree does not hide it again.
    pub(super) has_tree: bool,
    /// Whether it has listed a window, after which an empty list does not mean that it is starting.
    pub(super) had_window: bool,
}

/// What is known of the programs on one bus.
#[derive(Debug, Default)]
pub(super) struct Introduced {
    /// By their unique names there, which a bus never gives twice.
    programs: Mutex<HashMap<Arc<str>, Lasting>>,
    /// The processes that had a window when applications were listed last.
    with_window: Mutex<HashSet<u32>>,
}

impl Introduced {
    /// What is known of this program.
    pub(super) fn get(&self, name: &str) -> Option<Lasting> {
        self.known().get(name).cloned()
    }

    /// Remembers a program until the bus no longer lists it.
    pub(super) fn note(&self, name: &Arc<str>, lasting: Lasting) {
        self.known().insert(Arc::clone(name), lasting);
    }

    /// Forgets all programs but these.
    pub(super) fn keep(&self, listed: &[Arc<str>]) {
        self.known().retain(|name, _| listed.contains(name));
    }

    /// Whether this process had a window when applications were listed last.
    pub(super) fn had_window(&self, pid: u32) -> bool {
        self.with_window().contains(&pid)
    }

    /// Remembers which processes have a window, until applications are listed again.
    pub(super) fn note_windows(&self, windows: &[Window]) {
        *self.with_window() = windows.iter().filter_map(|window| window.pid).collect();
    }

    fn with_window(&self) -> MutexGuard<'_, HashSet<u32>> {
        self.with_window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Arc<str>, Lasting>> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
