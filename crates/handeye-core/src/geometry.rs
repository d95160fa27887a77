//! Points, sizes and rectangles, always in physical pixels of the screen.
//!
//! The origin is the top left corner of the whole desktop (on X11, of the root window); x grows to the right, y down.
//! A monitor left of or above the primary one has negative coordinates on some platforms, so positions are signed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A position on the screen, in physical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Pixels from the left edge of the desktop.
    pub x: i32,
    /// Pixels from the top edge of the desktop.
    pub y: i32,
}

impl Point {
    /// The point at `x`, `y`.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }
}

/// A width and a height, in physical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl Size {
    /// A size of `width` by `height` pixels.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }
}

/// A rectangle on the screen, in physical pixels. Its right and bottom edges are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl Rect {
    /// The rectangle whose top left corner is `x`, `y`.
    pub const fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
        Self { x, y, width, height }
    }

    /// Whether the rectangle covers no pixel at all.
    pub const fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// First column to the right of the rectangle; saturates at `i32::MAX`.
    pub fn right(&self) -> i32 {
        self.x.saturating_add_unsigned(self.width)
    }

    /// First row below the rectangle; saturates at `i32::MAX`.
    pub fn bottom(&self) -> i32 {
        self.y.saturating_add_unsigned(self.height)
    }

    /// The pixel in the middle (rounded towards the top left).
    pub fn center(&self) -> Point {
        Point::new(
            self.x.saturating_add_unsigned(self.width / 2),
            self.y.saturating_add_unsigned(self.height / 2),
        )
    }

    /// Whether the pixel `point` lies inside.
    pub fn contains(&self, point: Point) -> bool {
        point.x >= self.x && point.y >= self.y && point.x < self.right() && point.y < self.bottom()
    }

    /// The part that both rectangles cover, or `None` if they share no pixel.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let (left, top) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        (right > left && bottom > top)
            .then(|| Self::new(left, top, left.abs_diff(right), top.abs_diff(bottom)))
    }

    /// The smallest rectangle that holds all of these; empty if there are none.
    #[must_use]
    pub fn around(all: impl Iterator<Item = Self>) -> Self {
        all.reduce(|one, other| {
            let (left, top) = (one.x.min(other.x), one.y.min(other.y));
            let (right, bottom) = (one.right().max(other.right()), one.bottom().max(other.bottom()));
            Self::new(left, top, left.abs_diff(right), top.abs_diff(bottom))
        })
        .unwrap_or_default()
    }

    /// The same rectangle, moved by `dx`, `dy` pixels.
    #[must_use]
    pub fn translated(&self, dx: i32, dy: i32) -> Self {
        Self { x: self.x.saturating_add(dx), y: self.y.saturating_add(dy), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intersection_is_what_both_cover() {
        let a = Rect::new(0, 0, 10, 10);
        assert_eq!(a.intersection(&Rect::new(5, 5, 10, 10)), Some(Rect::new(5, 5, 5, 5)));
        assert_eq!(a.intersection(&Rect::new(10, 0, 5, 5)), None);
    }

    #[test]
    fn extreme_rectangles_do_not_overflow() {
        let unmapped = Rect::new(i32::MIN, i32::MIN, 1, 1);
        assert_eq!(unmapped.center(), Point::new(i32::MIN, i32::MIN));
        assert_eq!(Rect::new(i32::MAX, 0, u32::MAX, 1).right(), i32::MAX);
    }
}
