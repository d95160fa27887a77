//! What faces call: the engine of each caller, the gate before every operation, the tools that are switched on, what the user lets be done, the registry, the skill, and the form in
//! which processes that do not speak MCP send calls.

pub mod callers;
mod equals;
mod fitting;
pub mod gate;
pub mod limits;
mod metered;
mod meters;
mod open_question;
mod recorded;
mod redacting;
mod reporting;
pub mod scopes;
pub mod security;
pub mod sight;
pub mod skill;
pub mod tally;
pub mod toolbox;
pub mod wire;

pub use handeye_ops::registry;
pub use open_question::OpenQuestion;
