//! What is known of the last read after which a mirror was true.

use super::rest::Rest;
use handeye_core::{DrawingWatch, Scope};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::OnceCell;

/// What is known of an application at rest.
#[derive(Default)]
pub(super) struct Stillness {
    pub(super) drawings: Option<Arc<dyn DrawingWatch>>,
    /// The process that makes the tree, where that is the one on the bus.
    pub(super) process: OnceCell<Option<u32>>,
    last: Mutex<Option<TrueRead>>,
}

/// A read after which the mirror was true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrueRead {
    pub(super) ended: Instant,
    pub(super) scope: Scope,
    pub(super) contacts: Contacts,
    pub(super) rest: Rest,
    pub(super) drawn: u64,
}

/// What came from an application, and went to it, so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contacts {
    pub(super) calls: u64,
    pub(super) events: u64,
}

/// What had come from an application, and what it had drawn, when a read began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    /// When it began.
    pub(super) time: Instant,
    pub(super) events: u64,
    /// `None` where that is not known.
    pub(super) drawn: Option<u64>,
}

impl Stillness {
    pub(super) fn noticing(drawings: Option<Arc<dyn DrawingWatch>>) -> Self {
        Self { drawings, ..Self::default() }
    }

    /// Held for moments only, never across an await.
    pub(super) fn last(&self) -> MutexGuard<'_, Option<TrueRead>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrueRead {
    /// Whether all of `wanted` was read.
    pub(super) fn covers(&self, wanted: Scope) -> bool {
        (self.scope.hidden || !wanted.hidden) && self.scope.details.contains(wanted.details)
    }
}
