//! The mirror: the live copy of an application's accessibility tree.
//!
//! One task of the platform owns a mirror and applies the application's events to it; readers take a
//! [snapshot](Mirror::snapshot) and work on that, so that a slow reader never holds up an event.

use crate::Tree;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

/// Counts the changes of one mirror. Two equal versions mean that nothing changed in between.
pub type Version = u64;

/// What a mirror last received from its application.
#[derive(Debug, Clone, Copy)]
pub struct Activity {
    /// Version of the mirror after the last change.
    pub version: Version,
    /// Number of events received from the application, relevant to the tree or not.
    pub events: u64,
    /// When the last event came.
    pub last_event: Instant,
}

/// A live copy of one application's accessibility tree.
#[derive(Debug)]
pub struct Mirror {
    tree: Mutex<Arc<Tree>>,
    activity: watch::Sender<Activity>,
}

impl Default for Mirror {
    fn default() -> Self {
        Self::new()
    }
}

impl Mirror {
    /// An empty mirror at version 0.
    pub fn new() -> Self {
        let activity = Activity { version: 0, events: 0, last_event: Instant::now() };
        Self { tree: Mutex::default(), activity: watch::Sender::new(activity) }
    }

    /// The tree as it is now. Costs a pointer copy; the tree never changes under its holder.
    pub fn snapshot(&self) -> Arc<Tree> {
        Arc::clone(&self.tree.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the tree and advances the version. Copies the tree first if a reader still holds the last snapshot.
    pub fn update<R>(&self, change: impl FnOnce(&mut Tree) -> R) -> R {
        let result = change(Arc::make_mut(&mut self.tree.lock().unwrap_or_else(PoisonError::into_inner)));
        self.activity.send_modify(|activity| activity.version += 1);
        result
    }

    /// Records that `count` events came from the application, whether or not they change the tree.
    pub fn note_events(&self, count: u64) {
        self.activity.send_modify(|activity| {
            activity.events += count;
            activity.last_event = Instant::now();
        });
    }

    /// Version, event count and time of the last event.
    pub fn activity(&self) -> Activity {
        *self.activity.borrow()
    }

    /// A receiver that wakes when the tree changes or an event comes.
    pub fn watch(&self) -> watch::Receiver<Activity> {
        self.activity.subscribe()
    }
}
