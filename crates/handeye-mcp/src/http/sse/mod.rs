//! The transport of 2024-11-05, HTTP with SSE, for clients that speak no other: a stream of events, whose first one names the address to post
//! messages to. The session is the stream: it begins and ends with it.

mod book;
mod session;

use super::authentication::Challenge;
use super::authorization;
use super::messages;
use super::names::Names;
use super::principals::{LAST_ANSWER, Principals};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use book::Book;
use futures_util::{StreamExt, future, stream};
use handeye_auth::Grant;
use prometheus_client::metrics::gauge::Gauge;
use rmcp::ServerHandler;
use rmcp::model::ErrorData;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::MAX_REQUEST_BYTES;
use crate::lines::{self, Line};

/// Where the stream is.
const STREAM: &str = "/sse";
/// Where messages are posted.
const MESSAGES: &str = "/messages";
/// The parameter with the session.
const SESSION: &str = "session";
/// How often a stream has a sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// The error for several messages at once.
const NO_BATCHES: &str = "this transport has no batches: send each message by itself";

/// The sessions of this transport, and what answers them.
struct Streams<S> {
    principals: Arc<Principals<S>>,
    book: Book,
    cut: CancellationToken,
}

/// The two addresses. Sessions end when `cut` is cancelled; `count` counts them.
pub(super) fn routes<S: ServerHandler>(
    principals: Arc<Principals<S>>,
    names: Names,
    cut: CancellationToken,
    count: Gauge,
) -> Router {
    Router::new()
        .route(STREAM, get(open::<S>))
        .route(MESSAGES, post(receive::<S>))
        .with_state(Arc::new(Streams { principals, book: Book::counted(count), cut }))
        .route_layer(from_fn_with_state(Arc::new(names), check))
}

/// Refuses requests by other names and of web pages.
async fn check(State(names): State<Arc<Names>>, request: Request, next: Next) -> Response {
    match names.refusal(request.headers(), false) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    }
}

/// Begins a session.
async fn open<S: ServerHandler>(
    State(streams): State<Arc<Streams<S>>>,
    Extension(grant): Extension<Grant>,
) -> Response {
    let Some((handler, at_work)) = streams.principals.session(&grant.caller) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many callers are at work.\n").into_response();
    };
    let (session, pipe, mut events) = session::pair();
    let ended = streams.cut.child_token();
    let Some(entry) = streams.book.enter(grant.caller, session, ended.clone()) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many sessions are open.\n").into_response();
    };
    tokio::spawn(session::serve(handler, pipe, ended.clone()));
    let endpoint = format!("{MESSAGES}?{SESSION}={}", entry.id());
    let endpoint = Event::default().event("endpoint").data(endpoint);
    let messages = stream::poll_fn(move |context| {
        // The session ends when nobody reads any more.
        let _held = (&entry, &at_work);
        events.poll_recv(context)
    });
    let messages = messages.map(|message| Event::default().event("message").data(message));
    // It ends a while after the authorization does, as other answers do.
    let expired = grant.valid_for.map(|valid| sleep(valid.saturating_add(LAST_ANSWER)));
    let over = async move {
        tokio::select! {
            () = ended.cancelled() => {}
            () = async { match expired { Some(expired) => expired.await, None => future::pending().await } } => {}
        }
    };
    let events = stream::once(future::ready(endpoint)).chain(messages).take_until(Box::pin(over));
    Sse::new(events.map(Ok::<_, Infallible>))
        .keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE))
        .into_response()
}

/// Takes a message of a session.
async fn receive<S: ServerHandler>(State(streams): State<Arc<Streams<S>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match take(&streams.book, parts, body).await {
        Ok(()) => (StatusCode::ACCEPTED, "Accepted\n").into_response(),
        Err(refusal) => refusal,
    }
}

async fn take(book: &Book, parts: Parts, body: Body) -> Result<(), Response> {
    let (Some(grant), Some(challenge)) =
        (parts.extensions.get::<Grant>(), parts.extensions.get::<Challenge>())
    else {
        return Err(StatusCode::UNAUTHORIZED.into_response());
    };
    let unknown = || (StatusCode::NOT_FOUND, "There is no such session.\n").into_response();
    let id = parameter(&parts).ok_or_else(unknown)?;
    let session = book.of(id, &grant.caller).ok_or_else(unknown)?;
    if !is_json(&parts.headers) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response());
    }
    let length = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > MAX_REQUEST_BYTES) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE.into_response());
    }
    let bytes = messages::read_body(body).await?;
    if let Some(refusal) = authorization::refusal(&bytes, grant, challenge) {
        return Err(refusal);
    }
    match lines::read(&bytes) {
        Line::Message(message) => session.take(*message, parts).await,
        Line::Batch(_) => Err(messages::refuse(&ErrorData::invalid_request(NO_BATCHES, None), None, None)),
        Line::Wrong(error, id) => Err(messages::refuse(&error, id.as_ref(), None)),
        Line::Nothing => Ok(()),
    }
}

/// The session that a request names.
fn parameter(parts: &Parts) -> Option<&str> {
    let mut pairs = parts.uri.query()?.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| *name == SESSION).map(|(_, value)| value)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
