//! Who may call over HTTP: the server's own token, and access tokens of an authorization server. Knows tokens, claims and scopes, and no
//! HTTP framework.

pub mod bearer;
mod guard;
mod token;
mod token_file;

pub use guard::{Denied, Grant, Guard};
pub use token::Token;
pub use token_file::{TOKEN_FILE, token_of_file};
