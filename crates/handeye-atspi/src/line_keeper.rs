//! The port to whatever keeps the connections of actions open when this process ends.

use handeye_core::Result;
use std::os::fd::BorrowedFd;

/// Keeps connections open beyond the end of this process, for as long as a dialog may block them (`action_line.rs` has why). Its
/// methods block, each for a few seconds at most, and are called on a thread that may.
pub trait LineKeeper: std::fmt::Debug + Send + Sync {
    /// A number for the lines that belong together. Lines of one application that come with a higher number replace those of lower
    /// ones.
    fn group(&self) -> u64;

    /// A number that rises whenever what was kept before is not kept any more.
    fn generation(&self) -> u64;

    /// Has a connection kept open beyond the end of this process. Returns the generation in which it is.
    ///
    /// # Errors
    /// If that cannot be promised: then no action may be asked for on it.
    fn keep_line(&self, line: BorrowedFd<'_>, group: u64) -> Result<u64>;
}
