//! What faces call: the engine of each caller, the gate before every operation, the tools that are switched on, the registry, and the skill.

pub mod callers;
mod equals;
mod fitting;
pub mod gate;
mod reporting;
pub mod skill;
pub mod toolbox;

pub use handeye_ops::registry;
