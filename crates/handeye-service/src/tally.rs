//! Counts of calls, for monitoring.

use std::time::Duration;

/// Counts calls as they end: those of callers, and those that an operation makes. It must not block.
pub trait Tally: Send + Sync {
    /// A call of this tool ended: with `ok` or the code of its error, after this time.
    fn ended(&self, tool: &'static str, outcome: &'static str, duration: Duration);
}
