//! A recording that runs.

use crate::recorded::Recorded;
use crate::recorder::Recorder;
use crate::sight::Sight;
use handeye_act::Agreed;
use handeye_act::desk::Desk;
use handeye_core::{ConnectedApp, Error, ErrorCode, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How long a recording may take to end: the last look at each thing included.
const TO_END: Duration = Duration::from_secs(10);

/// A recording that runs. It ends when this is dropped, and what was recorded is lost then.
#[derive(Debug)]
pub struct Recording {
    stop: CancellationToken,
    _ends_with_this: DropGuard,
    task: JoinHandle<Recorded>,
}

/// The recording that runs for one caller, if any.
#[derive(Debug, Default)]
pub struct Running(Mutex<Option<Recording>>);

impl Running {
    /// Keeps a recording. One that was kept before is ended: it has ended by itself, as only one runs on a desktop.
    pub fn keep(&self, recording: Recording) {
        *self.slot() = Some(recording);
    }

    /// Hands the recording out.
    pub fn take(&self) -> Option<Recording> {
        self.slot().take()
    }

    /// A poisoned lock is taken over: every change is one assignment.
    fn slot(&self) -> MutexGuard<'_, Option<Recording>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Begins a recording of one application, or of all, for `limit` at most. Returns when everything that is done from then on is recorded.
///
/// # Errors
/// As [`Desk::watch_user`].
pub async fn begin(
    desk: &Desk,
    agreed: Agreed,
    only: Option<Arc<dyn ConnectedApp>>,
    limit: Duration,
) -> Result<Recording> {
    desk.can_watch_user()?;
    let sight = Sight::new(desk.clone(), only).prepared().await;
    let recorder = Recorder::new(sight, desk.watch_user(agreed).await?);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let task = tokio::spawn(async move { recorder.run(&stopped, limit).await });
    Ok(Recording { _ends_with_this: stop.clone().drop_guard(), stop, task })
}

impl Recording {
    /// Waits until it ends by itself: after its time, or when it is full or the display ends.
    pub async fn ended(&mut self) -> Result<Recorded> {
        (&mut self.task).await.map_err(Error::internal)
    }

    /// Ends it.
    ///
    /// # Errors
    /// [`ErrorCode::Timeout`] if an application keeps it from that.
    pub async fn stop(mut self) -> Result<Recorded> {
        self.stop.cancel();
        match tokio::time::timeout(TO_END, self.ended()).await {
            Ok(recorded) => recorded,
            Err(_) => Err(Error::new(
                ErrorCode::Timeout,
                "the recording does not end: an application does not answer",
            )),
        }
    }
}
