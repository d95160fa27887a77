//! A captured picture.

use crate::{InPicture, Point, Rect, Size};

/// Pixels captured from the screen: 8-bit RGB, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    /// The part of the screen that it shows.
    pub area: Rect,
    size: Size,
    /// `size.width * size.height * 3` bytes: red, green, blue.
    pub rgb: Vec<u8>,
}

impl Frame {
    /// A picture with one pixel for each unit of the screen: `area.width * area.height * 3` bytes.
    pub const fn new(area: Rect, rgb: Vec<u8>) -> Self {
        Self { area, size: area.size(), rgb }
    }

    /// A picture of `size` pixels of a part of the screen that has another number of units: `size.width * size.height * 3` bytes.
    pub const fn scaled(area: Rect, size: Size, rgb: Vec<u8>) -> Self {
        Self { area, size, rgb }
    }

    /// Its width and height in pixels.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// All of it, in its own pixels.
    pub const fn whole(&self) -> Rect<InPicture> {
        Rect::new(0, 0, self.size.width, self.size.height)
    }

    /// The point of the screen in the middle of what a pixel shows; `None` outside of the picture.
    pub fn on_screen(&self, pixel: Point<InPicture>) -> Option<Point> {
        on_screen(self.area, self.size, pixel)
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
}
