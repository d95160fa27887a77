//! By which names this server is called, and which pages may call it: a page whose name was made to lead here comes with another.

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};

/// The names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The names of a server. Programs say no origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    /// What `Host` may say, with any port.
    pub(super) hosts: Vec<String>,
    /// The pages whose scripts may call: those of this very server, which has none.
    pub(super) origins: Vec<String>,
}

impl Names {
    /// The names of a server at `address`: those of this machine, and those by which others call it.
    pub(super) fn of(address: SocketAddr, is_encrypted: bool, others: impl Iterator<Item = String>) -> Self {
        let scheme = if is_encrypted { "https" } else { "http" };
        let mut hosts: Vec<String> = LOOPBACK.map(str::to_owned).to_vec();
        hosts.push(address.ip().to_string());
        let mut origins: Vec<String> =
            hosts.iter().map(|host| format!("{scheme}://{}:{}", bracketed(host), address.port())).collect();
        for other in others.map(|other| other.to_ascii_lowercase()) {
            origins.push(format!(
                "https://{}:{}",
                bracketed(&other),
                if is_encrypted { address.port() } else { 443 }
            ));
            hosts.push(other);
        }
        Self { hosts, origins }
    }

    /// The answer to a request that is made by another name, or by another page; `by_address`: every address is a name too, as no page
    /// has one that it did not come from.
    pub(super) fn refusal(&self, headers: &HeaderMap, by_address: bool) -> Option<Response> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()?.parse::<Authority>().ok());
        let Some(host) = host.filter(|_| hosts.next().is_none()) else {
            return Some((StatusCode::BAD_REQUEST, "The request needs one header Host.\n").into_response());
        };
        let host = host.host().trim_matches(['[', ']']).to_ascii_lowercase();
        let is_known = self.hosts.contains(&host) || (by_address && host.parse::<IpAddr>().is_ok());
        if !is_known {
            return Some((StatusCode::FORBIDDEN, FOREIGN_HOST).into_response());
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        origins
            .any(|origin| {
                !origin
                    .to_str()
                    .is_ok_and(|origin| self.origins.contains(&with_port(&origin.to_ascii_lowercase())))
            })
            .then(|| (StatusCode::FORBIDDEN, "Web pages may not call this server.\n").into_response())
    }
}

/// The answer to a request by another name.
const FOREIGN_HOST: &str = "The server has no such name (Host); --allowed-hosts adds names.\n";

/// An origin with its port, which browsers leave out where it is the usual one.
fn with_port(origin: &str) -> String {
    let (usual, rest) = match origin.split_once("://") {
        Some(("https", rest)) => (443, rest),
        Some(("http", rest)) => (80, rest),
        _ => return origin.to_owned(),
    };
    match rest.parse::<Authority>() {
        Ok(authority) if authority.port().is_none() => format!("{origin}:{usual}"),
        _ => origin.to_owned(),
    }
}

/// A host as it stands in a URL.
pub(super) fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_the_names_of_its_machine_and_those_it_is_given() {
        let address = "192.0.2.7:8741".parse().expect("an address");
        let names =
            Names::of(address, true, ["Desk.example".to_owned(), "2001:db8::1".to_owned()].into_iter());
        assert_eq!(
            names.hosts,
            ["localhost", "127.0.0.1", "::1", "192.0.2.7", "desk.example", "2001:db8::1"]
        );
        assert!(names.origins.contains(&"https://[::1]:8741".to_owned()));
        assert!(names.origins.contains(&"https://[2001:db8::1]:8741".to_owned()));
        let proxied = Names::of(address, false, std::iter::once("desk.example".to_owned()));
        assert!(proxied.origins.contains(&"http://192.0.2.7:8741".to_owned()));
        assert!(proxied.origins.contains(&"https://desk.example:443".to_owned()));
    }

    #[test]
    fn requests_by_other_names_and_of_other_pages_are_refused() {
        let address = "127.0.0.1:8741".parse().expect("an address");
        let names = Names::of(address, false, std::iter::once("desk.example".to_owned()));
        let status = |pairs: &[(&str, &str)], by_address| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                let name: axum::http::HeaderName = name.parse().expect("a name");
                headers.append(name, value.parse().expect("a value"));
            }
            names.refusal(&headers, by_address).map(|response| response.status().as_u16())
        };
        for host in ["localhost:8741", "[::1]:8741", "127.0.0.1", "Desk.example:443"] {
            assert_eq!(status(&[("host", host)], false), None, "{host}");
        }
        for host in ["evil.example", "192.0.2.1", "desk.example.evil.example"] {
            assert_eq!(status(&[("host", host)], false), Some(403), "{host}");
        }
        assert_eq!(status(&[("host", "192.0.2.1:9464")], true), None);
        assert_eq!(status(&[("host", "evil.example")], true), Some(403));
        for hosts in
            [&[][..], &[("host", "")], &[("host", "a b")], &[("host", "localhost"), ("host", "localhost")]]
        {
            assert_eq!(status(hosts, false), Some(400), "{hosts:?}");
        }
        let of_page = |origin| status(&[("host", "localhost"), ("origin", origin)], false);
        assert_eq!((of_page("https://desk.example"), of_page("http://localhost:8741")), (None, None));
        for origin in [
            "https://evil.example",
            "null",
            "http://desk.example",
            "http://localhost",
            "https://desk.example:1",
        ] {
            assert_eq!(of_page(origin), Some(403), "{origin}");
        }
    }
}
