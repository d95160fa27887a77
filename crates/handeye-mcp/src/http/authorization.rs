//! Whether an authorization covers a request, before anything works on it: the answer names the scopes to ask for. The gate checks every
//! call again, with those that a workflow makes.

use super::authentication::Challenge;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use handeye_auth::Grant;
use handeye_call::scopes::{Scope, Scopes};
use handeye_service::scopes;
use serde_json::Value;

/// What reports nothing of the desktop. A task belongs to its caller, and was authorized when it began.
const FREE: [&str; 15] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "resources/templates/list",
    "skills/list",
    "skills/get",
    "logging/setLevel",
    "resources/unsubscribe",
    "tasks/list",
    "tasks/get",
    "tasks/update",
    "tasks/result",
    "tasks/cancel",
    "roots/list",
];

/// The scopes that a message, or all of a batch, needs.
fn needed(message: &Value) -> Scopes {
    if let Some(messages) = message.as_array() {
        return messages.iter().map(needed).fold(Scopes::NONE, Scopes::and);
    }
    let Some(method) = message.get("method").and_then(Value::as_str) else { return Scopes::NONE };
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    match method {
        "tools/call" => scopes::of_call(
            text("/params/name"),
            message.pointer("/params/arguments").unwrap_or(&Value::Null),
        ),
        "resources/read" | "resources/subscribe" => scopes::of_resource(text("/params/uri")),
        "subscriptions/listen" => {
            let uris =
                message.pointer("/params/notifications/resourceSubscriptions").and_then(Value::as_array);
            let uris = uris.into_iter().flatten().filter_map(Value::as_str);
            uris.map(scopes::of_resource).fold(Scopes::NONE, Scopes::and)
        }
        free if FREE.contains(&free) || free.starts_with("notifications/") => Scopes::NONE,
        _ => Scopes::of(&[Scope::Read]),
    }
}

/// The answer to a request whose authorization does not cover it (RFC 6750, 3.1): it names what the client has to ask for, with what it has.
pub(super) fn refusal(body: &[u8], grant: &Grant, challenge: &Challenge) -> Option<Response> {
    if grant.scopes == Scopes::ALL {
        return None;
    }
    // What cannot be read is answered with an error, and works on nothing.
    let needed = needed(&serde_json::from_slice(body).ok()?);
    if grant.scopes.cover(needed) {
        return None;
    }
    let wanted = grant.scopes.and(needed);
    let missing = grant.scopes.missing_of(needed);
    let header =
        challenge.header(Some("insufficient_scope"), Some("the authorization lacks a scope"), Some(wanted));
    let text = format!("This needs the scope {missing}, which the access token does not grant.\n");
    let mut response = (StatusCode::FORBIDDEN, text).into_response();
    if let Ok(header) = HeaderValue::from_str(&header) {
        response.headers_mut().insert(WWW_AUTHENTICATE, header);
    }
    Some(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_needs_what_it_does() {
        let call =
            |tool: &str| json!({ "method": "tools/call", "params": { "name": tool, "arguments": {} } });
        let uris = json!(["handeye://clipboard", "handeye://app/x/tree"]);
        for (message, expected) in [
            (json!({ "method": "initialize" }), ""),
            (json!({ "method": "notifications/cancelled" }), ""),
            (json!({ "id": 1, "result": {} }), ""),
            (json!({ "method": "something/new" }), "read"),
            (json!({ "method": "prompts/get" }), "read"),
            (json!({ "method": "completion/complete" }), "read"),
            (call("ax_click"), "read act"),
            (call("ax_run_script"), "read act script"),
            (call("nonsense"), ""),
            (json!([call("ax_get_tree"), call("ax_clipboard")]), "read clipboard"),
            (json!({ "method": "resources/read", "params": { "uri": "handeye://clipboard" } }), "clipboard"),
            (
                json!({ "method": "subscriptions/listen", "params": { "notifications": { "resourceSubscriptions": uris } } }),
                "read clipboard",
            ),
        ] {
            assert_eq!(needed(&message).to_string(), expected, "{message}");
        }
    }
}
