//! What can be done: operations, the gate before them, queries, references, effects and outlines.
//! No operating system and no protocol: those are behind the traits of `handeye-core` and in the faces.

pub mod analysis;
pub mod capture;
pub mod dialect;
pub mod engine;
mod fitting;
pub mod folders;
pub mod gate;
pub mod marked;
pub mod memory;
pub mod operation;
pub mod ops;
pub mod parameters;
pub mod registry;
pub mod resources;
pub mod skill;
pub mod status;
pub mod suggestions;
mod telling;
pub mod toolbox;
pub mod toolset;
pub mod vision;
pub mod visual;

pub use handeye_picture as picture;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
