//! Who may call over HTTP: the server's own token, and access tokens of an authorization server. Knows tokens, claims and scopes, and no
//! HTTP framework.

mod access_token;
pub mod bearer;
mod discovery;
mod guard;
mod issuer;
mod keys;
pub mod own_file;
mod token;
mod token_file;

pub use guard::{Denied, Grant, Guard};
pub use issuer::Issuer;
pub use token::Token;
pub use token_file::{TOKEN_FILE, token_of_file};
