//! Whether anybody still waits for a long piece of work.

use tokio::sync::oneshot;

/// Whether the caller of a long piece of work has left.
pub(super) trait Abandoned {
    /// True as soon as no caller waits for the result any more.
    fn is_abandoned(&self) -> bool;
}

impl<T> Abandoned for oneshot::Sender<T> {
    fn is_abandoned(&self) -> bool {
        self.is_closed()
    }
}
