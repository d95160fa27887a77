//! What was seen last of the applications that are watched.

use super::app_snapshot::AppSnapshot;
use handeye_core::{ApplicationId, ConnectedApp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// What was seen last.
#[derive(Debug, Clone)]
pub(super) struct Beat {
    /// The look.
    pub(super) snapshot: AppSnapshot,
    /// The application has ended; there is no later look.
    pub(super) ended: bool,
}

/// Looks at one application for as long as this is held.
pub(super) struct Pulse {
    /// The application.
    pub(super) app: Arc<dyn ConnectedApp>,
    beats: watch::Receiver<Beat>,
    _looking: AbortOnDropHandle<()>,
}

impl Pulse {
    /// Looks at `app` for as long as the pulse lives; `looking` sends what it sees to `beats`.
    pub(super) fn new(
        app: Arc<dyn ConnectedApp>,
        beats: watch::Receiver<Beat>,
        looking: AbortOnDropHandle<()>,
    ) -> Self {
        Self { app, beats, _looking: looking }
    }

    /// What was seen last, and a wake-up for what is seen next.
    pub(super) fn beats(&self) -> watch::Receiver<Beat> {
        self.beats.clone()
    }
}

/// The applications that are looked at. An entry without a pulse is taken out when the next one comes.
#[derive(Default)]
pub(super) struct Pulses(Mutex<HashMap<ApplicationId, Weak<Pulse>>>);

impl Pulses {
    pub(super) fn running(&self, id: &ApplicationId) -> Option<Arc<Pulse>> {
        self.lock().get(id).and_then(Weak::upgrade).filter(|pulse| pulse.app.is_alive())
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, HashMap<ApplicationId, Weak<Pulse>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
