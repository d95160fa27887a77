//! The thread that talks to the X server, and the queue in front of it.
//!
//! An X connection is blocking, so it never meets the async runtime: callers put work into a queue and wait for its
//! answer under a deadline. Work that was begun runs to its end even when its caller has left, so that
//! no key or button stays pressed; work whose caller left before it began is skipped.

use super::abandoned::Abandoned;
use super::agent_cursor;
use super::entry::is_held_by_another;
use super::fault::{Fault, Outcome, unreachable_display};
use super::guard::Guard;
use super::held::SeatKeeper;
use super::masters;
use super::removal::{AT_REST, AT_THE_END, remove, remove_abandoned};
use super::x_session::XSession;
use handeye_core::{Error, ErrorCode, OpenMenus, Result};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How many calls may wait for one connection; more wait for a place, under their own deadline.
const QUEUE: usize = 64;

/// How long the removal of a seat may take, with the applications that are waited for.
const RESTS_WITHIN: Duration = Duration::from_secs(4);

type Job = Box<dyn FnOnce(&mut Connector) + Send>;

/// What a connection is for.
#[derive(Clone)]
pub(super) enum Role {
    /// It presses nothing.
    Looks,
    /// It presses nothing either, and reads what the server announces between calls.
    Notices,
    /// It presses on the user's seat.
    User(Arc<dyn SeatKeeper>),
    /// It has a seat of its own, which is made with it and removed with it. A cursor may show where that acts.
    Agent { keeper: Arc<dyn SeatKeeper>, shows_cursor: bool },
}

/// A connection to an X server on a thread of its own, opened at the first call and again after it was lost.
pub(super) struct Worker {
    display: Option<String>,
    thread_name: &'static str,
    role: Role,
    not_found: Option<Error>,
    queue: Mutex<Option<mpsc::Sender<Job>>>,
}

impl Worker {
    /// A worker for `display`, or for the one that `$DISPLAY` names at the time of the first call.
    pub(super) fn new(display: Option<String>, thread_name: &'static str, role: Role) -> Self {
        Self { display, thread_name, role, not_found: None, queue: Mutex::new(None) }
    }

    /// What a call reports where no display is named, and the displays that its error lists where one cannot be reached.
    pub(super) fn without_session(self, not_found: Option<Error>) -> Self {
        Self { not_found, ..self }
    }

    /// Does `work` on the connection and waits for its result, at most `deadline`.
    pub(super) async fn call<T, F>(&self, deadline: Duration, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut XSession, &dyn Abandoned) -> Outcome<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let begun = Arc::new(AtomicBool::new(false));
        let begins = Arc::clone(&begun);
        let job: Job = Box::new(move |connector| {
            if reply.is_closed() {
                return;
            }
            begins.store(true, Ordering::Relaxed);
            let result = connector.run(|session| work(session, &reply));
            if reply.send(result).is_err() {
                tracing::debug!("the caller left before its X request was done");
            }
        });
        let queue = self.queue()?;
        let wait = async move {
            queue.send(job).await.map_err(|_| Error::internal("the X thread ended"))?;
            answer.await.map_err(|_| Error::internal("the X thread ended in mid-request"))?
        };
        match tokio::time::timeout(deadline, wait).await {
            Ok(result) => result,
            Err(_) if begun.load(Ordering::Relaxed) => Err(unreachable_display(
                &self.display_name(),
                "it does not answer in time",
                self.not_found.as_ref(),
            )),
            Err(_) => Err(still_busy(deadline)),
        }
    }

    /// Ends the connection with the agent's seat after what waits for it; the next call opens another one. Returns whether there is no seat then:
    /// an application may hold it for a menu that stays, or be busy.
    pub(super) async fn rest(&self, menus: OpenMenus) -> bool {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(queue) = queue else { return true };
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connector| {
            if reply.send(connector.rest(menus)).is_err() {
                tracing::debug!("nobody waits for the agent's seat to rest");
            }
            connector.end_rest();
        });
        let rests = async { queue.send(job).await.is_ok() && answer.await == Ok(true) };
        tokio::time::timeout(RESTS_WITHIN, rests).await.unwrap_or(false)
    }

    fn display_name(&self) -> String {
        display_name(self.display.as_deref())
    }

    /// The queue of the running thread; starts the thread if there is none.
    fn queue(&self) -> Result<mpsc::Sender<Job>> {
        let mut slot = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = slot.as_ref().filter(|queue| !queue.is_closed()) {
            return Ok(queue.clone());
        }
        let (queue, mut jobs) = mpsc::channel::<Job>(QUEUE);
        let mut connector = Connector {
            display: self.display.clone(),
            role: self.role.clone(),
            not_found: self.not_found.clone(),
            session: None,
        };
        std::thread::Builder::new()
            .name(self.thread_name.into())
            .spawn(move || {
                while let Some(job) = jobs.blocking_recv() {
                    job(&mut connector);
                }
            })
            .map_err(|error| Error::internal(format!("the X thread could not be started: {error}")))?;
        *slot = Some(queue.clone());
        Ok(queue)
    }
}

fn still_busy(waited: Duration) -> Error {
    let message = format!("earlier calls to the display were not done after {} ms", waited.as_millis());
    Error::new(ErrorCode::Timeout, message).with_next("Wait for the earlier calls to end, then try again.")
}

fn display_name(display: Option<&str>) -> String {
    display.map(str::to_owned).or_else(|| std::env::var("DISPLAY").ok()).unwrap_or_default()
}

/// Holds the connection on the worker's thread.
struct Connector {
    display: Option<String>,
    role: Role,
    not_found: Option<Error>,
    session: Option<XSession>,
}

impl Connector {
    /// Does `work` on the connection, which is opened first if there is none or the server has closed it.
    fn run<T>(&mut self, work: impl FnOnce(&mut XSession) -> Outcome<T>) -> Result<T> {
        let keeps_events = matches!(self.role, Role::Notices);
        let result = self.session().and_then(|session| {
            if !keeps_events {
                session.drain_events()?;
            }
            work(session)
        });
        result.map_err(|fault| {
            if matches!(fault, Fault::Lost(_)) {
                self.session = None;
            }
            fault.into_error(&display_name(self.display.as_deref()), self.not_found.as_ref())
        })
    }

    fn session(&mut self) -> Outcome<&mut XSession> {
        if self.session.as_ref().is_some_and(|session| session.connection.stream().is_hung_up()) {
            self.session = None;
        }
        match &mut self.session {
            Some(session) => Ok(session),
            empty => {
                let mut session = XSession::open(self.display.as_deref())?;
                if let Role::User(keeper) | Role::Agent { keeper, .. } = &self.role {
                    session.guard = Guard::new(Arc::clone(keeper), self.display.as_deref());
                }
                if let Role::Agent { shows_cursor, .. } = self.role {
                    let number = masters::take(&mut session)?;
                    session.cursor =
                        shows_cursor.then(|| agent_cursor::create(&session, number)).transpose()?;
                }
                Ok(empty.insert(session))
            }
        }
    }
}

impl Connector {
    /// Removes the agent's seat; returns whether there is none then.
    fn rest(&mut self, menus: OpenMenus) -> bool {
        let Some(session) = self.session.as_mut() else { return true };
        let Some(masters) = session.masters.clone() else { return true };
        let stays = match menus {
            OpenMenus::Stay => is_held_by_another(session, &masters),
            OpenMenus::Close => Ok(false),
        };
        let removed = match stays {
            Ok(false) => remove(session, AT_REST),
            stays => stays.map(|_| false),
        };
        match removed {
            Ok(true) => {
                session.guard.close();
                true
            }
            Ok(false) => false,
            Err(fault) => {
                // The keeper removes it.
                tracing::debug!(?fault, "the connection of an agent's seat is given up");
                self.session = None;
                false
            }
        }
    }
}

impl Connector {
    /// Ends the connection whose seat was removed, and removes what others have left behind.
    fn end_rest(&mut self) {
        if let Some(mut session) = self.session.take_if(|session| session.masters.is_none()) {
            // What is pressed there was left by others: the keeper has no note of it, and keeps those of the user's seat.
            session.guard = Guard::default();
            if let Err(fault) = remove_abandoned(&mut session) {
                tracing::debug!(?fault, "seats that nobody uses stay");
            }
        }
    }
}

impl Drop for Connector {
    /// An agent's seat goes with its connection. Where that was lost, or an application is busy, the keeper removes it.
    fn drop(&mut self) {
        let Some(session) = self.session.as_mut().filter(|session| session.masters.is_some()) else { return };
        match remove(session, AT_THE_END) {
            Ok(true) => session.guard.close(),
            Ok(false) => tracing::debug!("an agent's seat is left to the keeper"),
            Err(fault) => tracing::debug!(?fault, "an agent's seat is left to the keeper"),
        }
    }
}
