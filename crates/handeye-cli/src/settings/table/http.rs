//! Who may come over HTTP.

use crate::settings::reading::{text, token};
use crate::settings::setting::{About, Kind, Setting};
use handeye_auth::Token;

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
