//! Connections for actions, apart from those for reading.
//!
//! GTK 3 runs an action inside of the dispatch of the connection on which it was asked for, often after it has answered. One that
//! opens a modal dialog comes back when the dialog is closed; until then that connection answers nothing, and a message that
//! waits on it, or its end, freezes the application for good at the next key press (at-spi2-core 2.46). So every action goes over a
//! connection of its own, which is left alone and open for as long as a modal dialog may stand behind it, and nobody waits for
//! an answer longer than a healthy application takes.

use super::direct::DirectAddress;
use super::object::ObjectKey;
use super::wire::CallError;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use zbus::zvariant::DynamicType;
use zbus::{Connection, Message};

/// How long an answer is waited for. What comes later is an action that is still at work: a dialog that it opened.
const PATIENCE: Duration = Duration::from_millis(600);
/// Lines that stand ready beside the one in use: for the button that closes a dialog, and for those in dialogs over that.
const SPARE_LINES: usize = 3;
/// Lines to one application. More are in use only if it opens dialogs without end.
const MAX_LINES: usize = 32;
/// How long after an action its dialog may open.
const REST: Duration = Duration::from_secs(1);
/// Actions that may be unanswered at a time.
const MAX_UNANSWERED: usize = 8;

/// The lines to one application.
#[derive(Debug, Clone)]
pub(super) struct ActionLines {
    bus: Connection,
    /// Bus name of the process to which the lines lead.
    name: Arc<str>,
    /// Where the application accepts connections of its own, if it does.
    address: Option<DirectAddress>,
    lines: Arc<Mutex<Vec<Line>>>,
    unanswered: Arc<tokio::sync::Semaphore>,
}

/// A connection straight to the application.
#[derive(Debug)]
struct Line {
    connection: Connection,
    /// A second handle to the same socket, by which it can be kept open beyond the end of this process.
    socket: OwnedFd,
    /// When it was used, until it is certain that no dialog stands behind that use.
    used: Option<Instant>,
}

impl ActionLines {
    /// Lines to the application `name`, which accepts connections at `address`, or is reached over `bus` only.
    pub(super) fn new(bus: Connection, name: Arc<str>, address: Option<DirectAddress>) -> Self {
        let unanswered = Arc::new(tokio::sync::Semaphore::new(MAX_UNANSWERED));
        Self { bus, name, address, lines: Arc::default(), unanswered }
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
        let direct = if object.bus == self.name { self.direct_line(in_dialog).await } else { None };
        let (line, destination) = match direct {
            Some(direct) => (direct, None),
            None => (self.bus.clone(), Some(Arc::clone(&object.bus))),
        };
        tracing::debug!(application = %self.name, path = %object.path, method, direct = destination.is_none(), "asking for an action");
        let path = Arc::clone(&object.path);
        let answer = tokio::spawn(async move {
            let answer =
                line.call_method(destination.as_deref(), &*path, Some(interface), method, &body).await;
            drop(place);
            answer
        });
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => Ok(Some(answer?)),
            Ok(Err(_)) => Err(CallError::Gone),
            Err(_) => Ok(None),
        }
    }

    /// A direct connection behind which no dialog stands. Others are opened before it is used: one that is opened while the
    /// application is inside of an action is not served until the next one comes.
    async fn direct_line(&self, in_dialog: bool) -> Option<Connection> {
        let address = self.address.as_ref()?;
        let missing = {
            let mut lines = self.lines();
            if !in_dialog {
                for line in
                    lines.iter_mut().filter(|line| line.used.is_some_and(|used| used.elapsed() > REST))
                {
                    line.used = None;
                }
            }
            let ready = lines.iter().filter(|line| line.used.is_none()).count();
            let wanted = if in_dialog { 1 } else { 1 + SPARE_LINES };
            wanted.saturating_sub(ready).min(MAX_LINES.saturating_sub(lines.len()))
        };
        for _ in 0..missing {
            match address.open().await {
                Some((connection, socket)) => self.lines().push(Line { connection, socket, used: None }),
                None => break,
            }
        }
        // The oldest first: it has been there longest before the application could have got busy.
        let mut lines = self.lines();
        let line = lines.iter_mut().find(|line| line.used.is_none())?;
        line.used = Some(Instant::now());
        Some(line.connection.clone())
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the lines that were used open beyond the end of this process, because a dialog stands behind one of them. A process
    /// that does nothing holds each, and ends with the process `application`.
    pub(super) fn leave_open(&self, application: u32) {
        for line in self.lines().drain(..).filter(|line| line.used.is_some()) {
            let holder = Command::new("tail")
                .args([&format!("--pid={application}"), "-f", "/dev/null"])
                .stdin(Stdio::from(line.socket))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            if let Err(error) = holder {
                tracing::warn!(application = %self.name, %error, "a line with a dialog behind it is closed");
            }
            // Dropping the connection would shut the socket down for the holder too.
            std::mem::forget(line.connection);
        }
    }
}
