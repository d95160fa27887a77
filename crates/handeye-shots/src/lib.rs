//! Pictures that were given out, and where on the screen a point of one is now.

pub mod on_screen;
mod shots;
mod spot;

pub use shots::{Seen, Shot, ShotId, Shots, Subject};
pub use spot::Spot;
