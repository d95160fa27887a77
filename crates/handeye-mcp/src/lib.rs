//! The MCP face: every operation of the engine as a tool, over standard input and output or Streamable HTTP.
//!
//! Nothing here knows what a tool does. Names, schemas and annotations come from the registry, calls go through the
//! gate, and answers and errors are put into the protocol's shape.

mod answer;
mod ask;
mod batches;
mod calls;
mod client_session;
mod completions;
mod handler;
mod http;
mod identity;
mod instructions;
pub mod lines;
mod log_notifications;
mod output;
mod paging;
#[cfg(test)]
mod policy_tests;
pub mod profile;
mod progress;
mod prompts;
mod reader;
#[cfg(test)]
mod redacting_tests;
mod requester;
mod requests;
mod resource_errors;
mod resources;
mod server;
mod skills;
mod stdio;
mod subscriptions;
mod tasks;
#[cfg(test)]
mod test_client;
mod tools;
mod waiting;

pub use ask::seal;
#[doc(hidden)]
pub use ask::{Asked, Asking, Ended, RawQuestions};
pub use http::{HttpServer, NewSession, Place, TlsFiles};
pub use server::Server;
pub use stdio::serve_stdio;
#[doc(hidden)]
pub use tasks::{Task, Work};
