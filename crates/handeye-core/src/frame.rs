//! A captured picture.

use crate::{InPicture, Point, Rect, Size};

/// Pixels captured from the screen: 8-bit RGB, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    /// What it shows: a part of the screen. Of a picture whose [`place`](Self::place) is not known, a part of what was captured or
    /// read, from its own top left corner on.
    pub area: Rect,
    is_placed: bool,
    size: Size,
    /// `size.width * size.height * 3` bytes: red, green, blue.
    pub rgb: Vec<u8>,
}

impl Frame {
    /// A picture with one pixel for each unit of the screen: `area.width * area.height * 3` bytes.
    pub const fn new(area: Rect, rgb: Vec<u8>) -> Self {
        Self { area, is_placed: true, size: area.size(), rgb }
    }

    /// A picture of `size` pixels of a part of the screen that has another number of units: `size.width * size.height * 3` bytes.
    pub const fn scaled(area: Rect, size: Size, rgb: Vec<u8>) -> Self {
        Self { area, is_placed: true, size, rgb }
    }

    /// A picture of something whose place on the screen is unknown, or that is not there: `size.width * size.height * 3` bytes.
    pub const fn unplaced(size: Size, rgb: Vec<u8>) -> Self {
        Self { area: Rect::new(0, 0, size.width, size.height), is_placed: false, size, rgb }
    }

    /// A picture of `area` of what this one shows, with one pixel for each unit of it.
    #[must_use]
    pub const fn part(&self, area: Rect, rgb: Vec<u8>) -> Self {
        Self { area, is_placed: self.is_placed, size: area.size(), rgb }
    }

    /// The part of the screen that it shows; `None` where that is not known.
    pub const fn place(&self) -> Option<Rect> {
        if self.is_placed { Some(self.area) } else { None }
    }

    /// Its width and height in pixels.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// All of it, in its own pixels.
    pub const fn whole(&self) -> Rect<InPicture> {
        Rect::new(0, 0, self.size.width, self.size.height)
    }

    /// The point of the screen in the middle of what a pixel shows; `None` outside of the picture, or where its place is not known.
    pub fn on_screen(&self, pixel: Point<InPicture>) -> Option<Point> {
        on_screen(self.place()?, self.size, pixel)
    }
}

/// The point of the screen in the middle of what a pixel shows of a picture of `size` pixels that shows `area`; `None` outside of the picture.
pub fn on_screen(area: Rect, size: Size, pixel: Point<InPicture>) -> Option<Point> {
    let across = middle(pixel.x, size.width, area.width)?;
    let down = middle(pixel.y, size.height, area.height)?;
    Some(Point::new(area.x.saturating_add_unsigned(across), area.y.saturating_add_unsigned(down)))
}

/// The unit in the middle of the stretch that pixel `at` of `shown` ones stands for, of `captured` units.
fn middle(at: i32, shown: u32, captured: u32) -> Option<u32> {
    let at = u32::try_from(at).ok().filter(|at| *at < shown)?;
    let middle = (2 * u64::from(at) + 1) * u64::from(captured) / (2 * u64::from(shown));
    u32::try_from(middle).ok().filter(|middle| *middle < captured)
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("area", &self.area)
            .field("is_placed", &self.is_placed)
            .field("size", &self.size)
            .field("bytes", &self.rgb.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_leads_to_the_middle_of_what_it_shows() {
        let area = Rect::new(100, 50, 10, 10);
        let sharp = Frame::scaled(area, Size::new(20, 20), vec![0; 20 * 20 * 3]);
        assert_eq!(sharp.on_screen(Point::new(19, 1)), Some(Point::new(109, 50)), "two pixels for a point");
        let plain = Frame::new(area, vec![0; 10 * 10 * 3]);
        assert_eq!(plain.on_screen(Point::new(9, 0)), Some(Point::new(109, 50)));
        assert_eq!(plain.on_screen(Point::new(10, 0)), None, "outside");
        assert_eq!(on_screen(area, Size::new(5, 5), Point::new(0, 4)), Some(Point::new(101, 59)));
    }

    #[test]
    fn a_pixel_of_a_picture_without_a_place_leads_nowhere() {
        let frame = Frame::unplaced(Size::new(4, 2), vec![0; 4 * 2 * 3]);
        assert_eq!((frame.place(), frame.size()), (None, Size::new(4, 2)));
        assert_eq!(frame.on_screen(Point::new(0, 0)), None);
        assert_eq!(frame.part(Rect::new(1, 1, 2, 1), vec![0; 6]).place(), None);
        let placed = Frame::new(Rect::new(9, 9, 4, 2), vec![0; 4 * 2 * 3]);
        assert_eq!(placed.part(Rect::new(10, 9, 2, 1), vec![0; 6]).place(), Some(Rect::new(10, 9, 2, 1)));
    }
}
