//! What an issuer publishes about itself: its metadata (RFC 8414, or `OpenID` Connect Discovery) and its keys. Bounded in time and size, and
//! from its own addresses alone: nothing is followed elsewhere.

use crate::keys::Keys;
use reqwest::{Client, StatusCode, Url, redirect};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// How long one document may take.
const DEADLINE: Duration = Duration::from_secs(5);
/// Most bytes of one.
const LARGEST: usize = 256 * 1024;

/// A client that follows no redirect and uses no proxy. Blocks: it reads the system's certificates.
pub(crate) fn client() -> reqwest::Result<Client> {
    Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(DEADLINE)
        .user_agent(concat!("handeye/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// The address of an issuer.
///
/// # Errors
/// Why it is none, as the end of a sentence.
pub(crate) fn issuer_url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| "is not a URL")?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err("may have neither a query, a fragment nor a user (RFC 8414)");
    }
    if is_private(&url) { Ok(url) } else { Err("must begin with https://, or be on this machine") }
}

/// Whether nobody on the way can change what comes from there.
fn is_private(url: &Url) -> bool {
    let is_here = url.host_str().is_some_and(|host| ["localhost", "127.0.0.1", "[::1]"].contains(&host));
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}

/// Where the metadata of an issuer may be: as RFC 8414 says, and as `OpenID` Connect does.
fn places(issuer: &Url) -> [Url; 2] {
    let path = issuer.path().trim_end_matches('/').to_owned();
    let at = |path: &str| {
        let mut url = issuer.clone();
        url.set_path(path);
        url
    };
    [
        at(&format!("/.well-known/oauth-authorization-server{path}")),
        at(&format!("{path}/.well-known/openid-configuration")),
    ]
}

/// The keys of an issuer.
///
/// # Errors
/// Why they cannot be had, as the end of a sentence.
pub(crate) async fn keys(client: &Client, issuer: &str) -> Result<Keys, String> {
    let url = issuer_url(issuer).map_err(str::to_owned)?;
    let mut last = String::new();
    for place in places(&url) {
        match document(client, place).await {
            Ok(metadata) => return keys_of(client, issuer, &metadata).await,
            Err(why) => last = why,
        }
    }
    Err(format!("has no metadata: {last}"))
}

async fn keys_of(client: &Client, issuer: &str, metadata: &Value) -> Result<Keys, String> {
    // RFC 8414, 3.3: else another server's keys could be passed off as its own.
    if metadata.get("issuer").and_then(Value::as_str) != Some(issuer) {
        return Err("has metadata of another issuer".to_owned());
    }
    let place = metadata.get("jwks_uri").and_then(Value::as_str).and_then(|text| Url::parse(text).ok());
    let place = place.filter(is_private).ok_or("has no jwks_uri that begins with https://")?;
    let set = document(client, place).await.map_err(|why| format!("has no keys: {why}"))?;
    Keys::read(&set).map_err(|why| format!("has a jwks_uri that {why}"))
}

/// A JSON document.
async fn document(client: &Client, url: Url) -> Result<Value, String> {
    let read = async {
        let mut response =
            client.get(url).header("accept", "application/json").send().await.map_err(|fault| {
                if fault.is_connect() { "it cannot be reached" } else { "it does not answer" }
            })?;
        if response.status() != StatusCode::OK {
            return Err("it answers with an error");
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|_| "its answer is torn")? {
            if body.len() + chunk.len() > LARGEST {
                return Err("its answer is too large");
            }
            body.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&body).map_err(|_| "its answer is no JSON")
    };
    timeout(DEADLINE, read).await.unwrap_or(Err("it does not answer in time")).map_err(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_reached_by_https_or_on_this_machine() {
        for good in
            ["https://id.example", "https://id.example/realms/x", "http://127.0.0.1:9", "http://localhost/a"]
        {
            assert!(issuer_url(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "id.example",
            "http://id.example",
            "http://localhost.evil.example",
            "ftp://localhost",
            "https://id.example/?a",
            "https://id.example/#a",
            "https://a@id.example",
            "file:///etc/passwd",
        ] {
            assert!(issuer_url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn metadata_is_where_both_specifications_have_it() {
        let found = |issuer: &str| places(&issuer_url(issuer).expect("an issuer")).map(|url| url.to_string());
        assert_eq!(
            found("https://id.example/realms/x/"),
            [
                "https://id.example/.well-known/oauth-authorization-server/realms/x",
                "https://id.example/realms/x/.well-known/openid-configuration"
            ]
        );
        assert_eq!(
            found("https://id.example")[0],
            "https://id.example/.well-known/oauth-authorization-server"
        );
    }
}
