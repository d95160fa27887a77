//! Serving over standard input and output: how it starts, what it ignores and when it ends.

use crate::Server;
use handeye_core::{Error, Result};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage};
use rmcp::service::{ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// The longest message that is read; a longer line is dropped with a note in the log. Generous, so that an input that
/// is too large for a tool still gets that tool's explanation.
const MAX_MESSAGE_BYTES: usize = 32 * 1024 * 1024;

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
        inner: AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_MESSAGE_BYTES),
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

/// The SDK's line transport, with two differences: what comes before the first request and is none (a stray
/// notification, a late answer) is ignored instead of ending the session, and the end of the input is made known.
struct Connection<R: AsyncRead, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, R, W>,
    begun: bool,
    closed: CancellationToken,
}

impl<R, W> Transport<RoleServer> for Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(message) = self.inner.receive().await else {
                self.closed.cancel();
                return None;
            };
            self.begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.begun {
                return Some(message);
            }
            tracing::debug!("ignored a message that came before the first request");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
