//! Marks: the references of what can be acted on, drawn on a picture of it, and the list beside it. A model with eyes and one
//! without use the same names.
//!
//! `collect` finds what can be acted on and is in sight, `place` finds a place for each label, `draw` draws.

mod collect;
mod draw;
mod ink;
mod place;
mod sight;

pub use collect::{Marked, collect};
pub use draw::draw;

use handeye_core::Rect;

/// One mark on a picture, and its line in the list beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// For example `e12`.
    pub reference: String,
    /// The element as an outline shows it: `button "Save"`.
    pub line: String,
    /// The part of it that is in sight, in screen pixels.
    pub area: Rect,
}
