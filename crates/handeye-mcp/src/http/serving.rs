//! Serves connections, each for as long as it may live.

use super::connections::{Connection, SILENCE};
use super::newcomers::{Newcomers, Standing};
use axum::Router;
use axum::extract::Request;
use axum::serve::Listener;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;

/// Most bytes of the headers of a request.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// The router with what is known of one connection, which each of its requests carries.
#[derive(Clone)]
struct OfConnection {
    router: Router,
    standing: Standing,
}

impl Service<Request<Incoming>> for OfConnection {
    type Response = <Router as Service<Request<Incoming>>>::Response;
    type Error = Infallible;
    type Future = <Router as Service<Request<Incoming>>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Service::<Request<Incoming>>::poll_ready(&mut self.router, context)
    }

    fn call(&mut self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.standing.clone());
        self.router.call(request)
    }
}

/// Takes connections until `stop` is cancelled, and has each served by `router`, encrypted where there is `tls`. A handshake has no more
/// time than the first request, and no other place. The tasks of `connections` are those that still live.
pub(super) async fn serve(
    mut listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    (stop, connections): (CancellationToken, &TaskTracker),
    newcomers: Arc<Newcomers>,
) {
    loop {
        let (stream, _peer) = tokio::select! {
            () = stop.cancelled() => break,
            // It waits a moment where the system has no more open files.
            accepted = Listener::accept(&mut listener) => accepted,
        };
        if let Err(fault) = stream.set_nodelay(true) {
            tracing::debug!(%fault, "answers may come late");
        }
        let (standing, router, stop, tls) = (newcomers.admit(), router.clone(), stop.clone(), tls.clone());
        connections.spawn(async move {
            let overdue = standing.clone();
            let service = OfConnection { router, standing };
            tokio::select! {
                () = begin(Connection::new(stream), tls, service, stop) => {}
                () = overdue.overdue() => tracing::debug!("a connection did not come with a token in time"),
            }
        });
    }
    connections.close();
}

/// Shakes hands, where connections are encrypted.
async fn begin(stream: Connection, tls: Option<TlsAcceptor>, service: OfConnection, stop: CancellationToken) {
    let Some(tls) = tls else { return converse(stream, service, stop).await };
    let handshake = tokio::select! {
        () = stop.cancelled() => return,
        handshake = tls.accept(stream) => handshake,
    };
    match handshake {
        Ok(stream) => converse(stream, service, stop).await,
        Err(fault) => tracing::debug!(%fault, "a handshake failed"),
    }
}

/// Answers the requests of a connection until either end closes it.
async fn converse<T>(stream: T, service: OfConnection, stop: CancellationToken)
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let mut protocol = http1::Builder::new();
    // Between two requests too, where nothing has to come for a long time.
    protocol.timer(TokioTimer::new()).header_read_timeout(SILENCE).max_buf_size(MAX_HEADER_BYTES);
    let connection = protocol.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(fault) = ended {
        tracing::debug!(%fault, "a connection ended early");
    }
}
