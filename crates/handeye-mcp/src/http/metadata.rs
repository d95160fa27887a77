//! Where clients learn which authorization server to ask for a token (RFC 9728). It is public.

use axum::Router;
use axum::http::Uri;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::routing::get;
use handeye_auth::Issuer;
use handeye_call::scopes::Scope;
use serde_json::json;
use std::collections::BTreeSet;

/// Where it is for a resource without a path.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The scheme and the host of a URL, and its path without a slash at the end.
fn parts(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let path = url[host..].find('/').map_or(url.len(), |at| host + at);
    (&url[..path], url[path..].trim_end_matches('/'))
}

/// Where the metadata of a resource is: between its host and its path.
pub(super) fn location(resource: &str) -> String {
    let (origin, path) = parts(resource);
    format!("{origin}{WELL_KNOWN}{path}")
}

/// The host of a resource, without its port.
pub(super) fn host(resource: &str) -> Option<String> {
    let authority: Uri = parts(resource).0.parse().ok()?;
    authority.host().map(|host| host.trim_matches(['[', ']']).to_owned())
}

/// The document, at every path where a client may look.
pub(super) fn routes(issuer: &Issuer, endpoint: &str) -> Router {
    let document = json!({
        "resource": issuer.audience(),
        "authorization_servers": [issuer.url()],
        "scopes_supported": Scope::ALL.map(Scope::as_str),
        "bearer_methods_supported": ["header"],
        "resource_name": "handeye",
    })
    .to_string();
    let (_, path) = parts(issuer.audience());
    let paths = ["", endpoint, path].map(|path| format!("{WELL_KNOWN}{path}"));
    let answer =
        || async move { ([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "max-age=3600")], document) };
    // A path of an audience is text, and no pattern.
    let paths = paths.into_iter().filter(|path| !path.contains(['{', '}', '*', ':']));
    paths
        .collect::<BTreeSet<_>>()
        .into_iter()
        .fold(Router::new(), |router, path| router.route(&path, get(answer.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_between_host_and_path() {
        for (resource, expected) in [
            ("https://h.example/mcp", "https://h.example/.well-known/oauth-protected-resource/mcp"),
            ("https://h.example/", "https://h.example/.well-known/oauth-protected-resource"),
            ("http://[::1]:8/a/mcp", "http://[::1]:8/.well-known/oauth-protected-resource/a/mcp"),
        ] {
            assert_eq!(location(resource), expected);
        }
    }
}
