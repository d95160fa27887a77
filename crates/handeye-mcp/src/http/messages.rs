//! What a client posts, before the SDK sees it: what is not a message is answered as JSON-RPC requires, and a batch is taken apart, since the
//! SDK knows neither.

use super::authentication::Challenge;
use super::{MAX_REQUEST_BYTES, authorization};
use crate::batches;
use crate::lines::{self, Line};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, future, stream};
use handeye_auth::Grant;
use rmcp::ErrorData;
use rmcp::model::{ClientRequest, JsonRpcMessage, ProtocolVersion, RequestId};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// How long the body of a request may take from its first byte to its last.
const BODY: Duration = Duration::from_secs(30);

/// Reads what is posted, and passes on what is one message.
pub(super) async fn read_messages(request: Request, next: Next) -> Response {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let is_too_long = length.is_some_and(|length: usize| length > MAX_REQUEST_BYTES);
    // The SDK has an answer to that.
    if request.method() != Method::POST || is_too_long {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let bytes = match read_body(body).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal,
    };
    if let (Some(grant), Some(challenge)) =
        (parts.extensions.get::<Grant>(), parts.extensions.get::<Challenge>())
        && let Some(refusal) = authorization::refusal(&bytes, grant, challenge)
    {
        return refusal;
    }
    let version =
        parts.headers.get("MCP-Protocol-Version").map(|version| version.to_str().unwrap_or_default());
    match lines::read(&bytes) {
        Line::Message(_) | Line::Nothing => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        // The SDK reports faults in the headers first.
        Line::Wrong(..) if !has_usual_headers(&parts) => {
            next.run(Request::from_parts(parts, Body::from(bytes))).await
        }
        Line::Wrong(error, id) => refuse(&error, id.as_ref(), version),
        // Who says no revision speaks this one ("Protocol Version Header" in the transports of later revisions).
        Line::Batch(lines) if version.is_none_or(|version| version == batches::REVISION.as_str()) => {
            // It was an array a moment ago.
            let messages: Vec<Value> = serde_json::from_slice(&bytes).unwrap_or_default();
            answer_all(&parts, messages.into_iter().zip(lines), &next).await
        }
        Line::Batch(_) => refuse(&ErrorData::invalid_request(batches::REFUSED, None), None, version),
    }
}

/// The body of a request, within its bounds, or the answer to one that is beyond them.
pub(super) async fn read_body(body: Body) -> Result<Bytes, Response> {
    match timeout(BODY, to_bytes(body, MAX_REQUEST_BYTES)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_too_long)) => Err(StatusCode::PAYLOAD_TOO_LARGE.into_response()),
        Err(_late) => Err((StatusCode::REQUEST_TIMEOUT, [(CONNECTION, "close")]).into_response()),
    }
}

/// Whether a request says that it posts JSON and takes JSON and streams of events, as the transport requires.
fn has_usual_headers(parts: &Parts) -> bool {
    let value = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let accepted = value(ACCEPT);
    value(CONTENT_TYPE).starts_with("application/json")
        && accepted.contains("application/json")
        && accepted.contains("text/event-stream")
}

/// Answers an error to one message by itself.
pub(super) fn refuse(error: &ErrorData, id: Option<&RequestId>, version: Option<&str>) -> Response {
    let mut answer = error_message(error, id);
    let is_modern = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str());
    if id.is_none()
        && is_modern
        && let Some(fields) = answer.as_object_mut()
    {
        fields.remove("id");
    }
    (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
}

fn error_message(error: &ErrorData, id: Option<&RequestId>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// Posts each message of a batch by itself, all at once, and answers with one stream: the answers to what was wrong in it, then the streams
/// of the others one after the other.
async fn answer_all(parts: &Parts, messages: impl Iterator<Item = (Value, Line)>, next: &Next) -> Response {
    let mut events = String::new();
    let mut posts = Vec::new();
    for (message, line) in messages {
        let (error, id) = match line {
            Line::Message(read) => {
                let Some(id) = begins_a_session(&read) else {
                    posts.push(next.clone().run(one(parts, &message)));
                    continue;
                };
                (ErrorData::invalid_request(batches::NO_BEGINNING, None), Some(id))
            }
            Line::Wrong(error, id) => (error, id),
            Line::Batch(_) | Line::Nothing => continue,
        };
        events.push_str(&format!("data: {}\n\n", error_message(&error, id.as_ref())));
    }
    let mut streams = Vec::new();
    for response in future::join_all(posts).await {
        if !response.status().is_success() {
            return response;
        }
        if response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream") {
            streams.push(response);
        }
    }
    let Some(first) = streams.first() else {
        return if events.is_empty() {
            StatusCode::ACCEPTED.into_response()
        } else {
            ([(CONTENT_TYPE, "text/event-stream")], events).into_response()
        };
    };
    let headers = first.headers().clone();
    let begin = stream::iter((!events.is_empty()).then_some(Ok::<_, axum::Error>(events.into())));
    let rest = stream::iter(streams).flat_map(|response| response.into_body().into_data_stream());
    let mut response = Body::from_stream(begin.chain(rest)).into_response();
    *response.headers_mut() = headers;
    response
}

/// A request with one message of a batch.
fn one(batch: &Parts, message: &Value) -> Request {
    let mut parts = batch.clone();
    let body = message.to_string();
    parts.headers.insert(CONTENT_LENGTH, body.len().into());
    Request::from_parts(parts, Body::from(body))
}

/// The id of a request that begins a session.
fn begins_a_session(message: &rmcp::model::ClientJsonRpcMessage) -> Option<RequestId> {
    let JsonRpcMessage::Request(request) = message else { return None };
    matches!(request.request, ClientRequest::InitializeRequest(_)).then(|| request.id.clone())
}
