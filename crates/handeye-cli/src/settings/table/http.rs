//! Where a server listens, and who may come over HTTP.

use crate::settings::reading::{address, address_and_port, host_names, path, port, switch, text, token};
use crate::settings::setting::{About, Kind, Setting};
use handeye_auth::Token;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// The port of a server that listens.
pub const PORT: Setting<u16> = About {
    flag: Some("port"),
    variable: "HANDEYE_HTTP_PORT",
    aliases: &["AXTERMINATOR_HTTP_PORT"],
    key: Some("http.port"),
    kind: Kind::Number,
    default: "8741",
    help: "The port for --http; 0 selects a free port",
}
.read_by(port);

/// The address of a server that listens.
pub const BIND: Setting<IpAddr> = About {
    flag: Some("bind"),
    variable: "HANDEYE_HTTP_BIND",
    aliases: &["AXTERMINATOR_HTTP_BIND"],
    key: Some("http.bind"),
    kind: Kind::Text,
    default: "127.0.0.1",
    help: "The address for --http. One that other machines reach needs --tls-cert and --tls-key, or --behind-proxy",
}
.read_by(address);

/// The certificate of a server that encrypts.
pub const TLS_CERT: Setting<PathBuf> = About {
    flag: Some("tls-cert"),
    variable: "HANDEYE_HTTP_TLS_CERT",
    aliases: &[],
    key: Some("http.tls_cert"),
    kind: Kind::Path,
    default: "none: nothing is encrypted",
    help: "The certificate for --http, with its chain, in PEM; it is read again when the file changes",
}
.read_by(path);

/// The key of that certificate.
pub const TLS_KEY: Setting<PathBuf> = About {
    flag: Some("tls-key"),
    variable: "HANDEYE_HTTP_TLS_KEY",
    aliases: &[],
    key: Some("http.tls_key"),
    kind: Kind::Path,
    default: "none",
    help: "The key of --tls-cert in PEM, in a file that other users cannot read (chmod 600)",
}
.read_by(path);

/// Whether somebody else encrypts.
pub const BEHIND_PROXY: Setting<bool> = About {
    flag: Some("behind-proxy"),
    variable: "HANDEYE_HTTP_BEHIND_PROXY",
    aliases: &[],
    key: Some("http.behind_proxy"),
    kind: Kind::Switch,
    default: "false",
    help: "State that nobody reaches --bind but through a proxy that encrypts and authenticates connections; clients need the token \
           as before",
}
.read_by(switch);

/// The names by which clients call.
pub const ALLOWED_HOSTS: Setting<Vec<String>> = About {
    flag: Some("allowed-hosts"),
    variable: "HANDEYE_HTTP_ALLOWED_HOSTS",
    aliases: &[],
    key: Some("http.allowed_hosts"),
    kind: Kind::List,
    default: "localhost, 127.0.0.1, ::1, the address of --bind and the host of --audience alone",
    help: "More host names by which clients call the server, separated by commas; with any other (Host) a request is refused",
}
.read_by(host_names);

/// The address for health and metrics.
pub const METRICS: Setting<SocketAddr> = About {
    flag: Some("metrics"),
    variable: "HANDEYE_HTTP_METRICS",
    aliases: &[],
    key: Some("http.metrics"),
    kind: Kind::NumberOrText,
    default: "none",
    help: "Also serve /health and /metrics (Prometheus) without a token, at this port of 127.0.0.1 or at this ADDRESS:PORT",
}
.read_by(address_and_port);

/// The token of a server that listens.
pub const HTTP_TOKEN: Setting<Token> = About {
    flag: None,
    variable: "HANDEYE_HTTP_TOKEN",
    aliases: &["AXTERMINATOR_HTTP_TOKEN"],
    key: Some("http.token"),
    kind: Kind::Secret,
    default: "the one in handeye/http-token in XDG_STATE_HOME or ~/.local/state, which is made when it is needed",
    help: "The token that clients of --http need, 32 to 512 characters. In the configuration file only if nobody else can read that \
           (chmod 600)",
}
.read_by(token);

/// The authorization server whose access tokens are accepted.
pub const HTTP_ISSUER: Setting = About {
    flag: Some("auth-issuer"),
    variable: "HANDEYE_HTTP_ISSUER",
    aliases: &[],
    key: Some("http.issuer"),
    kind: Kind::Text,
    default: "none: clients need the token of the server",
    help: "The issuer of an OAuth 2.1 authorization server, whose access tokens clients of --http need",
}
.read_by(text);

/// What those access tokens have to be for.
pub const HTTP_AUDIENCE: Setting = About {
    flag: Some("audience"),
    variable: "HANDEYE_HTTP_AUDIENCE",
    aliases: &[],
    key: Some("http.audience"),
    kind: Kind::Text,
    default: "the address that the server prints",
    help: "The URL by which clients call the server; access tokens have to be for it",
}
.read_by(text);
