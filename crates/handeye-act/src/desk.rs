//! One desktop session, as one of its callers has it.

use crate::Guard;
use crate::belongings::{Belongings, is_to};
use crate::confirm::Confirm;
use crate::handles::Handles;
use crate::restless::Habits;
use handeye_call::call::Call;
use handeye_core::{
    Application, ApplicationId, ConnectedApp, Ledger, NoLedger, Platform, Tree, Trust, application_id,
};
use handeye_redact::{HiddenFields, Redactor, Vault};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// A desktop session: how it is reached, what is known of its applications, what belongs to the caller, and the right to act. Cheap to
/// clone: clones share all of it.
#[derive(Clone)]
pub struct Desk {
    /// How it is reached.
    pub platform: Platform,
    /// What is known of its applications, for all callers.
    pub memory: Arc<DeskMemory>,
    /// What belongs to the caller.
    pub own: Arc<Belongings>,
    /// Grants the right to act.
    pub guard: Arc<Guard>,
    /// Records what is done: no right to act is granted without a record.
    pub ledger: Arc<dyn Ledger>,
    /// Whether a person is asked before something may be destroyed.
    pub confirm: Confirm,
    /// What is taken out of all that leaves, for all callers.
    pub redactor: Redactor,
    /// The secrets that can be typed by name.
    pub vault: Vault,
    /// The fields whose content never leaves.
    pub hidden: HiddenFields,
}

impl Desk {
    /// A desktop session of which nothing is known yet.
    pub fn new(platform: Platform) -> Self {
        Self {
            guard: Arc::new(Guard::new(Arc::default(), &platform)),
            platform,
            memory: Arc::default(),
            own: Arc::default(),
            ledger: Arc::new(NoLedger::default()),
            confirm: Confirm::default(),
            redactor: Redactor::default(),
            vault: Vault::default(),
            hidden: HiddenFields::default(),
        }
    }

    /// The same desktop for another caller, to whom nothing belongs yet.
    #[must_use]
    pub fn for_another_caller(&self) -> Self {
        Self { own: Arc::new(self.own.of_another_caller()), ..self.clone() }
    }

    /// How the answer to `call` names elements.
    pub fn handles(&self, call: &Call) -> Handles<'_> {
        Handles { references: &self.own.references, meant: &self.own.meant, kept: call.reader.remembered }
    }

    /// The same desktop, on which this is what the user lets be done.
    #[must_use]
    pub fn trusting(self, trust: Arc<Trust>) -> Self {
        Self { guard: Arc::new(Guard::new(trust, &self.platform)), ..self }
    }

    /// Whether what is about to be done has to be judged, as somebody may have to be asked.
    pub(super) fn judges(&self) -> bool {
        self.confirm != Confirm::Never || self.guard.trust().judges()
    }

    /// The same desktop for a caller with another setting.
    #[must_use]
    pub fn confirming(self, confirm: Confirm) -> Self {
        Self { confirm, ..self }
    }

    /// The same desktop, whose actions are recorded there.
    #[must_use]
    pub fn recorded_in(self, ledger: Arc<dyn Ledger>) -> Self {
        Self { ledger, ..self }
    }
}

/// What is known of the applications of one desktop, for as long as the process lives. All its callers share it: connections with their
/// mirrors, how applications behave, and whose turn it is. Everything here is bounded.
#[derive(Default)]
pub struct DeskMemory {
    known: Mutex<Known>,
    /// One keyboard and one pointer: one action with them at a time.
    seat: Arc<tokio::sync::Mutex<()>>,
    /// The turn of the one recording of the user.
    recording: Arc<tokio::sync::Mutex<()>>,
}

/// The applications that were used.
#[derive(Default)]
struct Known {
    /// The connection to each; it may have ended.
    connections: HashMap<String, Arc<dyn ConnectedApp>>,
    /// One lock for each application that was acted on.
    actions: HashMap<String, Arc<tokio::sync::Mutex<()>>>,
    /// How each application behaves that was acted on.
    habits: HashMap<String, Habits>,
}

impl DeskMemory {
    /// Most applications of which something is remembered.
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

    /// The right to record the user, of whom there is one; `None` while a recording runs.
    pub(super) fn claim_user(&self) -> Option<OwnedMutexGuard<()>> {
        Arc::clone(&self.recording).try_lock_owned().ok()
    }

    /// The living connection to this application.
    pub fn connection(&self, application: &Application) -> Option<Arc<dyn ConnectedApp>> {
        let known = self.known();
        known.connections.values().find(|kept| is_to(kept, application)).map(Arc::clone)
    }

    /// Keeps a connection for all callers; the one that they share, if somebody else has connected to this application meanwhile.
    pub fn share(&self, connection: Arc<dyn ConnectedApp>) -> Arc<dyn ConnectedApp> {
        let mut known = self.known();
        let key = lock_key(connection.application());
        if let Some(kept) = known.connections.get(&key).filter(|kept| is_to(kept, connection.application())) {
            return Arc::clone(kept);
        }
        if known.connections.len() >= Self::MOST {
            known.connections.retain(|_, connection| connection.is_alive());
        }
        if known.connections.len() >= Self::MOST {
            // The platform has them still.
            known.connections.clear();
        }
        known.connections.insert(key, Arc::clone(&connection));
        connection
    }

    /// The living connections.
    pub(crate) fn connections(&self) -> Vec<Arc<dyn ConnectedApp>> {
        let known = self.known();
        known.connections.values().filter(|connection| connection.is_alive()).map(Arc::clone).collect()
    }

    /// The connection to the application of a reference; that may have ended.
    pub fn connection_to(&self, application: &ApplicationId) -> Option<Arc<dyn ConnectedApp>> {
        let known = self.known();
        let found =
            known.connections.values().find(|connection| application_id(connection.as_ref()) == *application);
        found.map(Arc::clone)
    }

    /// A poisoned lock is taken over: every change to the memory is one call that cannot leave it half done.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock_key(application: &Application) -> String {
    format!("{} {}", application.id.source().name(), application.id.key())
}
