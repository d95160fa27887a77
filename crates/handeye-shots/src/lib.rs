//! Pictures: how they are delivered and marked, and where on the screen a point of one is now.

pub mod delivery;
pub mod marks;
pub mod on_screen;
mod scale;
mod shots;
mod spot;
pub mod working_directory;

pub use scale::scale_of;
pub use shots::{Seen, Shot, ShotId, Shots, Subject};
pub use spot::{NamedPoint, Spot};
