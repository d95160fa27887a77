//! What a user lets an agent touch: the file `security.toml`, the applications that it names, and what it lets be done to each.
//!
//! Everything fails closed: a file that is malformed, or that somebody else could have written, is an error and not an empty policy.

mod desktop_file;
mod file;
mod mode_requests;
mod pattern;
mod rules;
mod secrecy;
mod source;

pub use file::PolicyFile;
pub use mode_requests::ModeRequests;
pub use pattern::AppPattern;
pub use rules::{Kind, Line, SecurityRules};
pub use secrecy::Secrecy;
pub use source::Source;
