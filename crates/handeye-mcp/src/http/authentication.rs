//! Who makes a request. Decided by its headers, before anything of its body is read.

use super::metadata;
use super::metrics::Metrics;
use super::newcomers::Standing;
use super::seldom::Seldom;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use handeye_auth::{Denied, Guard, bearer};
use handeye_call::scopes::{Scope, Scopes};
use std::sync::Arc;

/// What decides, and what is noted of requests that were refused.
#[derive(Clone)]
pub(super) struct Entrance {
    guard: Arc<Guard>,
    refusals: Arc<Seldom>,
    metrics: Arc<Metrics>,
    challenge: Challenge,
}

impl Entrance {
    pub(super) fn new(guard: Guard, metrics: Arc<Metrics>) -> Self {
        let metadata = guard.issuer().map(|issuer| metadata::location(issuer.audience()).into());
        Self { guard: Arc::new(guard), refusals: Arc::default(), metrics, challenge: Challenge { metadata } }
    }

    /// The answer to who was not let in. The connection ends with it: its body, if it has one, is not read.
    fn refuse(&self, denied: Denied) -> Response {
        self.metrics.refused(match denied {
            Denied::Missing => "missing",
            Denied::Invalid(_) => "invalid",
            Denied::Unavailable => "unavailable",
        });
        if let Some(times) = self.refusals.note() {
            tracing::warn!(?denied, times, "requests without a valid token were refused");
        }
        let (error, why) = match denied {
            Denied::Missing => (None, None),
            Denied::Invalid(why) => (Some("invalid_token"), Some(why)),
            Denied::Unavailable => {
                let headers = [(CONNECTION, "close"), (RETRY_AFTER, "10")];
                return (StatusCode::SERVICE_UNAVAILABLE, headers, UNAVAILABLE).into_response();
            }
        };
        let text = why.map_or_else(
            || self.challenge.needed().to_owned(),
            |why| format!("The token is not valid: {why}. {}", self.challenge.needed()),
        );
        let scopes = self.challenge.metadata.is_some().then_some(Scopes::of(&[Scope::Read]));
        let challenge = self.challenge.header(error, why, scopes);
        let mut response = (StatusCode::UNAUTHORIZED, text).into_response();
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        // The reasons are our own, in ASCII and without quotation marks.
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// How a client can be let in (RFC 6750, 3; RFC 9728, 5.1).
#[derive(Debug, Clone)]
pub(super) struct Challenge {
    /// Where the metadata is, if there is an authorization server.
    metadata: Option<Arc<str>>,
}

impl Challenge {
    /// The value of `WWW-Authenticate`.
    pub(super) fn header(&self, error: Option<&str>, why: Option<&str>, scopes: Option<Scopes>) -> String {
        let parts = [
            error.map(|error| format!("error=\"{error}\"")),
            why.map(|why| format!("error_description=\"{why}\"")),
            scopes.map(|scopes| format!("scope=\"{scopes}\"")),
            self.metadata.as_ref().map(|metadata| format!("resource_metadata=\"{metadata}\"")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("Bearer {}", parts.join(", ")).trim_end().to_owned()
    }

    /// What who was not let in can do.
    const fn needed(&self) -> &'static str {
        if self.metadata.is_some() { TOKEN_OF_ISSUER } else { NEEDED }
    }
}

/// What a client needs.
const NEEDED: &str = "Every request needs the header 'Authorization: Bearer TOKEN'; 'handeye mcp token' prints the token of a server.\n";

/// The same where an authorization server gives the tokens.
const TOKEN_OF_ISSUER: &str = "Every request needs the header 'Authorization: Bearer TOKEN', with an access token of the authorization server.\n";
/// The answer while nobody can be let in.
const UNAVAILABLE: &str = "The keys of the authorization server are not available; try again later.\n";

/// The bearer token of a request. Two such headers are none: which one a proxy looked at is not known.
fn token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?;
    values.next().is_none().then(|| bearer::token(value.as_bytes())).flatten()
}

/// Lets in who has a valid token.
pub(super) async fn authenticate(
    State(entrance): State<Entrance>,
    mut request: Request,
    next: Next,
) -> Response {
    let grant = match entrance.guard.admit(token(request.headers())).await {
        Ok(grant) => grant,
        Err(denied) => return entrance.refuse(denied),
    };
    // A connection that is not of this server's making does not occur.
    if let Some(standing) = request.extensions().get::<Standing>()
        && !standing.prove(&grant.caller)
    {
        return (StatusCode::SERVICE_UNAVAILABLE, [(CONNECTION, "close")], "Too many connections.\n")
            .into_response();
    }
    request.extensions_mut().insert(grant);
    request.extensions_mut().insert(entrance.challenge);
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_header_with_one_token() {
        let headers = |values: &[&'static str]| {
            let values = values.iter().map(|value| (AUTHORIZATION, HeaderValue::from_static(value)));
            values.fold(HeaderMap::new(), |mut headers, (name, value)| {
                headers.append(name, value);
                headers
            })
        };
        assert_eq!(token(&headers(&["Bearer x"])), Some("x"));
        for none in [&[][..], &["Basic x"], &["Bearer x", "Bearer x"], &["Bearer x", ""], &["Bearer x,y"]] {
            assert_eq!(token(&headers(none)), None, "{none:?}");
        }
    }
}
