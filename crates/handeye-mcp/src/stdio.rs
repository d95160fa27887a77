//! Serving over standard input and output: how it starts, what it ignores and when it ends.

use crate::batches::{self, Batches, Taken};
use crate::lines::{Line, Lines};
use crate::output::Output;
use crate::tasks::legacy;
use crate::waiting::{Requests, begins, cancelled};
use crate::{Server, calls};
use futures_util::future::BoxFuture;
use handeye_core::{Error, Result};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerResult,
};
use rmcp::service::{ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServiceExt};
use serde::Serialize;
use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncRead;
use tokio_util::sync::CancellationToken;

/// The longest message that is read; a longer line is dropped and answered with an error. Generous, so that an input that
/// is too large for a tool still gets that tool's explanation.
const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// How long answers that are under way may take once the client has closed its end.
const LAST_ANSWERS: Duration = Duration::from_millis(400);

/// Serves `server` over standard input and output until the client closes its end or `stop` is cancelled. Calls that
/// are still running then get a moment to finish and are dropped after it, so that a hung application cannot hold
/// the process.
pub async fn serve_stdio(server: Server, stop: CancellationToken) -> Result<()> {
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "serving over standard input and output");
    // A client has started this process to make calls; until the first one comes, it lists the tools and asks its model.
    let accessibility = Arc::clone(&server.engine.desk.platform.accessibility);
    tokio::spawn(async move { accessibility.prepare().await });
    let (input, output) = rmcp::transport::stdio_pipes();
    let closed = CancellationToken::new();
    let transport = Connection {
        lines: Lines::new(input, MAX_MESSAGE_BYTES),
        output: Output::new(output),
        reporting: None,
        unpacked: VecDeque::new(),
        requests: Requests::default(),
        batches: Batches::default(),
        revision: None,
        begun: false,
        closed: closed.clone(),
    };
    let session = session(server, transport, stop.clone());
    tokio::pin!(session);
    tokio::select! {
        ended = &mut session => return ended,
        () = closed.cancelled() => {}
        () = stop.cancelled() => {}
    }
    tokio::time::timeout(LAST_ANSWERS, session).await.unwrap_or_else(|_| {
        tracing::info!("calls were still running when the client disconnected; they are dropped");
        Ok(())
    })
}

async fn session<R>(server: Server, connection: Connection<R>, stop: CancellationToken) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
{
    match server.serve_with_ct(connection, stop).await {
        Ok(running) => running.waiting().await.map(drop).map_err(Error::internal),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(Error::internal(format!("the MCP session could not begin: {error}"))),
    }
}

/// A client at the other end of two pipes. It differs from the SDK's line transport in what becomes of a line that is not a message
/// ([`lines`](crate::lines)), in that it takes [`batches`](crate::batches), in that what comes before the session has begun and
/// is not a request (a stray notification, a late answer) does not end it, and in making the end of the input known.
struct Connection<R> {
    lines: Lines<R>,
    output: Output,
    /// A message to the client that is being sent. Nothing more is read before it is written.
    reporting: Option<BoxFuture<'static, io::Result<()>>>,
    /// Messages of a batch that were read and not handed on yet.
    unpacked: VecDeque<ClientJsonRpcMessage>,
    requests: Requests,
    batches: Batches,
    /// What was negotiated, or what the client declared in its last request; `None` before.
    revision: Option<ProtocolVersion>,
    begun: bool,
    closed: CancellationToken,
}

impl<R> Transport<RoleServer> for Connection<R>
where
    R: AsyncRead + Send + Unpin,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.requests.answered(&message);
        if let JsonRpcMessage::Response(response) = &message
            && let ServerResult::InitializeResult(result) = &response.result
        {
            self.revision = Some(result.protocol_version.clone());
        }
        let line = self.line(&legacy::initialized(message));
        self.output.write(line)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // This future may be dropped at any await: what is under way is kept for the next one.
            if let Some(reporting) = &mut self.reporting {
                let reporting = reporting.await;
                self.reporting = None;
                if let Err(fault) = reporting {
                    tracing::debug!(%fault, "the client accepts no answer");
                    return self.end();
                }
            }
            if let Some(message) = self.unpacked.pop_front() {
                return Some(message);
            }
            match self.lines.next().await {
                Ok(Some(Line::Message(message))) => match self.admit(&message) {
                    Ok(true) => return Some(*message),
                    Ok(false) => tracing::debug!("ignored a message that came before the session began"),
                    Err((error, id)) => self.report(error, Some(id)),
                },
                Ok(Some(Line::Batch(lines))) => self.unpack(lines),
                Ok(Some(Line::Wrong(error, id))) => self.report(error, id),
                Ok(Some(Line::Nothing)) => {}
                Ok(None) => return self.end(),
                Err(fault) => {
                    tracing::warn!(%fault, "the input cannot be read any more");
                    return self.end();
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.close().await
    }
}

impl<R> Connection<R> {
    fn end(&self) -> Option<ClientJsonRpcMessage> {
        self.closed.cancel();
        None
    }

    /// Takes note of a message. `Ok(false)`: it is to be ignored.
    fn admit(&mut self, message: &ClientJsonRpcMessage) -> Result<bool, (ErrorData, RequestId)> {
        if let JsonRpcMessage::Request(request) = message {
            if let Some(revision) = request.request.get_meta().protocol_version() {
                self.revision = Some(revision);
            }
            // The SDK answers it before a session begins, whatever the revision.
            if matches!(request.request, ClientRequest::PingRequest(_)) && self.is_modern() {
                return Err((calls::unknown_method("ping"), request.id.clone()));
            }
        }
        self.requests.note(message)?;
        if let Some(answers) = cancelled(message).and_then(|id| self.batches.forget(id)) {
            self.say(bytes(&answers));
        }
        self.begun |= begins(message);
        Ok(self.begun || matches!(message, JsonRpcMessage::Request(_)))
    }

    /// Whether the client speaks a revision without a handshake.
    fn is_modern(&self) -> bool {
        self.revision.as_ref().is_some_and(|revision| *revision >= ProtocolVersion::V_2026_07_28)
    }

    fn unpack(&mut self, lines: Vec<Line>) {
        if self.revision.as_ref() != Some(&batches::REVISION) {
            return self.report(ErrorData::invalid_request(batches::REFUSED, None), None);
        }
        let (mut waiting, mut answers) = (HashSet::new(), Vec::new());
        for line in lines {
            let (error, id) = match line {
                Line::Message(message) => match self.admit_unpacked(&message) {
                    Ok(id) => {
                        if let Some(id) = cancelled(&message) {
                            waiting.remove(id);
                        }
                        waiting.extend(id);
                        self.unpacked.push_back(*message);
                        continue;
                    }
                    Err((error, id)) => (error, Some(id)),
                },
                Line::Wrong(error, id) => (error, id),
                Line::Batch(_) | Line::Nothing => continue,
            };
            match serde_json::to_value(self.error(error, id)) {
                Ok(error) => answers.push(error),
                Err(fault) => tracing::warn!(%fault, "an error cannot be written"),
            }
        }
        if let Some(answers) = self.batches.begin(waiting, answers) {
            self.say(bytes(&answers));
        }
    }

    /// Takes note of a message of a batch. Returns the id if it is a request.
    fn admit_unpacked(
        &mut self,
        message: &ClientJsonRpcMessage,
    ) -> Result<Option<RequestId>, (ErrorData, RequestId)> {
        let JsonRpcMessage::Request(request) = message else { return self.admit(message).map(|_| None) };
        if matches!(request.request, ClientRequest::InitializeRequest(_)) {
            return Err((ErrorData::invalid_request(batches::NO_BEGINNING, None), request.id.clone()));
        }
        self.admit(message).map(|_| Some(request.id.clone()))
    }

    /// Reports to the client that something is wrong.
    fn report(&mut self, error: ErrorData, id: Option<RequestId>) {
        let line = bytes(&self.error(error, id));
        self.say(line);
    }

    /// Has a line written before anything else is read, after what is on its way.
    fn say(&mut self, line: io::Result<Option<Vec<u8>>>) {
        let (before, line) = (self.reporting.take(), self.output.write(line));
        self.reporting = Some(Box::pin(async move {
            if let Some(before) = before {
                before.await?;
            }
            line.await
        }));
    }

    /// An error whose request may be unknown: JSON-RPC 2.0 then wants an id of null (section 5), and revision 2026-07-28 none ("Error
    /// Responses" in its Base Protocol).
    fn error(&self, error: ErrorData, id: Option<RequestId>) -> impl Serialize {
        let is_null = id.is_none() && !self.is_modern();
        let message: TxJsonRpcMessage<RoleServer> = JsonRpcMessage::error(error, id);
        Anonymous { id: is_null.then_some(()), message }
    }

    /// The line to write for a message; `None` if it waits for others of its batch.
    fn line(&mut self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Option<Vec<u8>>> {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        match id.filter(|id| self.batches.wait_for(id)) {
            None => bytes(message),
            Some(id) => match self.batches.take(id, serde_json::to_value(message)?) {
                Taken::Kept => Ok(None),
                Taken::Single(answer) | Taken::Complete(answer) => bytes(&answer),
            },
        }
    }
}

/// A message with an id of null beside what it has itself.
#[derive(Serialize)]
struct Anonymous<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<()>,
    #[serde(flatten)]
    message: T,
}

/// A message as the bytes of a line.
fn bytes(message: &impl Serialize) -> io::Result<Option<Vec<u8>>> {
    Ok(Some(serde_json::to_vec(message)?))
}
