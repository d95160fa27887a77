//! The address for monitoring: whether it is there, and its counts. Without a token, as it carries nothing else.

use super::metrics::Metrics;
use super::names::Names;
use super::newcomers::Newcomers;
use super::serving;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use handeye_core::{Error, ErrorCode, Result};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The format of the counts.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The address for monitoring, taken and not served yet.
#[derive(Debug)]
pub(super) struct Monitoring {
    listener: TcpListener,
    /// Where it is.
    pub(super) address: SocketAddr,
}

impl Monitoring {
    /// Takes an address.
    ///
    /// # Errors
    /// It cannot be taken.
    pub(super) async fn bind(address: SocketAddr) -> Result<Self> {
        let bound = TcpListener::bind(address).await.and_then(|listener| {
            let address = listener.local_addr()?;
            Ok(Self { listener, address })
        });
        bound.map_err(|fault| {
            Error::new(ErrorCode::Io, format!("the address for metrics, {address}, cannot be used: {fault}"))
                .with_next("Pass another --metrics, or leave it out.")
        })
    }

    /// Answers until `stop` is cancelled. Each connection has the time of a newcomer, and no more.
    pub(super) async fn serve(self, metrics: Arc<Metrics>, names: Names, stop: CancellationToken) {
        let router = Router::new()
            .route("/health", get(health))
            .route("/metrics", get(counts))
            .with_state(metrics)
            .layer(from_fn_with_state(Arc::new(names), check));
        let connections = TaskTracker::new();
        serving::serve(self.listener, None, router, (stop, &connections), Arc::<Newcomers>::default()).await;
    }
}

/// Refuses web pages. What is asked for by an address is not asked for by a page whose name was made to lead here.
async fn check(State(names): State<Arc<Names>>, request: Request, next: Next) -> Response {
    let mut response = match names.refusal(request.headers(), true) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    // The connection ends here anyway, after a time that its client does not know.
    response.headers_mut().insert(CONNECTION, axum::http::HeaderValue::from_static("close"));
    response
}

async fn health() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], "{\"status\":\"ok\"}\n")
}

async fn counts(State(metrics): State<Arc<Metrics>>) -> Response {
    match metrics.text() {
        Ok(text) => ([(CONTENT_TYPE, OPEN_METRICS), (CACHE_CONTROL, "no-store")], text).into_response(),
        Err(_full) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
