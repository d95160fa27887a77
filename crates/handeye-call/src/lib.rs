//! What surrounds one call: who asked, who can be asked, until when, how large the answer may be, and what is noted on the way.

mod ask;
pub mod audited;
pub mod budget;
pub mod call;
pub mod caller;
pub mod client;
pub mod client_log;
pub mod outcome;
pub mod progress;
pub mod reader;
pub mod running;
pub mod scopes;
pub mod trail;
