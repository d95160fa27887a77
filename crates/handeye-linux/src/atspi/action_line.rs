//! Connections for actions, apart from those for reading.
//!
//! GTK 3 runs an action inside of the dispatch of the connection on which it was asked for. One that opens a modal dialog comes back
//! when the dialog is closed; until then that connection answers nothing, and a message that waits on it, or its end, freezes the
//! application at the next key press. So every action goes over a connection of its own, which is left alone and open until
//! the answer has come, and nobody waits for that answer longer than a healthy application takes.

use super::object::ObjectKey;
use super::wire::CallError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use zbus::connection::Builder;
use zbus::zvariant::DynamicType;
use zbus::{Connection, Message};

/// How long an answer is waited for. What comes later is an action that is still at work: a dialog that it opened.
const PATIENCE: Duration = Duration::from_millis(600);
/// How long an application may take to accept a connection.
const OPEN_DEADLINE: Duration = Duration::from_millis(500);
/// Lines that stand ready beside the one in use: for the button that closes a dialog, and for one in a dialog over that.
const SPARE_LINES: usize = 2;
/// Actions that may be unanswered at a time. More dialogs than this do not open within one another.
const MAX_UNANSWERED: usize = 8;

/// The lines to one application.
#[derive(Debug, Clone)]
pub(super) struct ActionLines {
    bus: Connection,
    /// Bus name of the process to which the lines lead.
    name: Arc<str>,
    /// Where the application accepts connections of its own, if it does.
    address: Option<Arc<str>>,
    idle: Arc<Mutex<Vec<Connection>>>,
    unanswered: Arc<tokio::sync::Semaphore>,
}

impl ActionLines {
    /// Lines to the application that accepts connections at `address`, or that is reached over `bus` only.
    pub(super) fn new(bus: Connection, name: Arc<str>, address: Option<Arc<str>>) -> Self {
        let unanswered = Arc::new(tokio::sync::Semaphore::new(MAX_UNANSWERED));
        Self { bus, name, address, idle: Arc::default(), unanswered }
    }

    /// Asks for an action. `None` when it is still at work after the time that an answer takes.
    pub(super) async fn ask<B>(
        &self,
        object: &ObjectKey,
        interface: &'static str,
        method: &'static str,
        body: B,
    ) -> Result<Option<Message>, CallError>
    where
        B: serde::Serialize + DynamicType + Send + Sync + 'static,
    {
        let place = Arc::clone(&self.unanswered).try_acquire_owned().map_err(|_| {
            CallError::Rejected(
                "earlier actions are still unanswered; close the dialogs that they opened".into(),
            )
        })?;
        let direct = if object.bus == self.name { self.direct_line().await } else { None };
        let (line, destination) = match &direct {
            Some(direct) => (direct.clone(), None),
            None => (self.bus.clone(), Some(Arc::clone(&object.bus))),
        };
        tracing::debug!(application = %self.name, path = %object.path, method, direct = direct.is_some(), "asking for an action");
        let path = Arc::clone(&object.path);
        let idle = Arc::clone(&self.idle);
        let answer = tokio::spawn(async move {
            let answer =
                line.call_method(destination.as_deref(), &*path, Some(interface), method, &body).await;
            // A line that has answered is good for the next action. One that has not is kept by this task.
            if let (Some(direct), Ok(_)) = (direct, &answer) {
                idle.lock().unwrap_or_else(PoisonError::into_inner).push(direct);
            }
            drop(place);
            answer
        });
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => Ok(Some(answer?)),
            Ok(Err(_)) => Err(CallError::Gone),
            Err(_) => Ok(None),
        }
    }

    /// A direct connection that no action is at work on. Others are opened before it is used: one that is opened while the
    /// application is inside of an action is not served until the next one comes.
    async fn direct_line(&self) -> Option<Connection> {
        let address = self.address.as_ref()?;
        let missing = (1 + SPARE_LINES).saturating_sub(self.idle_lines().len());
        for _ in 0..missing {
            match open(address).await {
                Some(line) => self.idle_lines().push(line),
                None => break,
            }
        }
        // The oldest first: it has been there longest before the application could have got busy.
        let mut idle = self.idle_lines();
        (!idle.is_empty()).then(|| idle.remove(0))
    }

    fn idle_lines(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a connection straight to an application. `None` where it does not let us in.
pub(super) async fn open(address: &str) -> Option<Connection> {
    let connect = async {
        let connection = Builder::address(address)?.p2p().build().await?;
        // The application serves a new connection only after the handshake; an answer says that it does.
        connection.call_method(None::<&str>, "/", Some("org.freedesktop.DBus.Peer"), "Ping", &()).await?;
        zbus::Result::Ok(connection)
    };
    match tokio::time::timeout(OPEN_DEADLINE, connect).await {
        Ok(Ok(connection)) => Some(connection),
        Ok(Err(error)) => {
            tracing::debug!(address, %error, "no direct connection, the bus will do");
            None
        }
        Err(_) => None,
    }
}
