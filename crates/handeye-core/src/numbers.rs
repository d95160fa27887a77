//! Numbers that are issued once each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers from 1 on, each issued once: callers that share them never get the same one, so what one has cannot be taken for what
/// another has. Clones share one count.
#[derive(Debug, Clone, Default)]
pub struct Numbers(Arc<AtomicU64>);

impl Numbers {
    /// The next one.
    pub fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The highest one that was issued; 0 before the first.
    pub fn last(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
