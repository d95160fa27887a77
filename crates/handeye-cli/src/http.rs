//! Where a server listens and what lets clients in: the flags and variables of `mcp serve --http`.

use crate::log_place::state_folder;
use crate::settings::{
    ALLOWED_HOSTS, BEHIND_PROXY, BIND, HTTP_AUDIENCE, HTTP_ISSUER, HTTP_TOKEN, METRICS, PORT, TLS_CERT,
    TLS_KEY, given,
};
use clap::{Arg, ArgAction, ArgMatches};
use handeye_auth::{TOKEN_FILE, Token, token_of_file};
use handeye_core::{Error, ErrorCode, Result};
use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

/// The port when nobody says otherwise.
pub(crate) const DEFAULT_PORT: u16 = 8741;
/// The address when nobody says otherwise.
pub(crate) const DEFAULT_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The flag that asks for HTTP.
const HTTP: &str = "http";

/// The flags of a server that listens.
pub fn http_arguments() -> [Arg; 10] {
    [
        Arg::new(HTTP)
            .long(HTTP)
            .visible_alias("sse")
            .action(ArgAction::SetTrue)
            .help("Serve over Streamable HTTP, and print the address; /sse beside it is the transport of 2024-11-05"),
        PORT.argument("PORT").requires(HTTP),
        BIND.argument("ADDRESS").requires(HTTP),
        TLS_CERT.argument("FILE").requires(HTTP),
        TLS_KEY.argument("FILE").requires(HTTP),
        BEHIND_PROXY.switch().requires(HTTP),
        ALLOWED_HOSTS.argument("NAMES").requires(HTTP),
        METRICS.argument("ADDRESS").requires(HTTP),
        HTTP_ISSUER.argument("URL").requires(HTTP),
        HTTP_AUDIENCE.argument("URL").requires(HTTP),
    ]
}

/// Where a server listens, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpPlace {
    /// The address.
    pub address: SocketAddr,
    /// The files of its certificate and its key, if it encrypts.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether a proxy in front of it encrypts and authenticates connections.
    pub behind_proxy: bool,
    /// The names by which clients call it, beside those of this machine.
    pub hosts: Vec<String>,
    /// Another address for health and metrics, if they are asked for.
    pub metrics: Option<SocketAddr>,
}

/// Where to listen, if HTTP is asked for.
///
/// # Errors
/// A certificate without a key, or a key without one; an address of which nobody says by which name clients call it.
pub fn http_place(matches: &ArgMatches) -> Result<Option<HttpPlace>> {
    if !matches.get_flag(HTTP) {
        return Ok(None);
    }
    let port = PORT.chosen(matches)?.unwrap_or(DEFAULT_PORT);
    let address = BIND.chosen(matches)?.unwrap_or(DEFAULT_ADDRESS);
    let tls = match (TLS_CERT.chosen(matches)?, TLS_KEY.chosen(matches)?) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (Some(_), None) => {
            return Err(half("tls-key", "is missing", "Add --tls-key, the key of the certificate."));
        }
        (None, Some(_)) => {
            return Err(half("tls-cert", "is missing", "Add --tls-cert, the certificate of the key."));
        }
    };
    let behind_proxy = BEHIND_PROXY.is_on(matches)?;
    let hosts = ALLOWED_HOSTS.chosen(matches)?.unwrap_or_default();
    let has_audience = HTTP_AUDIENCE.chosen(matches)?.is_some();
    let is_reachable = !address.is_loopback() && (tls.is_some() || behind_proxy);
    if is_reachable && address.is_unspecified() && hosts.is_empty() && !has_audience {
        return Err(half(
            "allowed-hosts",
            "is needed, as the address does not say by which name clients call",
            "Add --allowed-hosts with the names and addresses by which they do, such as desk.example.",
        ));
    }
    // The address that is printed is not theirs.
    let is_elsewhere = behind_proxy || (address.is_unspecified() && hosts.is_empty());
    if is_elsewhere && HTTP_ISSUER.chosen(matches)?.is_some() && !has_audience {
        return Err(half(
            "audience",
            "is needed, as the address that is printed is not the one that clients call",
            "Add --audience with the URL that they call, such as https://desk.example/mcp.",
        ));
    }
    let metrics = METRICS.chosen(matches)?;
    Ok(Some(HttpPlace { address: SocketAddr::new(address, port), tls, behind_proxy, hosts, metrics }))
}

/// The error of flags that do not go without another.
fn half(flag: &str, why: &str, next: &'static str) -> Error {
    Error::invalid_parameter(flag, why).with_next(next)
}

/// Where a token comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// This variable or key sets it.
    Set(&'static str),
    /// It is in this file.
    File(PathBuf),
}

/// As the end of a sentence: "the token is …".
impl fmt::Display for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(name) => write!(f, "the one that {name} sets"),
            Self::File(path) => write!(f, "in {}", path.display()),
        }
    }
}

/// The authorization server of a server that listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// Its issuer.
    pub issuer: String,
    /// What access tokens have to be for, if not for the address that the server listens at.
    pub audience: Option<String>,
}

/// Which authorization server is asked for, if any.
///
/// # Errors
/// An audience without an issuer, which would protect nothing.
pub fn http_authorization(matches: &ArgMatches) -> Result<Option<Authorization>> {
    let audience = HTTP_AUDIENCE.chosen(matches)?;
    match HTTP_ISSUER.chosen(matches)? {
        Some(issuer) => Ok(Some(Authorization { issuer, audience })),
        None if audience.is_none() => Ok(None),
        None => {
            Err(Error::invalid_parameter("audience", "is for access tokens, and there is no issuer of them")
                .with_next("Add --auth-issuer, or leave --audience out."))
        }
    }
}

/// The token that is set, beside an authorization server.
///
/// # Errors
/// A token that is none.
pub fn http_token_that_is_set() -> Result<Option<Token>> {
    HTTP_TOKEN.configured()
}

/// The token that clients need: the one that is set, else that of the file, which is made if there is none. Blocks, for two seconds at most.
///
/// # Errors
/// A token that is set and is none; a file that cannot be made, or that somebody else may have read or written.
pub fn http_token() -> Result<(Token, TokenSource)> {
    if let Some((source, token)) = HTTP_TOKEN.found()? {
        return Ok((token, TokenSource::Set(source.name())));
    }
    let folder = state_folder().map_err(|fault| {
        Error::new(ErrorCode::Io, format!("there is no place for the token file: {fault}"))
    })?;
    let path = folder.join(TOKEN_FILE);
    Ok((token_of_file(&path)?, TokenSource::File(path)))
}

/// The variables that may have the token: programs that the server starts have no use for it.
pub fn http_token_variables() -> impl Iterator<Item = &'static str> {
    std::iter::once(HTTP_TOKEN.about.variable).chain(HTTP_TOKEN.about.aliases.iter().copied())
}

/// Whether clients come over HTTP.
pub fn is_over_http(matches: &ArgMatches) -> bool {
    matches.get_flag(HTTP)
}

/// The flags as they were given, to be passed on to another process.
pub fn given_http_flags(matches: &ArgMatches) -> Vec<OsString> {
    let asked = matches.get_flag(HTTP).then(|| format!("--{HTTP}").into());
    let settings = [
        &PORT.about,
        &BIND.about,
        &TLS_CERT.about,
        &TLS_KEY.about,
        &BEHIND_PROXY.about,
        &ALLOWED_HOSTS.about,
        &METRICS.about,
        &HTTP_ISSUER.about,
        &HTTP_AUDIENCE.about,
    ];
    asked.into_iter().chain(given(matches, &settings)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    fn matches(words: &[&str]) -> ArgMatches {
        let words = std::iter::once("serve").chain(words.iter().copied());
        Command::new("serve").args(http_arguments()).get_matches_from(words)
    }

    #[test]
    fn the_flags_say_where() {
        assert_eq!(http_place(&matches(&[])).expect("valid"), None);
        let at = |words: &[&str]| {
            http_place(&matches(words)).expect("valid").expect("asked for").address.to_string()
        };
        assert_eq!(at(&["--http"]), "127.0.0.1:8741");
        assert_eq!(at(&["--http", "--port", "0", "--bind", "::1"]), "[::1]:0");
        assert_eq!(at(&["--http", "--bind", "localhost"]), "127.0.0.1:8741");
        let words = ["--http", "--port", "9000", "--behind-proxy", "--allowed-hosts", "a.example,b.example"];
        assert_eq!(given_http_flags(&matches(&words)), words);
        assert!(given_http_flags(&matches(&[])).is_empty());
    }

    #[test]
    fn what_makes_no_sense_without_another_is_refused() {
        let wrong = |words: &[&str]| {
            let words = std::iter::once("--http").chain(words.iter().copied()).collect::<Vec<_>>();
            http_place(&matches(&words)).expect_err("refused").message
        };
        assert!(wrong(&["--tls-cert", "c.pem"]).contains("tls-key"));
        assert!(wrong(&["--tls-key", "k.pem"]).contains("tls-cert"));
        assert!(wrong(&["--bind", "0.0.0.0", "--behind-proxy"]).contains("allowed-hosts"));
        let issuer = ["--behind-proxy", "--auth-issuer", "https://id.example"];
        assert!(wrong(&issuer).contains("audience"));
        let words =
            ["--http", "--bind", "::", "--tls-cert", "c", "--tls-key", "k", "--allowed-hosts", "d.example"];
        let place = http_place(&matches(&words)).expect("valid").expect("asked for");
        assert_eq!(place.tls, Some(("c".into(), "k".into())));
        assert_eq!((place.behind_proxy, place.hosts), (false, vec!["d.example".to_owned()]));
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for words in [["--http", "--port", "65536"], ["--http", "--bind", "here"]] {
            assert!(
                Command::new("serve").args(http_arguments()).try_get_matches_from(words).is_err(),
                "{words:?}"
            );
        }
        let alone =
            Command::new("serve").args(http_arguments()).try_get_matches_from(["serve", "--port", "9000"]);
        assert!(alone.is_err(), "a port without HTTP");
    }
}
