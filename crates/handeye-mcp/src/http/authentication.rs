//! Who makes a request. Decided by its headers, before anything of its body is read.

use super::newcomers::Standing;
use super::seldom::Seldom;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use handeye_auth::{Denied, Guard, bearer};
use std::sync::Arc;

/// What decides, and what is noted of requests that were refused.
#[derive(Clone)]
pub(super) struct Entrance {
    guard: Arc<Guard>,
    refusals: Arc<Seldom>,
}

impl Entrance {
    pub(super) fn new(guard: Guard) -> Self {
        Self { guard: Arc::new(guard), refusals: Arc::default() }
    }

    /// The answer to who was not let in. The connection ends with it: its body, if it has one, is not read.
    fn refuse(&self, denied: Denied) -> Response {
        if let Some(times) = self.refusals.note() {
            tracing::warn!(?denied, times, "requests without a valid token were refused");
        }
        let (challenge, text) = match denied {
            Denied::Missing => ("Bearer".to_owned(), NEEDED.to_owned()),
            Denied::Invalid(why) => (
                format!("Bearer error=\"invalid_token\", error_description=\"{why}\""),
                format!("The token is not valid: {why}. {NEEDED}"),
            ),
        };
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

/// What who was not let in can do.
const NEEDED: &str = "Every request needs the header 'Authorization: Bearer TOKEN'; 'handeye mcp token' prints the token of a server.\n";

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
    let grant = match entrance.guard.admit(token(request.headers())) {
        Ok(grant) => grant,
        Err(denied) => return entrance.refuse(denied),
    };
    // A connection that is not of this server's making does not occur.
    if let Some(standing) = request.extensions().get::<Standing>()
        && !standing.prove()
    {
        return (StatusCode::SERVICE_UNAVAILABLE, [(CONNECTION, "close")], "Too many connections.\n")
            .into_response();
    }
    request.extensions_mut().insert(grant);
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
