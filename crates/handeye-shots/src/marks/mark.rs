//! One mark.

use handeye_core::Extents;

/// One mark on a picture, and its line in the list beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// For example `e12`.
    pub reference: String,
    /// The element as an outline shows it: `button "Save"`.
    pub line: String,
    /// The part of it that is in sight, in the space of what the picture shows.
    pub area: Extents,
}
