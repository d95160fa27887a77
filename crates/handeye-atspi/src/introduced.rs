//! What is known of programs on the accessibility bus that does not change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is true of a program for as long as it is on the bus.
#[derive(Debug, Clone)]
pub(super) struct Lasting {
    pub(super) pid: u32,
    pub(super) toolkit_name: String,
    pub(super) version: String,
    /// Whether it is no Chromium without a tree: one that has shown its tree does not hide it again.
    pub(super) has_tree: bool,
}

/// What is known of the programs on one bus, by their unique names there, which a bus never gives twice.
#[derive(Debug, Default)]
pub(super) struct Introduced(Mutex<HashMap<Arc<str>, Lasting>>);

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

    fn known(&self) -> MutexGuard<'_, HashMap<Arc<str>, Lasting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
