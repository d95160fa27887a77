//! Connections for actions, apart from those for reading.
//!
//! GTK 3 runs an action inside of the dispatch of the connection on which it was asked for, often after it has answered. One that
//! opens a modal dialog comes back when the dialog is closed; until then that connection answers nothing, and a message that
//! waits on it, or its end, freezes the application for good at the next key press (at-spi2-core 2.46). So every action goes over a
//! connection of its own, which the [keeper](LineKeeper) has before the action is asked for, so that no end of this process closes
//! it; it is left alone for as long as a modal dialog may block it, and no caller waits for an answer longer than a
//! healthy application takes.

use super::call_error::CallError;
use super::direct::DirectAddress;
use super::line_keeper::LineKeeper;
use super::object::ObjectKey;
use super::read_call::PING;
use handeye_core::{Error, ErrorCode};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use zbus::zvariant::DynamicType;
use zbus::{Connection, Message};

/// How long an answer is waited for. What comes later is an action that is still at work: a dialog that it opened.
const PATIENCE: Duration = Duration::from_millis(600);
/// Spare lines beside the one in use: for the button that closes a dialog, and for those in dialogs over that.
const SPARE_LINES: usize = 3;
/// Lines to one application.
const MAX_LINES: usize = 32;
/// How long a line is left alone after its use at least. An action that lets the application handle events while it works, and opens
/// its dialog after that, looks from outside as if it had come back.
const REST: Duration = Duration::from_secs(1);
/// How long it is left alone while there are others, or more can be opened.
const LONG_REST: Duration = Duration::from_secs(30);
/// An application that takes longer to answer was inside of an action, which may open a dialog now.
const PROMPT: Duration = Duration::from_millis(100);
/// Actions that may be unanswered at a time.
const MAX_UNANSWERED: usize = 8;

/// The lines to one application.
#[derive(Debug, Clone)]
pub(super) struct ActionLines {
    bus: Connection,
    /// Bus name of the process to which the lines lead.
    name: Arc<str>,
    /// What is needed for connections of its own, if the application accepts any.
    own: Option<Own>,
    lines: Arc<Mutex<Vec<Line>>>,
    unanswered: Arc<tokio::sync::Semaphore>,
}

/// What is needed for connections straight to the application.
#[derive(Debug, Clone)]
struct Own {
    address: DirectAddress,
    keeper: Arc<dyn LineKeeper>,
    /// What the keeper knows these lines by.
    group: u64,
}

/// A connection straight to the application.
#[derive(Debug)]
struct Line {
    connection: Connection,
    /// A second handle to the same socket, for the keeper.
    socket: Arc<OwnedFd>,
    /// When it was used last.
    used: Option<Instant>,
    /// Whether a dialog may block that use.
    occupied: bool,
    /// Whether that use was answered.
    answered: Arc<AtomicBool>,
    /// Which keeper has it.
    kept_by: Option<u64>,
}

/// What an action is asked for on.
struct Chosen {
    connection: Connection,
    answered: Arc<AtomicBool>,
}

impl ActionLines {
    /// Lines to the application `name`, which accepts connections of its `own` at an address and which a keeper keeps, or is reached
    /// over `bus` only.
    pub(super) fn new(
        bus: Connection,
        name: Arc<str>,
        own: Option<(DirectAddress, Arc<dyn LineKeeper>)>,
    ) -> Self {
        let unanswered = Arc::new(tokio::sync::Semaphore::new(MAX_UNANSWERED));
        let own = own.map(|(address, keeper)| Own { address, group: keeper.group(), keeper });
        Self { bus, name, own, lines: Arc::default(), unanswered }
    }

    /// Asks for an action. `None` when it is still at work after the time that an answer takes. `in_dialog` says that a modal
    /// dialog of the application is open.
    pub(super) async fn ask<B>(
        &self,
        object: &ObjectKey,
        interface: &'static str,
        method: &'static str,
        body: B,
        in_dialog: bool,
    ) -> Result<Option<Message>, CallError>
    where
        B: serde::Serialize + DynamicType + Send + Sync + 'static,
    {
        let place = Arc::clone(&self.unanswered).try_acquire_owned().map_err(|_| {
            CallError::Rejected(
                "earlier actions are still unanswered; close the dialogs that they opened".into(),
            )
        })?;
        let direct = match self.own.as_ref().filter(|_| object.bus == self.name) {
            Some(own) => self.direct_line(own, in_dialog).await?,
            None => None,
        };
        let destination = direct.is_none().then(|| Arc::clone(&object.bus));
        let chosen =
            direct.unwrap_or_else(|| Chosen { connection: self.bus.clone(), answered: Arc::default() });
        tracing::debug!(application = %self.name, path = %object.path, method, direct = destination.is_none(), "asking for an action");
        let path = Arc::clone(&object.path);
        let answer = tokio::spawn(async move {
            let Chosen { connection, answered } = chosen;
            let answer =
                connection.call_method(destination.as_deref(), &*path, Some(interface), method, &body).await;
            answered.store(true, Ordering::Relaxed);
            drop(place);
            answer
        });
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => Ok(Some(answer?)),
            Ok(Err(_)) => Err(CallError::Gone),
            Err(_) => Ok(None),
        }
    }

    /// A connection of its own that no dialog blocks, held by the keeper. `None` where the application lets nobody
    /// in.
    async fn direct_line(&self, own: &Own, in_dialog: bool) -> Result<Option<Chosen>, CallError> {
        if !in_dialog && self.are_used() {
            self.free_lines().await?;
        }
        self.open_lines(&own.address, in_dialog).await;
        let rest = self.lines().iter().filter_map(|line| line.rest(in_dialog)).min();
        match rest {
            None if self.lines().is_empty() => return Ok(None),
            None => return Err(all_occupied()),
            Some(rest) => tokio::time::sleep(rest).await,
        }
        self.take_line(own, in_dialog).await.map(Some)
    }

    fn are_used(&self) -> bool {
        self.lines().iter().any(|line| line.occupied)
    }

    /// Makes those lines free that have rested, now that no dialog is open. An application that does not answer at once may be inside
    /// of an action still, or have just come out of it: the rest begins again.
    async fn free_lines(&self) -> Result<(), CallError> {
        let asked = Instant::now();
        let ping = self.bus.call_method(Some(&*self.name), "/", Some(PING.interface()), PING.member(), &());
        match tokio::time::timeout(super::call_error::CALL_DEADLINE, ping).await {
            // An application that does not know the question has answered too.
            Ok(Ok(_) | Err(zbus::Error::MethodError(..))) => {}
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => return Err(CallError::NotResponding),
        }
        let was_busy = asked.elapsed() > PROMPT;
        for line in self.lines().iter_mut().filter(|line| line.occupied) {
            if was_busy {
                line.used = Some(Instant::now());
            }
            if line.has_rested(REST) && line.answered.load(Ordering::Relaxed) {
                line.occupied = false;
            }
        }
        Ok(())
    }

    /// Opens more lines, before they are needed: one that is opened while the application is inside of an action is not served until
    /// the next one comes.
    async fn open_lines(&self, address: &DirectAddress, in_dialog: bool) {
        let missing = {
            let lines = self.lines();
            let ready = lines.iter().filter(|line| !line.occupied && line.has_rested(LONG_REST)).count();
            let wanted = if in_dialog { 1 } else { 1 + SPARE_LINES };
            wanted.saturating_sub(ready).min(MAX_LINES.saturating_sub(lines.len()))
        };
        for _ in 0..missing {
            let Some((channel, socket)) = address.open().await else { break };
            self.lines().push(Line {
                connection: channel.connection,
                socket: Arc::new(socket),
                used: None,
                occupied: false,
                answered: Arc::default(),
                kept_by: None,
            });
        }
    }

    /// The free line that has rested longest, after the keeper has it.
    async fn take_line(&self, own: &Own, in_dialog: bool) -> Result<Chosen, CallError> {
        let (connection, socket, answered, kept_by) = {
            let mut lines = self.lines();
            let free = lines.iter_mut().filter(|line| line.rest(in_dialog).is_some());
            // Those that were never used come first, the oldest of them: it has been there longest.
            let line = free.min_by_key(|line| line.used).ok_or_else(all_occupied)?;
            line.used = Some(Instant::now());
            line.occupied = true;
            line.answered = Arc::default();
            (line.connection.clone(), Arc::clone(&line.socket), Arc::clone(&line.answered), line.kept_by)
        };
        let (keeper, group) = (Arc::clone(&own.keeper), own.group);
        let kept = Arc::clone(&socket);
        let keeping = tokio::task::spawn_blocking(move || match kept_by {
            Some(by) if by == keeper.generation() => Ok(by),
            _ => keeper.keep_line(kept.as_fd(), group),
        });
        let kept_by = keeping.await.map_err(|_| CallError::Gone)?;
        let mut lines = self.lines();
        if let Some(line) = lines.iter_mut().find(|line| Arc::ptr_eq(&line.socket, &socket)) {
            match &kept_by {
                Ok(by) => line.kept_by = Some(*by),
                // Nothing was asked for on it.
                Err(_) => line.occupied = false,
            }
        }
        kept_by.map_err(|error| CallError::NotSent(Box::new(error)))?;
        Ok(Chosen { connection, answered })
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn has_rested(&self, rest: Duration) -> bool {
        self.used.is_none_or(|used| used.elapsed() >= rest)
    }

    /// How long it has to rest until it can be used, `None` if it is unknown. With a dialog open, one that was used after the dialog
    /// came cannot be distinguished from one that it blocks.
    fn rest(&self, in_dialog: bool) -> Option<Duration> {
        match self.used {
            _ if !self.occupied => Some(Duration::ZERO),
            Some(used) if !in_dialog && self.answered.load(Ordering::Relaxed) => {
                Some(REST.saturating_sub(used.elapsed()))
            }
            _ => None,
        }
    }
}

fn all_occupied() -> CallError {
    let message =
        format!("the action was not dispatched: each of {MAX_LINES} earlier ones may have opened a dialog");
    let error = Error::new(ErrorCode::Refused, message);
    CallError::NotSent(Box::new(error.with_next("Close the dialogs that are open, then try again.")))
}
