//! A captured picture.

use crate::{Extents, InPicture, InWindow, Point, Rect, Size, Space};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a pixel.
const PIXEL: usize = 3;

/// Pixels captured from the screen: 8-bit RGB, rows from the top, no padding.
///
/// Two are equal if they show the same pixels of the same thing, whenever they were taken.
#[derive(Clone)]
pub struct Frame {
    /// What it shows; `None` of a picture whose pixels stand for nothing that has units.
    shows: Option<Extents>,
    size: Size,
    /// `size.width * size.height * 3` bytes: red, green, blue. Shared: what takes pictures keeps the last one.
    rgb: Arc<Vec<u8>>,
    stamp: Option<Stamp>,
    redrawn: Option<Redrawn>,
}

/// Where something was drawn since an earlier picture of the same thing that has as many pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redrawn {
    /// The stamp of the earlier one.
    pub since: Stamp,
    /// Rows of the picture, in any order. All others are the same in both.
    pub rows: Vec<Range<u32>>,
}

/// What was drawn last on a screen, or in a window. Two pictures of one part of it that were read after the same show the same pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp(u64);

impl Redrawn {
    /// Most rows that are kept apart.
    const MOST: usize = 32;

    /// In these rows, too.
    #[must_use]
    pub fn and(mut self, rows: impl Iterator<Item = Range<u32>>) -> Self {
        self.rows.extend(rows);
        if self.rows.len() > Self::MOST {
            let all = self.rows.iter().cloned();
            let around = all.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
            self.rows = around.into_iter().collect();
        }
        self
    }
}

impl Stamp {
    /// The one of this number, which stands for nothing else in this process.
    pub const fn new(number: u64) -> Self {
        Self(number)
    }
}

impl Frame {
    /// A picture with one pixel for each unit of the screen: `place.width * place.height * 3` bytes.
    pub fn new(place: Rect, rgb: Vec<u8>) -> Self {
        Self::of(Some(Extents::OnScreen(place)), place.size(), rgb)
    }

    /// A picture of `size` pixels of a part of the screen that has another number of units: `size.width * size.height * 3` bytes.
    pub fn scaled(place: Rect, size: Size, rgb: Vec<u8>) -> Self {
        Self::of(Some(Extents::OnScreen(place)), size, rgb)
    }

    /// A picture of `size` pixels of a part of a window whose place on the screen is unknown: `size.width * size.height * 3` bytes.
    pub fn of_window(part: Rect<InWindow>, size: Size, rgb: Vec<u8>) -> Self {
        Self::of(Some(Extents::InWindow(part)), size, rgb)
    }

    /// A picture of something that is not on the screen, for example one from a file: `size.width * size.height * 3` bytes.
    pub fn unplaced(size: Size, rgb: Vec<u8>) -> Self {
        Self::of(None, size, rgb)
    }

    fn of(shows: Option<Extents>, size: Size, rgb: impl Into<Arc<Vec<u8>>>) -> Self {
        Self { shows, size, rgb: rgb.into(), stamp: None, redrawn: None }
    }

    /// As [`Frame::new`], of pixels that are kept elsewhere too.
    pub fn sharing(place: Rect, rgb: Arc<Vec<u8>>) -> Self {
        Self::of(Some(Extents::OnScreen(place)), place.size(), rgb)
    }

    /// The same thing at another size: `size.width * size.height * 3` bytes.
    #[must_use]
    pub fn resized(&self, size: Size, rgb: Vec<u8>) -> Self {
        Self::of(self.shows, size, rgb)
    }

    /// These are the pixels as they were after what `stamp` stands for; `None` where that is not known.
    #[must_use]
    pub fn taken_after(mut self, stamp: Option<Stamp>) -> Self {
        self.stamp = stamp;
        self
    }

    /// It differs from an earlier one in nothing but this; `None` where that is not known.
    #[must_use]
    pub fn redrawn_in(mut self, redrawn: Option<Redrawn>) -> Self {
        self.redrawn = redrawn;
        self
    }

    /// Where it may differ from an earlier picture of the same thing; `None` where that is not known.
    pub const fn redrawn(&self) -> Option<&Redrawn> {
        self.redrawn.as_ref()
    }

    /// What was drawn last before it was taken; `None` where that is not known, or the pixels are not as they are on the screen or in the window.
    pub const fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// `size.width * size.height * 3` bytes: red, green and blue of each pixel.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The same, to draw in. From then on they are not those of the screen or a window.
    pub fn rgb_mut(&mut self) -> &mut [u8] {
        (self.stamp, self.redrawn) = (None, None);
        Arc::make_mut(&mut self.rgb).as_mut_slice()
    }

    /// The part of the screen or of a window that it shows; `None` where that is not known.
    pub const fn shows(&self) -> Option<Extents> {
        self.shows
    }

    /// The part of the screen that it shows; `None` where that is not known.
    pub const fn place(&self) -> Option<Rect> {
        match self.shows {
            Some(Extents::OnScreen(place)) => Some(place),
            Some(Extents::InWindow(_)) | None => None,
        }
    }

    /// Its width and height in pixels.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// All of it, in its own pixels.
    pub const fn whole(&self) -> Rect<InPicture> {
        Rect::new(0, 0, self.size.width, self.size.height)
    }

    /// The pixels of a part of it as a picture; `None` if no pixel of it is there. Where several pixels show one unit, the part shows
    /// each unit of which it has a pixel.
    pub fn part(&self, area: Rect<InPicture>) -> Option<Self> {
        let area = area.intersection(&self.whole())?;
        let row = self.size.width as usize * PIXEL;
        let (left, width) = (area.x.unsigned_abs() as usize * PIXEL, area.width as usize * PIXEL);
        let lines = self.rgb.chunks_exact(row).skip(area.y.unsigned_abs() as usize);
        let rgb = lines.take(area.height as usize).flat_map(|line| &line[left..left + width]).copied();
        Some(Self::of(self.shown_by(area), area.size(), rgb.collect::<Vec<u8>>()).taken_after(self.stamp))
    }

    /// What these pixels show, in whole units; `None` where no pixel of it is among them or it is not known what the picture shows.
    pub fn shown_by(&self, area: Rect<InPicture>) -> Option<Extents> {
        let area = area.intersection(&self.whole())?;
        Some(match self.shows? {
            Extents::OnScreen(all) => units(all, self.size, area).into(),
            Extents::InWindow(all) => units(all, self.size, area).into(),
        })
    }

    /// The part of the screen that these pixels show, in whole units; `None` where no pixel of it is among them or its place is not known.
    pub fn place_of(&self, area: Rect<InPicture>) -> Option<Rect> {
        match self.shown_by(area)? {
            Extents::OnScreen(place) => Some(place),
            Extents::InWindow(_) => None,
        }
    }

    /// The pixels that show something; `None` if there are none, or it is in another space than what the picture shows.
    pub fn pixels_of(&self, extents: Extents) -> Option<Rect<InPicture>> {
        match (self.shows?, extents) {
            (Extents::OnScreen(all), Extents::OnScreen(part)) => pixels(all, self.size, part),
            (Extents::InWindow(all), Extents::InWindow(part)) => pixels(all, self.size, part),
            _ => None,
        }
    }

    /// Makes a part of it unrecognizable: dark, with light stripes, so that nobody takes it for something that is there. A pixel that shows only
    /// a part of it is masked too.
    pub fn mask(&mut self, part: Extents) {
        let Some(area) = self.pixels_touching(part) else { return };
        let row = self.size.width as usize * PIXEL;
        let rgb = self.rgb_mut();
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                let at = y.unsigned_abs() as usize * row + x.unsigned_abs() as usize * PIXEL;
                let shade = if (x + y).rem_euclid(16) < 2 { 0x60 } else { 0x20 };
                if let Some(pixel) = rgb.get_mut(at..at + PIXEL) {
                    pixel.fill(shade);
                }
            }
        }
    }

    /// The pixels that show something of this part; `None` if there are none.
    fn pixels_touching(&self, part: Extents) -> Option<Rect<InPicture>> {
        let area = self.pixels_of(part)?;
        // Where pixels stand for several units, the ones at the edges were rounded down.
        let wider = Rect::new(
            area.x.saturating_sub(1),
            area.y.saturating_sub(1),
            area.width.saturating_add(2),
            area.height.saturating_add(2),
        );
        let is_exact = self.place().is_some_and(|place| place.size() == self.size);
        if is_exact { Some(area) } else { wider.intersection(&self.whole()) }
    }

    /// The point of the screen in the middle of what a pixel shows; `None` outside of the picture, or where its place is not known.
    pub fn on_screen(&self, pixel: Point<InPicture>) -> Option<Point> {
        shown_at(self.place()?, self.size, pixel)
    }
}

/// The point in the middle of what a pixel shows of a picture of `size` pixels that shows `area`; `None` outside of the picture.
pub fn shown_at<S: Space>(area: Rect<S>, size: Size, pixel: Point<InPicture>) -> Option<Point<S>> {
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

/// The units of `all` of which `area` has a pixel, which lies in the picture of `size` pixels that shows `all`.
fn units<S: Space>(all: Rect<S>, size: Size, area: Rect<InPicture>) -> Rect<S> {
    let stretch = |from: i32, to: i32, units: u32, pixels: u32| {
        let (units, pixels) = (u64::from(units), u64::from(pixels.max(1)));
        let from = u64::from(from.unsigned_abs()) * units / pixels;
        let to = (u64::from(to.unsigned_abs()) * units).div_ceil(pixels);
        // Neither is more than `units`, which is of 32 bits.
        (from as u32, to.saturating_sub(from) as u32)
    };
    let (left, width) = stretch(area.x, area.right(), all.width, size.width);
    let (top, height) = stretch(area.y, area.bottom(), all.height, size.height);
    Rect::new(all.x.saturating_add_unsigned(left), all.y.saturating_add_unsigned(top), width, height)
}

/// The pixels of a picture of `size` pixels of `all` that show `part`; `None` if there are none.
fn pixels<S: Space>(all: Rect<S>, size: Size, part: Rect<S>) -> Option<Rect<InPicture>> {
    let seen = part.intersection(&all)?;
    let scaled = |at: i32, start: i32, units: u32, pixels: u32| {
        (u64::from(start.abs_diff(at)) * u64::from(pixels) / u64::from(units)) as i32
    };
    let left = scaled(seen.x, all.x, all.width, size.width);
    let right = scaled(seen.right(), all.x, all.width, size.width);
    let top = scaled(seen.y, all.y, all.height, size.height);
    let bottom = scaled(seen.bottom(), all.y, all.height, size.height);
    (right > left && bottom > top).then(|| Rect::new(left, top, left.abs_diff(right), top.abs_diff(bottom)))
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        (self.shows, self.size) == (other.shows, other.size) && self.rgb == other.rgb
    }
}

impl Eq for Frame {}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frame")
            .field("shows", &self.shows)
            .field("size", &self.size)
            .field("bytes", &self.rgb.len())
            .field("stamp", &self.stamp)
            .field("redrawn", &self.redrawn)
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
        assert_eq!(shown_at(area, Size::new(5, 5), Point::new(0, 4)), Some(Point::new(101, 59)));
    }

    #[test]
    fn a_pixel_of_a_picture_without_a_place_leads_nowhere() {
        let frame = Frame::unplaced(Size::new(4, 2), vec![0; 4 * 2 * 3]);
        assert_eq!((frame.place(), frame.size()), (None, Size::new(4, 2)));
        assert_eq!(frame.on_screen(Point::new(0, 0)), None);
        assert_eq!(frame.part(Rect::new(1, 1, 2, 1)).expect("inside").place(), None);
        let placed = Frame::new(Rect::new(9, 9, 4, 2), vec![0; 4 * 2 * 3]);
        let part = placed.part(Rect::new(1, 0, 2, 1)).expect("inside");
        assert_eq!(part.place(), Some(Rect::new(10, 9, 2, 1)));
        let window = Frame::of_window(Rect::new(-3, -20, 4, 2), Size::new(4, 2), vec![0; 4 * 2 * 3]);
        assert_eq!((window.place(), window.on_screen(Point::new(0, 0))), (None, None));
    }

    #[test]
    fn a_part_of_a_scaled_picture_is_scaled_as_the_whole() {
        // Four units by two, in two pixels a unit; each pixel has the number of its place.
        let rgb = (0..8 * 4).flat_map(|pixel| [pixel; 3]).collect();
        let frame = Frame::scaled(Rect::new(100, 50, 4, 2), Size::new(8, 4), rgb);
        let part = frame.part(Rect::new(2, 2, 4, 9)).expect("inside");
        assert_eq!((part.place(), part.size()), (Some(Rect::new(101, 51, 2, 1)), Size::new(4, 2)));
        let pixels: Vec<u8> = part.rgb.iter().step_by(3).copied().collect();
        assert_eq!(pixels, [18, 19, 20, 21, 26, 27, 28, 29]);
        assert_eq!(frame.part(Rect::new(8, 0, 4, 4)), None, "outside");
    }

    #[test]
    fn pixels_that_are_others_are_those_of_no_moment() {
        let redrawn = Redrawn { since: Stamp::new(1), rows: Vec::new() }.and(std::iter::once(0..1));
        let frame = Frame::new(Rect::new(0, 0, 2, 2), vec![0; 12]).taken_after(Some(Stamp::new(2)));
        let frame = frame.redrawn_in(Some(redrawn));
        let mut masked = frame.clone();
        masked.mask(Rect::<crate::OnScreen>::new(0, 0, 1, 1).into());
        let mut drawn = frame.clone();
        drawn.rgb_mut().fill(1);
        let resized = frame.resized(Size::new(1, 1), vec![0; 3]);
        for other in [&masked, &drawn, &resized] {
            assert_eq!((other.stamp(), other.redrawn()), (None, None));
        }
        let part = frame.part(Rect::new(0, 1, 1, 1)).expect("inside");
        assert_eq!(
            (part.stamp(), part.redrawn()),
            (Some(Stamp::new(2)), None),
            "its rows have other numbers"
        );
        assert_eq!(frame.rgb(), [0; 12], "the pixels that were shared are as they were");
    }

    #[test]
    fn rows_that_are_too_many_become_those_around_them() {
        let redrawn = Redrawn { since: Stamp::new(1), rows: Vec::new() };
        let some = redrawn.and((0..32).map(|row| 3 * row + 5..3 * row + 6));
        assert_eq!(some.rows.len(), 32);
        assert_eq!(some.and(std::iter::once(1..2)).rows, std::iter::once(1..99).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_masked_cannot_be_recognized_and_the_rest_is_as_it_was() {
        let mut frame = Frame::new(Rect::new(100, 50, 4, 3), vec![255; 4 * 3 * 3]);
        frame.mask(Rect::<crate::OnScreen>::new(101, 51, 50, 1).into());
        let masked: Vec<bool> = frame.rgb.chunks(3).map(|pixel| pixel[0] != 255).collect();
        let expected = [[false; 4], [false, true, true, true], [false; 4]].concat();
        assert_eq!(masked, expected);
        frame.mask(Rect::<crate::OnScreen>::new(0, 0, 10, 10).into());
        assert_eq!(frame.rgb.chunks(3).filter(|pixel| pixel[0] != 255).count(), 3, "nothing of it is there");
    }

    #[test]
    fn pixels_and_what_they_show_lead_to_each_other() {
        let frame = Frame::scaled(Rect::new(100, 50, 40, 30), Size::new(80, 60), Vec::new());
        let button = Rect::new(110, 60, 20, 10);
        let pixels = Rect::new(20, 20, 40, 20);
        assert_eq!(frame.pixels_of(button.into()), Some(pixels));
        assert_eq!((frame.shown_by(pixels), frame.place_of(pixels)), (Some(button.into()), Some(button)));
        assert_eq!(frame.place_of(Rect::new(21, 21, 1, 1)), Some(Rect::new(110, 60, 1, 1)), "a whole unit");
        let in_window = Extents::from(Rect::<InWindow>::new(10, 10, 20, 10));
        assert_eq!(frame.pixels_of(in_window), None, "of another space");
        let window = Frame::of_window(Rect::new(0, 0, 40, 30), Size::new(80, 60), Vec::new());
        assert_eq!((window.pixels_of(in_window), window.place_of(pixels)), (Some(pixels), None));
    }
}
