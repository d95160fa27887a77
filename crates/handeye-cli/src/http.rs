//! Where a server listens and what lets clients in: the flags and variables of `mcp serve --http`.

use crate::log_place::state_folder;
use crate::settings::{BIND, HTTP_AUDIENCE, HTTP_ISSUER, HTTP_TOKEN, PORT, given};
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
pub fn http_arguments() -> [Arg; 5] {
    [
        Arg::new(HTTP)
            .long(HTTP)
            .action(ArgAction::SetTrue)
            .help("Serve over Streamable HTTP, to programs on this machine, and print the address"),
        PORT.argument("PORT").requires(HTTP),
        BIND.argument("ADDRESS").requires(HTTP),
        HTTP_ISSUER.argument("URL").requires(HTTP),
        HTTP_AUDIENCE.argument("URL").requires(HTTP),
    ]
}

/// Where to listen, if HTTP is asked for.
pub fn http_address(matches: &ArgMatches) -> Result<Option<SocketAddr>> {
    if !matches.get_flag(HTTP) {
        return Ok(None);
    }
    let port = PORT.chosen(matches)?.unwrap_or(DEFAULT_PORT);
    let address = BIND.chosen(matches)?.unwrap_or(DEFAULT_ADDRESS);
    Ok(Some(SocketAddr::new(address, port)))
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
    asked
        .into_iter()
        .chain(given(matches, &[&PORT.about, &BIND.about, &HTTP_ISSUER.about, &HTTP_AUDIENCE.about]))
        .collect()
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
        assert_eq!(http_address(&matches(&[])).expect("valid"), None);
        let at =
            |words: &[&str]| http_address(&matches(words)).expect("valid").expect("asked for").to_string();
        assert_eq!(at(&["--http"]), "127.0.0.1:8741");
        assert_eq!(at(&["--http", "--port", "0", "--bind", "::1"]), "[::1]:0");
        assert_eq!(at(&["--http", "--bind", "localhost"]), "127.0.0.1:8741");
        let words = ["--http", "--port", "9000"];
        assert_eq!(given_http_flags(&matches(&words)), words);
        assert!(given_http_flags(&matches(&[])).is_empty());
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
