//! Who may come over HTTP.

use crate::settings::reading::token;
use crate::settings::setting::{About, Kind, Setting};
use handeye_auth::Token;

/// The token of a server that listens.
pub const HTTP_TOKEN: Setting<Token> = About {
    flag: None,
    variable: "HANDEYE_HTTP_TOKEN",
    aliases: &["AXTERMINATOR_HTTP_TOKEN"],
    key: Some("http.token"),
    kind: Kind::Text,
    default: "the one in handeye/http-token in XDG_STATE_HOME or ~/.local/state, which is made when it is needed",
    help: "The token that clients of --http need, 32 to 512 characters. In the configuration file only if nobody else can read that \
           (chmod 600)",
}
.read_by(token);
