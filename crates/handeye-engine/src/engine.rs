//! The engine: a platform and what handeye remembers about it.

use crate::capture::CaptureSettings;
use crate::delivery::{Delivery, Housekeeping};
use crate::looks::Looks;
use crate::references::References;
use crate::shots::Shots;
use crate::vision::NoVision;
use handeye_core::vision::Vision;
use handeye_core::{Application, ConnectedApp, Platform};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// A platform and what handeye remembers about it. Shared by all calls.
pub struct Engine {
    /// The desktop session that it works on.
    pub platform: Platform,
    /// The references that were given out, over all applications.
    pub references: References,
    /// The looks at whole trees that were given out.
    pub looks: Looks,
    /// The pictures that were given out.
    pub shots: Shots,
    /// Where pictures are kept and how they reach a client.
    pub delivery: Delivery,
    /// What tidies behind it.
    pub housekeeping: Housekeeping,
    /// Who answers questions about pictures.
    pub vision: Arc<dyn Vision>,
    /// How `image` and `list` are configured.
    pub captures: CaptureSettings,
    memory: Mutex<Memory>,
    /// One keyboard and one pointer: one action with them at a time.
    seat: Arc<tokio::sync::Mutex<()>>,
}

/// What is remembered between calls. Bounded: names come from clients.
#[derive(Default)]
struct Memory {
    /// Connections by the names under which they were asked for and by their aliases (lower case).
    connections: HashMap<String, Arc<dyn ConnectedApp>>,
    /// One lock for each application that was acted on.
    actions: HashMap<String, Arc<tokio::sync::Mutex<()>>>,
}

impl Engine {
    /// Most names of each kind that are remembered.
    const REMEMBERED: usize = 256;

    /// An engine that remembers nothing yet.
    pub fn new(platform: Platform) -> Self {
        Self {
            platform,
            references: References::default(),
            looks: Looks::default(),
            shots: Shots::default(),
            delivery: Delivery::default(),
            housekeeping: Housekeeping::default(),
            vision: Arc::new(NoVision),
            captures: CaptureSettings::default(),
            memory: Mutex::default(),
            seat: Arc::default(),
        }
    }

    /// Waits until no other action runs on this application, so that a change can be told to belong to one action.
    /// Applications never wait for one another.
    pub async fn lock_application(&self, application: &Application) -> OwnedMutexGuard<()> {
        let lock = {
            let mut memory = self.memory();
            if memory.actions.len() >= Self::REMEMBERED {
                memory.actions.retain(|_, lock| Arc::strong_count(lock) > 1);
            }
            Arc::clone(memory.actions.entry(lock_key(application)).or_default())
        };
        lock.lock_owned().await
    }

    /// Waits until no other action uses the keyboard and the pointer.
    pub async fn lock_seat(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.seat).lock_owned().await
    }

    /// Lets `alias` stand for a connected application in later calls, for as long as that lives.
    pub fn add_alias(&self, alias: &str, connection: &Arc<dyn ConnectedApp>) {
        self.remember(alias, connection);
    }

    /// The living connection that was asked for under `name` before.
    pub fn remembered(&self, name: &str) -> Option<Arc<dyn ConnectedApp>> {
        let mut memory = self.memory();
        let key = name.to_lowercase();
        let connection = memory.connections.get(&key)?;
        if connection.is_alive() {
            return Some(Arc::clone(connection));
        }
        memory.connections.remove(&key);
        None
    }

    /// Keeps a connection under the name by which it was asked for.
    pub fn remember(&self, name: &str, connection: &Arc<dyn ConnectedApp>) {
        let mut memory = self.memory();
        if memory.connections.len() >= Self::REMEMBERED {
            memory.connections.retain(|_, connection| connection.is_alive());
        }
        if memory.connections.len() >= Self::REMEMBERED {
            // They are found again by their names.
            memory.connections.clear();
        }
        memory.connections.insert(name.to_lowercase(), Arc::clone(connection));
    }

    /// Whether a living connection to this application is kept.
    pub fn is_connected(&self, application: &Application) -> bool {
        self.memory().connections.values().any(|connection| {
            connection.is_alive()
                && connection.application().id == application.id
                && connection.application().pid == application.pid
        })
    }

    /// A poisoned lock is taken over: every change to the memory is one call that cannot leave it half done.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock_key(application: &Application) -> String {
    match (&application.id, application.pid) {
        (Some(id), _) => id.0.to_string(),
        (None, Some(pid)) => format!("pid {pid}"),
        (None, None) => application.name.clone(),
    }
}
