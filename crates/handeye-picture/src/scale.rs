//! Scaling pictures down to what their reader takes.

use super::threads;
use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use handeye_core::{Error, ErrorCode, Frame, Redrawn, Result, Size};
use std::ops::Range;

/// Bytes of a pixel.
const PIXEL: usize = 3;
/// How many pixels to each side of its middle a pixel is made of, in scaled ones; a little more than the filter has.
const REACH: f64 = 2.5;

/// The largest picture that a reader takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the longer side.
    pub longest_side: u32,
    /// Pixels altogether.
    pub pixels: u64,
}

impl Limits {
    /// What models with eyes take without scaling it down themselves (viewpoint-screenshots, decision 5).
    pub const INLINE: Self = Self { longest_side: 1568, pixels: 1_150_000 };

    /// The size of a picture of `size` within the limits, its proportions kept, never larger than it was.
    pub fn fitted(self, size: Size) -> Size {
        let (width, height) = (f64::from(size.width), f64::from(size.height));
        let by_side = f64::from(self.longest_side) / width.max(height);
        let by_area = (self.pixels as f64 / (width * height)).sqrt();
        let factor = by_side.min(by_area);
        if !factor.is_finite() || factor >= 1.0 {
            return size;
        }
        let scaled = |length: f64| ((length * factor).floor() as u32).max(1);
        Size::new(scaled(width), scaled(height))
    }
}

/// What the frame shows, within `limits`. `None` if it fits as it is.
///
/// Width first, then height: the first pass takes nearly all of the time, and its rows do not depend on each other.
pub fn fit(frame: &Frame, limits: Limits) -> Result<Option<Frame>> {
    fit_after(frame, limits, None)
}

/// As [`fit`], of a frame that differs from an earlier one in nothing but what was [redrawn](Frame::redrawn). `earlier` is what that one became:
/// what has not changed is taken over, and the result says what has.
pub fn fit_after(frame: &Frame, limits: Limits, earlier: Option<Frame>) -> Result<Option<Frame>> {
    let (width, height) = (frame.size().width, frame.size().height);
    let size = limits.fitted(Size::new(width, height));
    if size == Size::new(width, height) {
        return Ok(None);
    }
    if frame.rgb().len() != bytes(frame.size()) {
        return Err(Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"));
    }
    let earlier = earlier.filter(|earlier| earlier.size() == size && earlier.shows() == frame.shows());
    if let Some((mut earlier, redrawn)) = earlier.zip(frame.redrawn()) {
        let rows = rows_of(&redrawn.rows, height, size.height);
        if rows.iter().map(ExactSizeIterator::len).sum::<usize>() < size.height as usize / 2 {
            let rgb = earlier.rgb_mut();
            for rows in &rows {
                scale_rows(frame, size, rows.clone(), rgb)?;
            }
            return Ok(Some(earlier.redrawn_in(Some(Redrawn { since: redrawn.since, rows }))));
        }
    }
    let (upper, lower) = (Size::new(size.width, height / 2), Size::new(size.width, height - height / 2));
    let mut narrow = vec![0; bytes(upper) + bytes(lower)];
    let (upper_source, lower_source) = frame.rgb().split_at(bytes(Size::new(width, upper.height)));
    let (upper_target, lower_target) = narrow.split_at_mut(bytes(upper));
    let halves = threads::both(
        || resample(upper_source, Size::new(width, upper.height), upper_target, upper),
        || resample(lower_source, Size::new(width, lower.height), lower_target, lower),
    );
    halves.0.and(halves.1)?;
    let mut rgb = vec![0; bytes(size)];
    resample(&narrow, Size::new(size.width, height), &mut rgb, size)?;
    Ok(Some(frame.resized(size, rgb)))
}

/// Bytes of a picture of this size.
const fn bytes(size: Size) -> usize {
    size.width as usize * size.height as usize * PIXEL
}

/// The rows of a scaled picture that `rows` of the original have a part in, in order, each once.
fn rows_of(rows: &[Range<u32>], height: u32, scaled_height: u32) -> Vec<Range<u32>> {
    let scale = f64::from(height) / f64::from(scaled_height);
    let mut scaled: Vec<Range<u32>> = rows
        .iter()
        .map(|rows| {
            // Negative numbers become 0.
            let first = (f64::from(rows.start) / scale - REACH - 1.0).floor() as u32;
            let end = (f64::from(rows.end) / scale + REACH + 1.0).ceil() as u32;
            first..end.min(scaled_height)
        })
        .collect();
    scaled.sort_by_key(|rows| rows.start);
    scaled.dedup_by(|next, rows| {
        let touches = next.start <= rows.end;
        if touches {
            rows.end = rows.end.max(next.end);
        }
        touches
    });
    scaled
}

/// Scales what these rows of the picture of `size` are made of, and puts it into that picture.
fn scale_rows(frame: &Frame, size: Size, rows: Range<u32>, rgb: &mut [u8]) -> Result<()> {
    let from = frame.size();
    let scale = f64::from(from.height) / f64::from(size.height);
    let first = ((f64::from(rows.start) - REACH) * scale - 1.0).floor() as u32;
    let end = (((f64::from(rows.end) + REACH) * scale + 1.0).ceil() as u32).min(from.height);
    let (source, narrow) = (Size::new(from.width, end - first), Size::new(size.width, end - first));
    let start = bytes(Size::new(from.width, first));
    let mut narrowed = vec![0; bytes(narrow)];
    resample(&frame.rgb()[start..start + bytes(source)], source, &mut narrowed, narrow)?;
    let top = f64::from(rows.start) * scale - f64::from(first);
    // Rounding must not make it end below the last row.
    let height = (f64::from(rows.end - rows.start) * scale).min(f64::from(narrow.height) - top);
    let how = resizing().crop(0.0, top, f64::from(narrow.width), height);
    let target = Size::new(size.width, rows.end - rows.start);
    let start = bytes(Size::new(size.width, rows.start));
    resample_by(&how, &narrowed, narrow, &mut rgb[start..start + bytes(target)], target)
}

/// Catmull-Rom keeps small text legible and makes smaller files than Lanczos, which rings at edges.
fn resizing() -> ResizeOptions {
    ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom))
}

fn resample(source: &[u8], from: Size, target: &mut [u8], to: Size) -> Result<()> {
    resample_by(&resizing(), source, from, target, to)
}

fn resample_by(how: &ResizeOptions, source: &[u8], from: Size, target: &mut [u8], to: Size) -> Result<()> {
    if from.height == 0 {
        return Ok(());
    }
    let fault =
        |error: &dyn std::fmt::Display| Error::internal(format!("the picture could not be scaled: {error}"));
    // With the kind of pixel in the types: `resize` compiles every kind into this crate, which takes minutes.
    let source =
        TypedImageRef::<U8x3>::from_buffer(from.width, from.height, source).map_err(|error| fault(&error))?;
    let mut target =
        TypedImage::<U8x3>::from_buffer(to.width, to.height, target).map_err(|error| fault(&error))?;
    Resizer::new().resize_typed(&source, &mut target, how).map_err(|error| fault(&error))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{self, Kind};
    use super::*;
    use handeye_core::Rect;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_fitted_size_keeps_limits_and_proportions(width in 1_u32..40_000, height in 1_u32..40_000, longest_side in 1_u32..5_000, pixels in 1_u64..5_000_000) {
            let fitted = Limits { longest_side, pixels }.fitted(Size::new(width, height));
            prop_assert!(fitted.width >= 1 && fitted.height >= 1);
            prop_assert!(fitted.width <= width && fitted.height <= height);
            prop_assert!(fitted.width.max(fitted.height) <= longest_side);
            let (long, short) = (width.max(height), width.min(height));
            let (fitted_long, fitted_short) = (fitted.width.max(fitted.height), fitted.width.min(fitted.height));
            // A side of at least one pixel may cost an extremely long picture its proportions, and its area a little.
            prop_assert!(u64::from(fitted.width) * u64::from(fitted.height) <= pixels.max(u64::from(fitted_long)));
            let exact = f64::from(fitted_long) * f64::from(short) / f64::from(long);
            prop_assert!((exact - f64::from(fitted_short)).abs() <= 1.0 + 1e-6, "{width}x{height} became {fitted:?}");
        }

        #[test]
        fn what_fits_is_left_alone(width in 1_u32..1568, height in 1_u32..733) {
            prop_assert_eq!(Limits::INLINE.fitted(Size::new(width, height)), Size::new(width, height));
        }
    }

    #[test]
    fn usual_screens_use_what_the_limits_allow() {
        for (screen, fitted) in [
            ((1920, 1080), (1429, 804)),
            ((3840, 2160), (1429, 804)),
            ((1080, 1920), (804, 1429)),
            ((5000, 100), (1568, 31)),
        ] {
            assert_eq!(Limits::INLINE.fitted(Size::new(screen.0, screen.1)), Size::new(fitted.0, fitted.1));
        }
    }

    #[test]
    fn a_scaled_picture_shows_the_same() {
        for (width, height) in [(1920, 1080), (2000, 1), (1, 2000), (4001, 3)] {
            let frame = samples::frame(Kind::Photograph, width, height);
            let fitted = fit(&frame, Limits::INLINE).expect("scaled").expect("too large as it was");
            let at = |frame: &Frame, x: u32, y: u32| frame.rgb()[((y * frame.size().width + x) * 3) as usize];
            for step in 0..20 {
                let size = fitted.size();
                let (x, y) = (size.width * step / 20, size.height * step / 20);
                let original = at(
                    &frame,
                    (2 * x + 1) * width / (2 * size.width),
                    (2 * y + 1) * height / (2 * size.height),
                );
                assert!(at(&fitted, x, y).abs_diff(original) < 12, "{width}x{height} at {x},{y}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_is_scaled_after_another_picture_is_as_if_it_was_alone(
            kind in samples::kinds(),
            (width, height) in (1_u32..2_600, 1_u32..1_500),
            parts in proptest::collection::vec((0_u32..1_500, 1_u32..40), 0..4),
        ) {
            let since = handeye_core::Stamp::new(1);
            let frame = samples::frame(kind, width, height);
            let Some(earlier) = fit(&frame, Limits::INLINE).expect("scaled") else { return Ok(()) };
            let rows: Vec<Range<u32>> = parts
                .into_iter()
                .map(|(first, count)| first.min(height - 1)..(first + count).min(height))
                .filter(|rows| !rows.is_empty())
                .collect();
            let mut next = frame.clone();
            for rows in &rows {
                let row = width as usize * PIXEL;
                let pixels = &mut next.rgb_mut()[rows.start as usize * row..rows.end as usize * row];
                pixels.iter_mut().step_by(7).for_each(|byte| *byte = !*byte);
            }
            let next = next.redrawn_in(Some(Redrawn { since, rows }));
            let after = fit_after(&next, Limits::INLINE, Some(earlier.clone())).expect("scaled").expect("too large");
            let alone = fit(&next.clone().redrawn_in(None), Limits::INLINE).expect("scaled").expect("too large");
            let row = after.size().width as usize * PIXEL;
            let is_new = |y: usize| {
                let rows = after.redrawn().map(|redrawn| redrawn.rows.as_slice());
                rows.is_none_or(|rows| rows.iter().any(|rows| rows.contains(&(y as u32))))
            };
            for (y, (one, other)) in after.rgb().chunks(row).zip(alone.rgb().chunks(row)).enumerate() {
                // The filter has its weights in whole numbers, which may be rounded otherwise in a part of the picture.
                prop_assert!(one.iter().zip(other).all(|(one, other)| one.abs_diff(*other) <= 1), "row {y}");
                prop_assert!(is_new(y) || one == &earlier.rgb()[y * row..][..row], "row {y} is another one, and not named");
            }
        }
    }

    #[test]
    fn one_colour_stays_that_colour() {
        let frame = Frame::new(Rect::new(5, 5, 1999, 700), [12, 200, 77].repeat(1999 * 700));
        let fitted = fit(&frame, Limits::INLINE).expect("scaled").expect("too large as it was");
        assert!(fitted.rgb().chunks_exact(3).all(|pixel| pixel == [12, 200, 77]));
        assert_eq!(fitted.place(), frame.place(), "it shows the same part of the screen");
    }

    #[test]
    fn pixels_that_do_not_make_up_a_picture_are_an_error() {
        let frame = Frame::new(Rect::new(0, 0, 4000, 4000), vec![0; 5]);
        assert_eq!(fit(&frame, Limits::INLINE).expect_err("too few").code, ErrorCode::CaptureFailed);
    }
}
