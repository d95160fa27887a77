//! One session: messages that were posted go in, and what is answered goes out as events.

use crate::http::messages::refuse;
use crate::tasks::legacy;
use crate::waiting::{Requests, begins};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, JsonRpcMessage};
use rmcp::service::{ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many messages wait in each direction.
const WAITING: usize = 64;
/// How long a message may wait until the session takes it.
const TAKEN: Duration = Duration::from_secs(30);

/// Where the messages of a session are put in.
pub(super) struct Session {
    incoming: mpsc::Sender<ClientJsonRpcMessage>,
    state: Arc<Mutex<State>>,
}

/// What is known of a session.
#[derive(Debug, Default)]
struct State {
    requests: Requests,
    begun: bool,
}

/// The session as the SDK has it.
pub(super) struct Pipe {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: mpsc::Sender<String>,
    state: Arc<Mutex<State>>,
}

/// A session: where messages go in, what the SDK serves, and what comes out.
pub(super) fn pair() -> (Session, Pipe, mpsc::Receiver<String>) {
    let (incoming, taken) = mpsc::channel(WAITING);
    let (outgoing, events) = mpsc::channel(WAITING);
    let state: Arc<Mutex<State>> = Arc::default();
    (Session { incoming, state: Arc::clone(&state) }, Pipe { incoming: taken, outgoing, state }, events)
}

/// A poisoned lock is taken over: every change under it is one call.
fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Takes a message that came with a request of these headers, or returns the answer to that.
    pub(super) async fn take(&self, mut message: ClientJsonRpcMessage, parts: Parts) -> Result<(), Response> {
        {
            let mut state = locked(&self.state);
            state.requests.note(&message).map_err(|(error, id)| refuse(&error, Some(&id), None))?;
            state.begun |= begins(&message);
            if !state.begun && !matches!(message, JsonRpcMessage::Request(_)) {
                // It would end the session.
                tracing::debug!("ignored a message that came before the session began");
                return Ok(());
            }
        }
        // What it may do depends on how it came.
        match &mut message {
            JsonRpcMessage::Request(request) => {
                request.request.extensions_mut().insert(parts);
            }
            JsonRpcMessage::Notification(notification) => {
                notification.notification.extensions_mut().insert(parts);
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        match self.incoming.send_timeout(message, TAKEN).await {
            Ok(()) => Ok(()),
            Err(mpsc::error::SendTimeoutError::Timeout(message)) => {
                locked(&self.state).requests.forget(&message);
                Err((StatusCode::SERVICE_UNAVAILABLE, "The session is busy.\n").into_response())
            }
            Err(mpsc::error::SendTimeoutError::Closed(_)) => {
                Err((StatusCode::NOT_FOUND, "The session has ended.\n").into_response())
            }
        }
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        locked(&self.state).requests.answered(&message);
        let text = serde_json::to_string(&legacy::initialized(message));
        let outgoing = self.outgoing.clone();
        async move {
            // A client that does not read has its connection closed, which ends this wait.
            outgoing.send(text?).await.map_err(|_closed| ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.incoming.close();
        Ok(())
    }
}

/// Serves a session until `ended` is cancelled. The stream ends after the last message that was sent.
pub(super) async fn serve<S: ServerHandler>(handler: S, pipe: Pipe, ended: CancellationToken) {
    let result = match handler.serve_with_ct(pipe, ended).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|fault| fault.to_string()),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(fault) => Err(fault.to_string()),
    };
    if let Err(fault) = result {
        tracing::debug!(fault, "a session ended early");
    }
}
