//! Pictures of screens made fit for a reader of text.

use handeye_core::ocr::GreyPicture;
use handeye_core::{Error, ErrorCode, Frame, Result, Size};

/// The side of the square in which the background of a pixel is looked for, less one, halved: strokes of letters of usual
/// sizes fill less than half of it.
const REACH: usize = 4;
/// A picture up to this many pixels is enlarged: letters of a user interface are smaller than readers of text like them.
const ENLARGED: u64 = 4_000_000;

/// A picture in which letters stand out: dark on white whatever their colour and that of their background was, and twice as
/// large unless it is large already. The number is how many of its pixels, in each direction, one of `frame` became.
///
/// A pixel is as dark as it differs from the median of its surroundings. Measured with tesseract 5.3 on text of 11
/// pixels: without it, white letters on a blue button in a light window are not read at all.
///
/// # Errors
/// [`ErrorCode::CaptureFailed`] if the frame's pixels do not make up a picture.
pub fn stand_out(frame: &Frame) -> Result<(GreyPicture, u32)> {
    let plain = grey(frame)?;
    let contrast = from_surroundings(&plain);
    let pixels = u64::from(plain.size.width) * u64::from(plain.size.height);
    Ok(if pixels <= ENLARGED { (doubled(&contrast), 2) } else { (contrast, 1) })
}

/// The picture in grey, as it is.
///
/// # Errors
/// [`ErrorCode::CaptureFailed`] if the frame's pixels do not make up a picture.
pub fn grey(frame: &Frame) -> Result<GreyPicture> {
    let size = frame.size();
    if frame.rgb().len() != size.width as usize * size.height as usize * 3 {
        return Err(Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"));
    }
    let luma = |rgb: &[u8]| (u32::from(rgb[0]) * 77 + u32::from(rgb[1]) * 151 + u32::from(rgb[2]) * 28) >> 8;
    Ok(GreyPicture { size, pixels: frame.rgb().chunks_exact(3).map(|rgb| luma(rgb) as u8).collect() })
}

/// Each pixel's difference from the median around it, stretched to the whole range; no difference is white.
fn from_surroundings(picture: &GreyPicture) -> GreyPicture {
    let (width, height) = (picture.size.width as usize, picture.size.height as usize);
    let mut pixels = Vec::with_capacity(picture.pixels.len());
    for y in 0..height {
        let rows = y.saturating_sub(REACH)..(y + REACH + 1).min(height);
        let mut around = Histogram::default();
        let column = |x: usize| rows.clone().map(move |row| picture.pixels[row * width + x]);
        for x in 0..REACH.min(width) {
            column(x).for_each(|value| around.add(value));
        }
        for x in 0..width {
            if x + REACH < width {
                column(x + REACH).for_each(|value| around.add(value));
            }
            if x > REACH {
                column(x - REACH - 1).for_each(|value| around.take(value));
            }
            pixels.push(picture.pixels[y * width + x].abs_diff(around.median()));
        }
    }
    let strongest = pixels.iter().copied().max().unwrap_or(0).max(1);
    for pixel in &mut pixels {
        *pixel = 255 - (u16::from(*pixel) * 255 / u16::from(strongest)) as u8;
    }
    GreyPicture { size: picture.size, pixels }
}

/// Counts of grey values, with the median of what is in it followed as values come and go.
struct Histogram {
    counts: [u16; 256],
    total: u16,
    median: u8,
    /// How many values are below the median.
    below: u16,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; 256], total: 0, median: 0, below: 0 }
    }
}

impl Histogram {
    fn add(&mut self, value: u8) {
        self.counts[usize::from(value)] += 1;
        self.total += 1;
        self.below += u16::from(value < self.median);
    }

    /// Takes out a value that was added.
    fn take(&mut self, value: u8) {
        self.counts[usize::from(value)] -= 1;
        self.total -= 1;
        self.below -= u16::from(value < self.median);
    }

    /// The value that at least half are not above, found from where it was last: it rarely moves far.
    fn median(&mut self) -> u8 {
        let half = self.total / 2;
        while self.below > half {
            self.median -= 1;
            self.below -= self.counts[usize::from(self.median)];
        }
        while self.median < 255 && self.below + self.counts[usize::from(self.median)] <= half {
            self.below += self.counts[usize::from(self.median)];
            self.median += 1;
        }
        self.median
    }
}

/// Twice as wide and as high; between two pixels lies their mean.
fn doubled(picture: &GreyPicture) -> GreyPicture {
    let (width, height) = (picture.size.width as usize, picture.size.height as usize);
    let mut pixels = Vec::with_capacity(width * height * 4);
    for y in 0..height * 2 {
        let upper = &picture.pixels[(y / 2) * width..][..width];
        let lower = &picture.pixels[(y.div_ceil(2)).min(height - 1) * width..][..width];
        let mean = |x: usize| u16::from(upper[x]) + u16::from(lower[x]);
        for x in 0..width {
            let (here, next) = (mean(x), mean((x + 1).min(width - 1)));
            pixels.extend([(here / 2) as u8, ((here + next) / 4) as u8]);
        }
    }
    GreyPicture { size: Size::new(picture.size.width * 2, picture.size.height * 2), pixels }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Rect;
    use proptest::prelude::*;

    fn frame(width: u32, height: u32, at: impl Fn(u32, u32) -> [u8; 3]) -> Frame {
        let rgb = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Frame::new(Rect::new(0, 0, width, height), rgb.flat_map(|(x, y)| at(x, y)).collect())
    }

    #[test]
    fn a_thin_stroke_is_black_whatever_the_colours_are() {
        for (ground, stroke) in [([240; 3], [0; 3]), ([52, 101, 164], [255; 3]), ([20; 3], [235; 3])] {
            let shown = frame(40, 20, |x, _| if x == 20 || x == 21 { stroke } else { ground });
            let (picture, zoom) = stand_out(&shown).expect("a picture");
            assert_eq!((picture.size, zoom), (Size::new(80, 40), 2));
            let row = &picture.pixels[80 * 20..80 * 21];
            assert!(row[40] == 0 && row[42] == 0, "{row:?}");
            assert!(row[..36].iter().chain(&row[48..]).all(|pixel| *pixel == 255), "{row:?}");
        }
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let torn = Frame::new(Rect::new(0, 0, 9, 9), vec![0; 5]);
        assert_eq!(grey(&torn).expect_err("torn").code, ErrorCode::CaptureFailed);
    }

    proptest! {
        #[test]
        fn the_median_is_that_of_the_sorted_values(
            width in 1_u32..24, height in 1_u32..24, seed in any::<u64>(),
        ) {
            let mut state = seed;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            };
            let size = Size::new(width, height);
            let picture = GreyPicture { size, pixels: (0..width * height).map(|_| random()).collect() };
            let (w, h) = (width as usize, height as usize);
            let mut differences = Vec::new();
            for y in 0..h {
                for x in 0..w {
                    let mut around: Vec<u8> = Vec::new();
                    for row in y.saturating_sub(REACH)..(y + REACH + 1).min(h) {
                        around.extend(&picture.pixels[row * w + x.saturating_sub(REACH)..row * w + (x + REACH + 1).min(w)]);
                    }
                    around.sort_unstable();
                    differences.push(picture.pixels[y * w + x].abs_diff(around[around.len() / 2]));
                }
            }
            let strongest = u16::from(differences.iter().copied().max().unwrap_or(0).max(1));
            let expected: Vec<u8> =
                differences.iter().map(|d| 255 - (u16::from(*d) * 255 / strongest) as u8).collect();
            prop_assert_eq!(from_surroundings(&picture).pixels, expected);
        }

        #[test]
        fn a_doubled_picture_keeps_every_pixel(width in 1_u32..20, height in 1_u32..20) {
            let size = Size::new(width, height);
            let picture = GreyPicture { size, pixels: (0..width * height).map(|n| n as u8).collect() };
            let large = doubled(&picture);
            prop_assert_eq!(large.pixels.len(), 4 * picture.pixels.len());
            for (n, pixel) in picture.pixels.iter().enumerate() {
                let (x, y) = (n % width as usize, n / width as usize);
                prop_assert_eq!(large.pixels[y * 2 * 2 * width as usize + x * 2], *pixel);
            }
        }
    }
}
