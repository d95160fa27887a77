//! Numbers of which each is given out once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers from 1 on, each given out once: callers who share them never have the same one, so what one has cannot be taken for what
/// another has. The clones are one.
#[derive(Debug, Clone, Default)]
pub struct Numbers(Arc<AtomicU64>);

impl Numbers {
    /// The next one.
    pub fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The highest one that was given out; 0 before the first.
    pub fn last(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
