//! Points, sizes and rectangles, each in the coordinate space that its type names.
//!
//! The space of the [screen](OnScreen) is the one in which a platform places windows and the pointer: its origin is the top left corner of the
//! whole desktop (on X11, of the root window), x grows to the right, y down, and its unit is what the display server counts in: physical
//! pixels on X11, logical points on macOS. A monitor left of or above the primary one has negative coordinates on some platforms, so
//! positions are signed. The space of a [window](InWindow) has the same unit and begins at the top left corner of what the application
//! shows in it, so that only the window's [`Place`](crate::Place) leads from one to the other. The space of a [picture](InPicture) is its
//! pixels. Only a [`Frame`](crate::Frame), which knows what it shows and how many pixels show one unit of it, leads from these to units.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

/// A coordinate space.
pub trait Space: fmt::Debug + Copy + Eq + Hash + Default + Send + Sync + 'static {}

/// The space of the whole desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OnScreen;

/// The space of one window: its units are those of the screen, its origin is the top left corner of [`Place::content`](crate::Place::content).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InWindow;

/// The space of a picture: its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct InPicture;

impl Space for OnScreen {}
impl Space for InWindow {}
impl Space for InPicture {}

/// A position, on the screen unless its type names another space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Point<S: Space = OnScreen> {
    /// Units from the left edge.
    pub x: i32,
    /// Units from the top edge.
    pub y: i32,
    space: PhantomData<S>,
}

impl<S: Space> Point<S> {
    /// The point at `x`, `y`.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y, space: PhantomData }
    }

    /// The point that lies `dx`, `dy` units from this one.
    #[must_use]
    pub const fn translated(self, dx: i32, dy: i32) -> Self {
        Self::new(self.x.saturating_add(dx), self.y.saturating_add(dy))
    }
}

/// A width and a height, in units of the space of what has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// Units from left to right.
    pub width: u32,
    /// Units from top to bottom.
    pub height: u32,
}

impl Size {
    /// A size of `width` by `height` units.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }
}

/// A rectangle, on the screen unless its type names another space. Its right and bottom edges are exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Rect<S: Space = OnScreen> {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Units from left to right.
    pub width: u32,
    /// Units from top to bottom.
    pub height: u32,
    #[serde(skip)]
    space: PhantomData<S>,
}

impl<S: Space> Rect<S> {
    /// The rectangle whose top left corner is `x`, `y`.
    pub const fn new(x: i32, y: i32, width: u32, height: u32) -> Self {
        Self { x, y, width, height, space: PhantomData }
    }

    /// Its width and its height.
    pub const fn size(&self) -> Size {
        Size::new(self.width, self.height)
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
    pub fn center(&self) -> Point<S> {
        Point::new(
            self.x.saturating_add_unsigned(self.width / 2),
            self.y.saturating_add_unsigned(self.height / 2),
        )
    }

    /// Whether the pixel `point` lies inside.
    pub fn contains(&self, point: Point<S>) -> bool {
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
        let a = Rect::<OnScreen>::new(0, 0, 10, 10);
        assert_eq!(a.intersection(&Rect::new(5, 5, 10, 10)), Some(Rect::new(5, 5, 5, 5)));
        assert_eq!(a.intersection(&Rect::new(10, 0, 5, 5)), None);
    }

    #[test]
    fn extreme_rectangles_do_not_overflow() {
        let unmapped = Rect::<OnScreen>::new(i32::MIN, i32::MIN, 1, 1);
        assert_eq!(unmapped.center(), Point::new(i32::MIN, i32::MIN));
        assert_eq!(Rect::<OnScreen>::new(i32::MAX, 0, u32::MAX, 1).right(), i32::MAX);
    }
}
