//! One desktop session, as all its callers share it.

use crate::Guard;
use crate::confirm::Confirm;
use crate::handles::Handles;
use crate::journal::Journal;
use crate::restless::Habits;
use handeye_call::call::Call;
use handeye_core::{Application, ApplicationId, ConnectedApp, Platform, Tree, application_id};
use handeye_tree::references::References;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// A desktop session: how it is reached, what is known of its applications, and the right to act on them. Cheap to clone: the platform and the
/// memory are shared.
#[derive(Clone)]
pub struct Desk {
    /// How it is reached.
    pub platform: Platform,
    /// What is remembered of its applications.
    pub memory: Arc<DeskMemory>,
    /// Grants the right to act.
    pub guard: Arc<Guard>,
    /// Whether a person is asked before something may be destroyed.
    pub confirm: Confirm,
}

impl Desk {
    /// A desktop session of which nothing is known yet.
    pub fn new(platform: Platform) -> Self {
        Self { platform, memory: Arc::default(), guard: Arc::default(), confirm: Confirm::default() }
    }

    /// How the answer to `call` names elements.
    pub fn handles(&self, call: &Call) -> Handles<'_> {
        Handles { references: &self.memory.references, kept: call.remembered }
    }

    /// The same desktop for a caller with another setting.
    #[must_use]
    pub fn confirming(self, confirm: Confirm) -> Self {
        Self { confirm, ..self }
    }
}

/// What is remembered of the applications of one desktop, for as long as the process lives. Everything here is bounded: names come from clients.
#[derive(Default)]
pub struct DeskMemory {
    /// The references that were issued, over all applications.
    pub references: References,
    /// What was done.
    pub journal: Journal,
    known: Mutex<Known>,
    /// One keyboard and one pointer: one action with them at a time.
    seat: Arc<tokio::sync::Mutex<()>>,
}

/// The applications that were used.
#[derive(Default)]
struct Known {
    /// Connections by the names under which they were asked for (lower case).
    connections: HashMap<String, Arc<dyn ConnectedApp>>,
    /// Connections by the names that callers gave them (lower case).
    aliases: HashMap<String, Arc<dyn ConnectedApp>>,
    /// One lock for each application that was acted on.
    actions: HashMap<String, Arc<tokio::sync::Mutex<()>>>,
    /// How each application behaves that was acted on.
    habits: HashMap<String, Habits>,
}

impl DeskMemory {
    /// Most names of each kind that are remembered.
    const MOST: usize = 256;

    /// Waits until no other action runs on this application, so that a change can be attributed to one action.
    /// Applications never wait for one another.
    pub async fn lock_application(&self, application: &Application) -> OwnedMutexGuard<()> {
        let lock = {
            let mut known = self.known();
            if known.actions.len() >= Self::MOST {
                known.actions.retain(|_, lock| Arc::strong_count(lock) > 1);
            }
            Arc::clone(known.actions.entry(lock_key(application)).or_default())
        };
        lock.lock_owned().await
    }

    /// How an application behaved at the last action; `None` before the first.
    pub fn habits(&self, application: &Application) -> Option<Habits> {
        self.known().habits.get(&lock_key(application)).cloned()
    }

    /// Begins to watch how an application behaves that is `connected`, unless that has begun before.
    pub fn begin_habits(&self, connected: &dyn ConnectedApp) {
        if self.habits(connected.application()).is_none() {
            self.keep_habits(connected.application(), Habits::of(connected.mirror().snapshot()));
        }
    }

    /// Notes a look at all that an application shows, for what it says about how the application behaves.
    pub fn note_look(&self, application: &Application, tree: &Arc<Tree>) {
        if let Some(habits) = self.known().habits.get_mut(&lock_key(application)) {
            habits.note_look(tree);
        }
    }

    /// Keeps how an application behaves for its next action.
    pub fn keep_habits(&self, application: &Application, habits: Habits) {
        let mut known = self.known();
        if known.habits.len() >= Self::MOST {
            // They are learnt again.
            known.habits.clear();
        }
        known.habits.insert(lock_key(application), habits);
    }

    /// Waits until no other action uses the keyboard and the pointer.
    pub async fn lock_seat(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.seat).lock_owned().await
    }

    /// The living connection that has the alias `name`, or was asked for under it before.
    pub fn connection(&self, name: &str) -> Option<Arc<dyn ConnectedApp>> {
        self.aliased(name).or_else(|| living(&mut self.known().connections, name))
    }

    /// The living connection that has the alias `name`. What runs under that name by now must not be hidden by it.
    pub fn aliased(&self, name: &str) -> Option<Arc<dyn ConnectedApp>> {
        living(&mut self.known().aliases, name)
    }

    /// Gives a connection an alias for as long as the application lives. Returns the application that has that alias already, if
    /// it is another one; it keeps it.
    pub fn keep_alias(&self, alias: &str, connection: &Arc<dyn ConnectedApp>) -> Option<Application> {
        let mut known = self.known();
        let key = alias.to_lowercase();
        if let Some(other) = living(&mut known.aliases, alias)
            && !other.application().is_same(connection.application())
        {
            return Some(other.application().clone());
        }
        if known.aliases.len() >= Self::MOST {
            known.aliases.retain(|_, connection| connection.is_alive());
        }
        if known.aliases.len() >= Self::MOST {
            known.aliases.clear();
        }
        known.aliases.insert(key, Arc::clone(connection));
        None
    }

    /// The connection to the application of a reference; that may have ended.
    pub fn connection_to(&self, application: &ApplicationId) -> Option<Arc<dyn ConnectedApp>> {
        let known = self.known();
        let mut connections = known.connections.values().chain(known.aliases.values());
        let found = connections.find(|connection| application_id(connection.as_ref()) == *application);
        found.map(Arc::clone)
    }

    /// Keeps a connection under a name by which it was asked for, for as long as the application lives.
    pub fn keep_connection(&self, name: &str, connection: &Arc<dyn ConnectedApp>) {
        let mut known = self.known();
        if known.connections.len() >= Self::MOST {
            known.connections.retain(|_, connection| connection.is_alive());
        }
        if known.connections.len() >= Self::MOST {
            // They are found again by their names.
            known.connections.clear();
        }
        known.connections.insert(name.to_lowercase(), Arc::clone(connection));
    }

    /// Whether a living connection to this application is kept.
    pub fn is_connected(&self, application: &Application) -> bool {
        self.known().connections.values().any(|connection| {
            connection.is_alive()
                && connection.application().id == application.id
                && connection.application().is_same(application)
        })
    }

    /// The names of the applications to which a living connection is kept, in order.
    pub fn connected_applications(&self) -> Vec<String> {
        let known = self.known();
        let living = known.connections.values().filter(|connection| connection.is_alive());
        let names: BTreeSet<String> =
            living.map(|connection| connection.application().name.clone()).collect();
        names.into_iter().collect()
    }

    /// A poisoned lock is taken over: every change to the memory is one call that cannot leave it half done.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connection of that name, unless its application has ended.
fn living(
    connections: &mut HashMap<String, Arc<dyn ConnectedApp>>,
    name: &str,
) -> Option<Arc<dyn ConnectedApp>> {
    let key = name.to_lowercase();
    let connection = connections.get(&key)?;
    if connection.is_alive() {
        return Some(Arc::clone(connection));
    }
    connections.remove(&key);
    None
}

fn lock_key(application: &Application) -> String {
    match (&application.id, application.pid()) {
        (Some(id), _) => format!("{} {}", id.source().name(), id.key()),
        (None, Some(pid)) => format!("pid {pid}"),
        (None, None) => application.name.clone(),
    }
}
