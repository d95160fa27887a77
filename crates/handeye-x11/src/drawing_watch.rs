//! The connection that notices what is drawn.

use super::DEADLINE;
use super::drawings::{last_drawn, tend};
use super::worker::Worker;
use handeye_core::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long the server may keep what it has announced to nobody.
const TENDED_EACH: Duration = Duration::from_secs(5);

/// Notices what is drawn, on a connection of its own, as long as somebody asks.
pub(super) struct DrawnWindows {
    worker: Arc<Worker>,
    is_tended: Arc<AtomicBool>,
}

impl DrawnWindows {
    /// Does not connect yet.
    pub(super) fn new(worker: Worker) -> Self {
        Self { worker: Arc::new(worker), is_tended: Arc::default() }
    }

    /// Connects, where it is not connected yet.
    pub(super) async fn prepare(&self) -> Result<()> {
        self.worker.call(DEADLINE, |_, _| Ok(())).await
    }

    pub(super) async fn last_drawn(&self, process: u32) -> Result<Option<u64>> {
        let last = self.worker.call(DEADLINE, move |session, _| last_drawn(session, process)).await?;
        if !self.is_tended.swap(true, Ordering::SeqCst) {
            tokio::spawn(keep_tended(Arc::clone(&self.worker), Arc::clone(&self.is_tended)));
        }
        Ok(last)
    }
}

/// Takes what the server announces while nobody asks, until nobody has asked for long.
async fn keep_tended(worker: Arc<Worker>, is_tended: Arc<AtomicBool>) {
    loop {
        tokio::time::sleep(TENDED_EACH).await;
        match worker.call(DEADLINE, |session, _| tend(session)).await {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                tracing::debug!(%error, "what is drawn is noticed no more");
                break;
            }
        }
    }
    is_tended.store(false, Ordering::SeqCst);
}
