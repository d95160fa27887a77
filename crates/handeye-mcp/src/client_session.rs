//! One client's connection: what a server remembers of it alone.

use crate::tasks::{Owner, Tasks};
use handeye_call::caller::Caller;
use handeye_call::client_log::Level;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One client's connection. It ends with the last clone of the [`Server`](crate::Server) that serves it.
#[derive(Debug)]
pub(crate) struct ClientSession {
    number: u64,
    caller: Caller,
    /// What `logging/setLevel` asked for.
    log_level: Mutex<Option<Level>>,
    tasks: Tasks,
}

impl ClientSession {
    /// A connection of a caller that nothing has come over yet. Its tasks will be kept in `tasks`.
    pub(crate) fn new(caller: Caller, tasks: Tasks) -> Self {
        static SESSIONS: AtomicU64 = AtomicU64::new(0);
        let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
        Self { number, caller, log_level: Mutex::default(), tasks }
    }

    /// Whose the tasks of this connection are.
    pub(crate) fn owner(&self) -> Owner {
        Owner::session(self.caller.clone(), self.number)
    }

    /// The lowest level of records that the client receives. `None`: it did not ask for any.
    pub(crate) fn log_level(&self) -> Option<Level> {
        *self.level()
    }

    /// Sends the client records of this level and above from now on.
    pub(crate) fn set_log_level(&self, level: Level) {
        *self.level() = Some(level);
    }

    /// A poisoned lock is taken over: a level is replaced in one step.
    fn level(&self) -> MutexGuard<'_, Option<Level>> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// No client can ask for the results any more.
impl Drop for ClientSession {
    fn drop(&mut self) {
        self.tasks.forget(&self.owner());
    }
}
