//! The notifications that wait for a client. A pending change is sent once, however often it happens again, so a client
//! that reads slowly has no more waiting for it than it has subscriptions.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// A list that can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    /// That of the tools.
    Tools,
    /// That of the prompts.
    Prompts,
    /// That of the resources.
    Resources,
}

impl Topic {
    /// The lists that change with the applications; the others last as long as the process.
    pub(super) const OF_APPLICATIONS: [Self; 2] = [Self::Prompts, Self::Resources];
}

/// A pending notification.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    /// A list has changed.
    List(Topic),
    /// A resource has changed; its URI as the client wrote it.
    Resource(String),
}

/// The pending notifications of one client.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    waiting: Mutex<BTreeSet<Change>>,
    filled: Notify,
}

impl Outbox {
    /// Adds a change. Never waits.
    pub(super) fn put(&self, change: Change) {
        self.waiting().insert(change);
        self.filled.notify_one();
    }

    /// Removes the notifications that are not wanted any more.
    pub(super) fn forget(&self, uri: &str) {
        self.waiting().remove(&Change::Resource(uri.to_owned()));
    }

    /// Waits for the next change and takes it out.
    pub(super) async fn next(&self) -> Change {
        loop {
            let first = self.waiting().pop_first();
            match first {
                Some(change) => return change,
                None => self.filled.notified().await,
            }
        }
    }

    /// How much waits.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.waiting().len()
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeSet<Change>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
