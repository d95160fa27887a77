//! Marks: the references of what can be acted on, drawn on a picture of it, and the list beside it. A model with eyes and one
//! without use the same names.
//!
//! `place` finds a place for each label, `draw` draws.

mod draw;
mod ink;
mod mark;
mod place;

pub use draw::draw;
pub use mark::Mark;
