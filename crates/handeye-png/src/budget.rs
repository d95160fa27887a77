//! How many bytes a file may have, shared by the threads that make its parts.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that were written, of those that may be.
pub(crate) struct Budget {
    most: usize,
    written: AtomicUsize,
}

impl Budget {
    /// Nothing is written yet, of at most this many bytes.
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, written: AtomicUsize::new(0) }
    }

    /// Counts bytes. Returns whether all that were written are still few enough.
    pub(crate) fn add(&self, bytes: usize) -> bool {
        // Bytes are in memory when they are counted, so their sum cannot overflow.
        self.written.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.most
    }

    /// Bytes that were written.
    pub(crate) fn written(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }
}
