//! Serving over standard input and output: how it starts, what it ignores and when it ends.

use crate::Server;
use crate::lines::{Line, Lines};
use crate::tasks::legacy;
use futures_util::future::BoxFuture;
use handeye_core::{Error, Result};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta, JsonRpcMessage,
    ProtocolVersion, RequestId,
};
use rmcp::service::{ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use std::collections::HashSet;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Empty};
use tokio_util::sync::CancellationToken;

/// The longest message that is read; a longer line is dropped and answered with an error. Generous, so that an input that
/// is too large for a tool still gets that tool's explanation.
const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;

/// Most requests of a client that wait for their answers.
const MAX_WAITING: usize = 1000;

/// How long answers that are under way may take once the client has closed its end.
const LAST_ANSWERS: Duration = Duration::from_millis(400);

/// Serves `server` over standard input and output until the client closes its end or `stop` is cancelled. Calls that
/// are still running then get a moment to finish and are dropped after it, so that a hung application cannot hold
/// the process.
pub async fn serve_stdio(server: Server, stop: CancellationToken) -> Result<()> {
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "serving over standard input and output");
    let (input, output) = rmcp::transport::stdio_pipes();
    let closed = CancellationToken::new();
    let transport = Connection {
        lines: Lines::new(input, MAX_MESSAGE_BYTES),
        output: AsyncRwTransport::new_server(tokio::io::empty(), output),
        told: None,
        requests: Requests::default(),
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
        tracing::info!("calls were still running when the client left; they are dropped");
        Ok(())
    })
}

async fn session<R, W>(server: Server, connection: Connection<R, W>, stop: CancellationToken) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    match server.serve_with_ct(connection, stop).await {
        Ok(running) => running.waiting().await.map(drop).map_err(Error::internal),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(Error::internal(format!("the MCP session could not begin: {error}"))),
    }
}

/// A client at the other end of two pipes. It differs from the SDK's line transport in what becomes of a line that is no message
/// ([`lines`](crate::lines)), in that what comes before the session has begun and is no request (a stray notification, a late
/// answer) does not end it, and in making the end of the input known.
struct Connection<R, W: AsyncWrite> {
    lines: Lines<R>,
    output: AsyncRwTransport<RoleServer, Empty, W>,
    /// The answer to a line that was no message, on its way. Nothing more is read before it is written.
    told: Option<BoxFuture<'static, io::Result<()>>>,
    requests: Requests,
    begun: bool,
    closed: CancellationToken,
}

impl<R, W> Transport<RoleServer> for Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.requests.answered(&message);
        self.output.send(legacy::initialized(message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // This future may be dropped at any await: what is under way is kept for the next one.
            if let Some(told) = &mut self.told {
                let told = told.await;
                self.told = None;
                if let Err(fault) = told {
                    tracing::debug!(%fault, "the client takes no answer");
                    return self.end();
                }
            }
            match self.lines.next().await {
                Ok(Some(Line::Message(message))) => {
                    if let Err((error, id)) = self.requests.note(&message) {
                        self.told = Some(Box::pin(self.output.send(JsonRpcMessage::error(error, Some(id)))));
                        continue;
                    }
                    self.begun |= begins(&message);
                    if self.begun || matches!(*message, JsonRpcMessage::Request(_)) {
                        return Some(*message);
                    }
                    tracing::debug!("ignored a message that came before the session began");
                }
                Ok(Some(Line::Wrong(error, id))) => {
                    self.told = Some(Box::pin(self.output.send(JsonRpcMessage::error(error, id))));
                }
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

impl<R, W: AsyncWrite> Connection<R, W> {
    fn end(&self) -> Option<ClientJsonRpcMessage> {
        self.closed.cancel();
        None
    }
}

/// The requests that wait for their answers.
#[derive(Debug, Default)]
struct Requests(HashSet<RequestId>);

impl Requests {
    /// Takes note of what a client sent. A request that cannot be told from another, or is one too many, is an error.
    fn note(&mut self, message: &ClientJsonRpcMessage) -> Result<(), (ErrorData, RequestId)> {
        match message {
            JsonRpcMessage::Request(request) => {
                let fault = if self.0.len() >= MAX_WAITING {
                    format!("{MAX_WAITING} requests wait for their answers: read those first")
                } else if self.0.insert(request.id.clone()) {
                    return Ok(());
                } else {
                    "a request with this id waits for its answer".to_owned()
                };
                Err((ErrorData::invalid_request(fault, None), request.id.clone()))
            }
            // One that is cancelled gets no answer.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.0.remove(id);
                }
                Ok(())
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Ok(()),
        }
    }

    /// Takes note of what a client is sent.
    fn answered(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Response(response) => self.0.remove(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().is_some_and(|id| self.0.remove(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
        };
    }
}

/// Whether the SDK takes this message for the begin of a session. It reads nothing but requests until one came.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}
