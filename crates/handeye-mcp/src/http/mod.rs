//! Serving over Streamable HTTP, to those alone who come with a token: on this machine, or from others where connections are encrypted.
//!
//! One address serves clients of every revision: those of 2026-07-28 without a session, request by request, those
//! before it in a session each. What is kept belongs to the caller ([`principals`]). Bounds are on everything that a client can open:
//! connections ([`newcomers`], [`connections`]), sessions ([`sessions`]) and the size of a request; what comes without a token costs
//! next to nothing ([`authentication`]).

mod authentication;
mod authorization;
mod connections;
mod messages;
mod metadata;
mod metrics;
mod monitoring;
mod names;
mod newcomers;
mod principals;
mod replay;
mod seldom;
mod serving;
mod sessions;
mod sse;
mod tls;

use crate::tasks::legacy;
use authentication::Entrance;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use handeye_auth::Guard;
use handeye_call::caller::Caller;
use handeye_core::{Error, ErrorCode, Result};
use handeye_service::tally::Tally;
use metrics::Metrics;
use monitoring::Monitoring;
use names::Names;
use newcomers::Newcomers;
pub use principals::NewSession;
use principals::{Principals, dispatch};
use rmcp::ServerHandler;
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tls::Tls;
pub use tls::TlsFiles;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

/// Where the protocol is spoken.
const ENDPOINT: &str = "/mcp";

/// The largest request. A typed text is far below it, and pictures only leave.
const MAX_REQUEST_BYTES: usize = 4 * 1024 * 1024;

/// How long answers that are under way may take once the server is asked to end, and then the end of those that took longer.
const LAST_ANSWERS: Duration = Duration::from_millis(400);

/// Where a server listens, and how it is reached.
#[derive(Debug, Clone)]
pub struct Place {
    /// The address; port 0 is any that is free.
    pub address: SocketAddr,
    /// With what it encrypts, if it does.
    pub tls: Option<TlsFiles>,
    /// Whether a proxy in front of it encrypts and authenticates connections.
    pub behind_proxy: bool,
    /// The names by which clients call it, beside those of this machine.
    pub hosts: Vec<String>,
    /// Another address, for health and metrics, if they are asked for.
    pub metrics: Option<SocketAddr>,
}

impl Place {
    /// An address of this machine, for its own programs.
    pub const fn here(address: SocketAddr) -> Self {
        Self { address, tls: None, behind_proxy: false, hosts: Vec::new(), metrics: None }
    }
}

/// An address that is taken and not served yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Tls>,
    hosts: Vec<String>,
    monitoring: Option<Monitoring>,
    metrics: Arc<Metrics>,
}

impl HttpServer {
    /// Takes the address of a place, and reads what it encrypts with.
    ///
    /// # Errors
    /// An address that other machines reach is refused where nothing encrypts: the token would travel in the clear. A port in use is
    /// named, and a certificate that cannot be used.
    pub async fn bind(place: Place) -> Result<Self> {
        let Place { address, tls, behind_proxy, hosts, metrics } = place;
        if !address.ip().is_loopback() && tls.is_none() && !behind_proxy {
            return Err(Error::new(
                ErrorCode::Refused,
                format!("{} can be reached from other machines, and nothing encrypts what is sent", address.ip()),
            )
            .with_next(
                "Bind to 127.0.0.1 or ::1 and forward the port, for example with ssh -L; or pass --tls-cert and --tls-key; or state \
                 with --behind-proxy that a proxy encrypts and authenticates connections.",
            ));
        }
        let tls = match tls {
            Some(files) => Some(Tls::begin(files).await?),
            None => None,
        };
        let bound = TcpListener::bind(address).await.and_then(|listener| {
            let address = listener.local_addr()?;
            Ok((listener, address))
        });
        let (listener, address) = bound.map_err(|fault| match fault.kind() {
            ErrorKind::AddrInUse => {
                Error::invalid_parameter("port", format!("{} is in use on {}", address.port(), address.ip()))
                    .with_next("Pass another --port, or --port 0 for any that is free.")
            }
            _ => Error::new(ErrorCode::Io, format!("cannot listen on {address}: {fault}")),
        })?;
        let monitoring = match metrics {
            Some(address) => Some(Monitoring::bind(address).await?),
            None => None,
        };
        Ok(Self { listener, address, tls, hosts, monitoring, metrics: Arc::default() })
    }

    /// Where clients find it: those of this machine, or, where it encrypts, by the first name that it was given.
    pub fn url(&self) -> String {
        let is_encrypted = self.tls.is_some();
        let scheme = if is_encrypted { "https" } else { "http" };
        let place = match self.hosts.first().filter(|_| is_encrypted && !self.address.ip().is_loopback()) {
            Some(host) => format!("{}:{}", names::bracketed(host), self.address.port()),
            None => self.address.to_string(),
        };
        format!("{scheme}://{place}{ENDPOINT}")
    }

    /// Where health and metrics are, if they are asked for.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.monitoring.as_ref().map(|monitoring| monitoring.address)
    }

    /// What counts the calls of its clients.
    pub fn tally(&self) -> Arc<dyn Tally> {
        Arc::clone(&self.metrics) as _
    }

    /// Serves whom `guard` lets in until `stop` is cancelled. `handler` gives each caller a maker of what answers one session, or one
    /// request without a session. Answers that are under way at the end get a moment, as do calls that have to be broken off.
    pub async fn serve<S: ServerHandler>(
        self,
        guard: Guard,
        handler: impl Fn(&Caller) -> NewSession<S> + Send + Sync + 'static,
        stop: CancellationToken,
    ) -> Result<()> {
        tracing::info!(version = env!("CARGO_PKG_VERSION"), url = self.url(), "serving over HTTP");
        let cut = CancellationToken::new();
        let names = self.names(&guard);
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(names.hosts.clone())
            .with_allowed_origins(names.origins.clone())
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_REQUEST_BYTES)
            .with_cancellation_token(cut.clone());
        let public = guard.issuer().map(|issuer| metadata::routes(issuer, ENDPOINT)).unwrap_or_default();
        let sessions = self.metrics.sessions.clone();
        let principals = Arc::new(Principals::new(handler, config, sessions.clone()));
        let old = sse::routes(Arc::clone(&principals), names.clone(), cut.clone(), sessions);
        let router = Router::new()
            .route(ENDPOINT, any(dispatch::<S>))
            .with_state(principals)
            .route_layer(from_fn(say_that_nothing_follows))
            .route_layer(from_fn(rename_what_the_sdk_would_drop))
            .route_layer(from_fn(messages::read_messages))
            .merge(old)
            .route_layer(from_fn_with_state(
                Entrance::new(guard, Arc::clone(&self.metrics)),
                authentication::authenticate,
            ))
            .merge(public);
        let connections = TaskTracker::new();
        let newcomers =
            Newcomers::counted(self.metrics.connections.clone(), self.metrics.authenticated.clone());
        // It is over with the server.
        let _monitoring = self.monitoring.map(|monitoring| {
            let serving = monitoring.serve(Arc::clone(&self.metrics), names, stop.clone());
            AbortOnDropHandle::new(tokio::spawn(serving))
        });
        let tls = self.tls.as_ref().map(Tls::acceptor);
        serving::serve(self.listener, tls, router, (stop, &connections), Arc::new(newcomers)).await;
        if tokio::time::timeout(LAST_ANSWERS, connections.wait()).await.is_ok() {
            return Ok(());
        }
        cut.cancel();
        if tokio::time::timeout(LAST_ANSWERS, connections.wait()).await.is_err() {
            tracing::info!("a client did not take its last answer in time");
        }
        Ok(())
    }

    /// The names by which a client may call this server; with an authorization server also that of the URL that its tokens are for.
    fn names(&self, guard: &Guard) -> Names {
        let audience = guard.issuer().and_then(|issuer| metadata::host(issuer.audience()));
        Names::of(self.address, self.tls.is_some(), self.hosts.iter().cloned().chain(audience))
    }
}

/// Renames what clients of 2025-11-25 say of tasks, for which the SDK's types have no place.
async fn rename_what_the_sdk_would_drop(request: Request, next: Next) -> Response {
    let version = request.headers().get("MCP-Protocol-Version").and_then(|version| version.to_str().ok());
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let too_long = length.is_some_and(|length: usize| length > MAX_REQUEST_BYTES);
    if request.method() != Method::POST
        || version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
        // The SDK has an answer to that.
        || too_long
    {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(mut bytes) = to_bytes(body, MAX_REQUEST_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let message = serde_json::from_slice(&bytes).ok().and_then(|mut message| {
        legacy::incoming(&mut message).then(|| serde_json::to_vec(&message).ok()).flatten()
    });
    if let Some(message) = message {
        bytes = message.into();
        parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

/// The end of a session is answered by the SDK with 202, as if something would follow; official clients complain about that.
async fn say_that_nothing_follows(request: Request, next: Next) -> Response {
    let ends = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if ends && response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(address: &str) -> Place {
        Place::here(address.parse().expect("an address"))
    }

    #[tokio::test]
    async fn other_machines_are_not_served_in_the_clear() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[2001:db8::1]:0", "[::ffff:127.0.0.1]:0"] {
            let refused = HttpServer::bind(here(address)).await.expect_err(address);
            assert_eq!(refused.code, ErrorCode::Refused, "{address}");
        }
        let hosts = vec!["desk.example".to_owned()];
        let place = Place { behind_proxy: true, hosts, ..here("0.0.0.0:0") };
        let server = HttpServer::bind(place).await.expect("a proxy is stated");
        assert_eq!(server.url(), format!("http://0.0.0.0:{}/mcp", server.address.port()));
    }

    #[tokio::test]
    async fn a_port_in_use_is_named() {
        let first = HttpServer::bind(here("127.0.0.1:0")).await.expect("free");
        let port = first.address.port();
        assert_eq!(first.url(), format!("http://127.0.0.1:{port}/mcp"));
        let refused = HttpServer::bind(Place::here(first.address)).await.expect_err("taken");
        assert!(refused.message.contains(&port.to_string()), "{refused}");
    }
}
