//! Colours of text and background in a part of a picture.

use super::colour::{apart, ratio};
use handeye_core::{Frame, InPicture, Rect};

/// How much a channel may differ within the background: a gradient of a button.
const SHADES: u8 = 18;
/// How much a channel may differ within the colour of the text.
const SAME: u8 = 10;
/// The least share of the background.
const LEAST_BACKGROUND: f64 = 0.35;
/// The least number of pixels that are text.
const LEAST_INK: usize = 6;
/// How many pixels of the extreme colour make a plateau: as a number, and as a share of all that are text.
const PLATEAU: (usize, f64) = (5, 0.04);
/// How much of its contrast the thinnest text loses by smoothing.
const LOST: f64 = 0.7;
/// Most rows and columns that are looked at: a text has a colour from its beginning on.
const MAX_SIDE: (u32, u32) = (1_000, 160);
/// Bits of a channel by which colours are counted.
const BITS: u32 = 5;

/// Why nothing was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// The picture does not show it.
    Hidden,
    /// There is no background of one colour.
    Patterned,
    /// Nothing differs from the background.
    NoText,
}

/// Text as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ink {
    /// Its colour.
    pub(crate) text: [u8; 3],
    /// The colour behind it.
    pub(crate) background: [u8; 3],
    /// The contrast of both.
    pub(crate) ratio: f64,
    /// Whether several pixels have the colour of the text; else it is a lower bound.
    pub(crate) is_solid: bool,
    /// The height of the highest line of letters in pixels.
    pub(crate) height: u32,
    /// The usual width of a stroke in pixels.
    pub(crate) stroke: u32,
}

impl Ink {
    /// Whether the contrast is certainly below that.
    pub(crate) fn is_below(&self, required: f64) -> bool {
        // A hundredth is the rounding of colours.
        let measured = self.ratio + 0.01;
        if self.is_solid { measured < required } else { measured < LOST * required }
    }
}

/// Measures the text in a part of a picture.
pub(crate) fn measure(frame: &Frame, area: Rect<InPicture>) -> Result<Ink, Unclear> {
    let area = Rect::new(area.x, area.y, area.width.min(MAX_SIDE.0), area.height.min(MAX_SIDE.1));
    let area = area.intersection(&frame.whole()).ok_or(Unclear::Hidden)?;
    let pixels = Pixels::of(frame, area).ok_or(Unclear::Hidden)?;
    let background = pixels.background().ok_or(Unclear::Patterned)?;
    let ink: Vec<[u8; 3]> = pixels.all().filter(|pixel| apart(*pixel, background) > SHADES).collect();
    if ink.len() < LEAST_INK {
        return measure_faint(&pixels, background);
    }
    let text = extreme(&ink, background);
    let plateau = ink.iter().filter(|pixel| apart(**pixel, text) <= SAME).count();
    let is_solid = plateau >= PLATEAU.0.max((PLATEAU.1 * ink.len() as f64) as usize);
    let (height, stroke) = pixels.letters(text, background);
    Ok(Ink { text, background, ratio: ratio(text, background), is_solid, height, stroke })
}

/// Text that is nearly the colour of its background.
fn measure_faint(pixels: &Pixels<'_>, background: [u8; 3]) -> Result<Ink, Unclear> {
    let ink: Vec<[u8; 3]> = pixels.all().filter(|pixel| apart(*pixel, background) > 4).collect();
    let share = ink.len() as f64 / pixels.count() as f64;
    if ink.len() < 4 * LEAST_INK || share > 0.4 {
        return Err(Unclear::NoText);
    }
    let text = extreme(&ink, background);
    let same = ink.iter().filter(|pixel| apart(**pixel, text) <= 3).count();
    if (same as f64) < 0.1 * ink.len() as f64 {
        return Err(Unclear::NoText);
    }
    let (height, stroke) = pixels.letters(text, background);
    Ok(Ink { text, background, ratio: ratio(text, background), is_solid: true, height, stroke })
}

/// The colour of the text: the mean of those that differ most.
fn extreme(ink: &[[u8; 3]], background: [u8; 3]) -> [u8; 3] {
    let mut by_ratio: Vec<(f64, [u8; 3])> =
        ink.iter().map(|pixel| (ratio(*pixel, background), *pixel)).collect();
    by_ratio.sort_by(|one, other| other.0.total_cmp(&one.0));
    // A single pixel may be the edge of something else.
    let most = (ink.len() / 50).clamp(2, 40).min(by_ratio.len());
    by_ratio.get(most / 2).map_or(background, |(_, colour)| *colour)
}

/// A part of a picture.
struct Pixels<'a> {
    frame: &'a Frame,
    area: Rect<InPicture>,
}

impl<'a> Pixels<'a> {
    fn of(frame: &'a Frame, area: Rect<InPicture>) -> Option<Self> {
        let size = frame.size();
        let complete = frame.rgb().len() as u64 >= 3 * u64::from(size.width) * u64::from(size.height);
        complete.then_some(Self { frame, area })
    }

    fn rows(&self) -> impl Iterator<Item = &'a [u8]> {
        let width = self.frame.size().width as usize * 3;
        let (left, length) = (self.area.x.unsigned_abs() as usize * 3, self.area.width as usize * 3);
        let top = self.area.y.unsigned_abs() as usize;
        let frame = self.frame;
        (top..top + self.area.height as usize)
            .map(move |row| &frame.rgb()[row * width + left..row * width + left + length])
    }

    fn all(&self) -> impl Iterator<Item = [u8; 3]> {
        self.rows().flat_map(|row| row.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]))
    }

    fn count(&self) -> usize {
        self.area.width as usize * self.area.height as usize
    }

    /// The most frequent colour, if enough pixels are near it.
    fn background(&self) -> Option<[u8; 3]> {
        let bin = |pixel: [u8; 3]| {
            pixel.iter().fold(0_usize, |bin, channel| bin << BITS | usize::from(channel >> (8 - BITS)))
        };
        let mut counts = vec![0_u32; 1 << (3 * BITS)];
        for pixel in self.all() {
            counts[bin(pixel)] += 1;
        }
        let mode = counts.iter().enumerate().max_by_key(|(_, count)| **count)?.0;
        // Of the colours of the bin, the one that most pixels have: the others are its mixtures.
        let low = |pixel: [u8; 3]| {
            let mask = (1_u8 << (8 - BITS)) - 1;
            pixel.iter().fold(0_usize, |at, channel| at << (8 - BITS) | usize::from(channel & mask))
        };
        let mut exact = vec![(0_u32, [0_u8; 3]); 1 << (3 * (8 - BITS))];
        for pixel in self.all().filter(|pixel| bin(*pixel) == mode) {
            let (count, colour) = &mut exact[low(pixel)];
            (*count, *colour) = (*count + 1, pixel);
        }
        let colour = exact.iter().max_by_key(|(count, _)| *count)?.1;
        let near = self.all().filter(|pixel| apart(*pixel, colour) <= SHADES).count();
        (near as f64 >= LEAST_BACKGROUND * self.count() as f64).then_some(colour)
    }

    /// The height of the highest line of letters, and the usual width of a stroke.
    fn letters(&self, text: [u8; 3], background: [u8; 3]) -> (u32, u32) {
        let limit = apart(text, background) / 2;
        let (mut height, mut current, mut gap) = (0_u32, 0_u32, 0_u32);
        let mut strokes = [0_u32; 64];
        for row in self.rows() {
            let mut run = 0_usize;
            let mut has_ink = false;
            for pixel in row.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]) {
                if apart(pixel, background) > limit {
                    (has_ink, run) = (true, run + 1);
                } else if run > 0 {
                    strokes[run.min(strokes.len() - 1)] += 1;
                    run = 0;
                }
            }
            // The dot of an i stands apart.
            if has_ink {
                current += gap + 1;
                gap = 0;
            } else if current > 0 {
                gap += 1;
                if gap > 2 {
                    (current, gap) = (0, 0);
                }
            }
            height = height.max(current);
        }
        let total: u32 = strokes.iter().sum();
        let mut left = total / 2;
        let stroke = strokes.iter().position(|count| {
            let found = *count > left;
            left = left.saturating_sub(*count);
            found
        });
        (height, stroke.unwrap_or(0) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Size;

    /// Vertical strokes of one colour, with a mixed pixel on each side.
    fn striped(text: [u8; 3], background: [u8; 3]) -> Frame {
        let mixed = [0, 1, 2].map(|at| u8::midpoint(text[at], background[at]));
        let rgb = (0..20 * 60).flat_map(|at| {
            let (x, y) = (at % 60, at / 60);
            match x % 8 {
                _ if !(4..16).contains(&y) => background,
                2 | 5 => mixed,
                3 | 4 => text,
                _ => background,
            }
        });
        Frame::unplaced(Size::new(60, 20), rgb.collect())
    }

    #[test]
    fn the_colour_of_the_text_is_the_extreme_and_not_the_mixture() {
        let frame = striped([0x76; 3], [255; 3]);
        let ink = measure(&frame, frame.whole()).expect("text");
        assert_eq!((ink.text, ink.background, ink.height), ([0x76; 3], [255; 3], 12));
        assert!(ink.is_solid && (ink.ratio - 4.54).abs() < 0.01 && !ink.is_below(4.5));
        let light = striped([0xee; 3], [0x20, 0x20, 0x60]);
        assert!(measure(&light, light.whole()).expect("text").ratio > 10.0, "light on dark");
        let faint = striped([0xf0; 3], [255; 3]);
        assert!(measure(&faint, faint.whole()).expect("faint text").is_below(3.0));
    }

    #[test]
    fn without_text_or_on_a_picture_nothing_is_measured() {
        let plain = Frame::unplaced(Size::new(40, 20), vec![200; 40 * 20 * 3]);
        assert_eq!(measure(&plain, plain.whole()), Err(Unclear::NoText));
        let noise = (0..40 * 20 * 3_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let noise = Frame::unplaced(Size::new(40, 20), noise);
        assert_eq!(measure(&noise, noise.whole()), Err(Unclear::Patterned));
        assert_eq!(measure(&plain, Rect::new(100, 0, 4, 4)), Err(Unclear::Hidden));
        let cut = Frame::unplaced(Size::new(40, 20), vec![0; 10]);
        assert_eq!(measure(&cut, cut.whole()), Err(Unclear::Hidden), "a damaged picture");
    }
}
