//! What can be done: operations, the gate before them, queries, references, effects and outlines.
//! No operating system and no protocol: those are behind the traits of `handeye-core` and in the faces.

pub mod act;
mod advice;
pub mod analysis;
pub mod asking;
pub mod budget;
pub mod call;
pub mod capture;
pub mod client;
pub mod delivery;
pub mod desk;
pub mod dialect;
pub mod engine;
mod fitting;
pub mod folders;
pub mod fuzzy;
pub mod gate;
pub mod locate;
pub mod log;
pub mod marks;
pub mod memory;
mod metered;
pub mod on_screen;
pub mod operation;
pub mod ops;
pub mod outcome;
pub mod parameters;
pub mod progress;
pub mod registry;
pub mod resources;
mod running;
pub mod shots;
pub mod skill;
pub mod status;
pub mod suggestions;
pub mod targets;
mod telling;
pub mod toolbox;
pub mod toolset;
pub mod trail;
mod twins;
pub mod vision;
pub mod visual;
pub mod working_directory;

pub use handeye_picture as picture;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;
