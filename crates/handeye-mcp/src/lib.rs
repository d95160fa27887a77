//! The MCP face: every operation of the engine as a tool, over standard input and output.
//!
//! Nothing here knows what a tool does. Names, schemas and annotations come from the registry, calls go through the
//! gate, and answers and errors are put into the protocol's shape.

mod answer;
mod caller;
mod calls;
mod progress;
mod server;
mod stdio;
mod tools;

pub use server::Server;
pub use stdio::serve_stdio;
