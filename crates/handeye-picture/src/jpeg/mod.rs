//! Pixels to JPEG (baseline, 4:2:0), in strips that are encoded at the same time and joined by restart markers (ITU-T T.81, E.1.4).
//!
//! A restart marker resets what is carried from one block to the next, so strips between two of them do not depend
//! on each other, and the picture is, pixel by pixel, what it would be in one piece. Most of a screen is of one colour, where there is
//! nothing to transform (`docs/decisions/0125`). The codes are those that are shortest for this very picture.

mod codes;
mod head;
mod symbols;
mod transform;
mod units;

use super::threads;
use codes::Codes;
use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, ErrorCode, Frame, Result, Size};
use std::ops::Range;
use std::sync::Arc;
use symbols::Symbols;
use transform::Quantizer;
use units::{PIXEL, Strip, UNIT};

/// Pixels of a strip, about.
const STRIP: usize = 256 * 1024;
/// Most symbols that are kept for the next picture, of 4 bytes each.
const MOST_SYMBOLS: usize = 512 * 1024;

/// Encodes a frame as JPEG. The format holds at most 65,535 pixels a side.
pub(super) fn encode(frame: &Frame) -> Result<EncodedPicture> {
    encode_after(frame, None).map(|(picture, _)| picture)
}

/// The symbols of a picture, strip by strip. Another picture with mostly the same pixels takes most of them over.
#[derive(Debug)]
pub(super) struct Spelling {
    size: Size,
    strips: Vec<Arc<Symbols>>,
}

/// Encodes a frame as JPEG, after an `earlier` one from which it differs in nothing but what was [redrawn](Frame::redrawn). There is no spelling
/// of a picture that takes too much memory.
pub(super) fn encode_after(
    frame: &Frame,
    earlier: Option<&Spelling>,
) -> Result<(EncodedPicture, Option<Spelling>)> {
    in_strips_of(frame, STRIP, earlier)
}

fn in_strips_of(
    frame: &Frame,
    pixels: usize,
    earlier: Option<&Spelling>,
) -> Result<(EncodedPicture, Option<Spelling>)> {
    let size @ (width, height) = (side(frame.size().width)?, side(frame.size().height)?);
    let row = usize::from(width) * PIXEL;
    if row == 0 || height == 0 || frame.rgb().len() != row * usize::from(height) {
        return Err(Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"));
    }
    let units_per_row = usize::from(width).div_ceil(UNIT);
    // At most 4,096 units a row: the number of units of a strip, which has to fit into 16 bits, is far below its limit.
    let rows_of_units = (pixels / (units_per_row * UNIT * UNIT)).max(1);
    let strips: Vec<&[u8]> = frame.rgb().chunks(rows_of_units * UNIT * row).collect();
    let quantizer = Quantizer::new();
    let known = |index: usize| {
        let (earlier, redrawn) =
            earlier.filter(|earlier| earlier.size == frame.size()).zip(frame.redrawn())?;
        let first = index * rows_of_units * UNIT;
        let rows = first..first + rows_of_units * UNIT;
        let differs =
            |drawn: &Range<u32>| (drawn.start as usize) < rows.end && rows.start < drawn.end as usize;
        if redrawn.rows.iter().any(differs) { None } else { earlier.strips.get(index).cloned() }
    };
    let symbols = threads::each(strips.len(), |index| {
        known(index).unwrap_or_else(|| Arc::new(Symbols::of(&Strip::new(strips[index], row), &quantizer)))
    });
    let codes = Codes::for_all(symbols.iter().map(|strip| strip.occurrences()));
    let scans = threads::each(symbols.len(), |index| symbols[index].written(&codes));
    let restart_after = (scans.len() > 1).then_some(rows_of_units * units_per_row);
    let mut bytes = head::head(size, &quantizer, &codes, restart_after);
    bytes.reserve(scans.iter().map(|scan| scan.len() + 2).sum());
    for (number, scan) in scans.iter().enumerate() {
        if number > 0 {
            bytes.extend(head::restart(number - 1));
        }
        bytes.extend_from_slice(scan);
    }
    bytes.extend(head::END_OF_IMAGE);
    let is_kept = symbols.iter().map(|strip| strip.count()).sum::<usize>() <= MOST_SYMBOLS;
    let spelling = is_kept.then(|| Spelling { size: frame.size(), strips: symbols });
    Ok((EncodedPicture { mime_type: "image/jpeg", bytes }, spelling))
}

fn side(length: u32) -> Result<u16> {
    u16::try_from(length).map_err(|_| {
        Error::new(
            ErrorCode::CaptureFailed,
            format!("{length} pixels are too many for a side of a JPEG, which has at most {}", u16::MAX),
        )
        .with_next("Save it as PNG, or capture a part of it.")
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::{self, Kind};
    use super::*;
    use handeye_core::Rect;
    use proptest::prelude::*;

    fn decoded(jpeg: &[u8]) -> image::RgbImage {
        image::load_from_memory_with_format(jpeg, image::ImageFormat::Jpeg).expect("a JPEG").into_rgb8()
    }

    /// How far a decoded picture is from the original, on average over all colours of all pixels.
    fn distance(frame: &Frame, decoded: &image::RgbImage) -> f64 {
        assert_eq!(decoded.dimensions(), (frame.size().width, frame.size().height));
        let sum: u64 = frame.rgb().iter().zip(decoded.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / frame.rgb().len() as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_picture_comes_back_nearly_as_it_was(width in 1_u32..300, height in 1_u32..200, kind in prop::sample::select(vec![Kind::Flat, Kind::Photograph])) {
            let frame = samples::frame(kind, width, height);
            let picture = encode(&frame).expect("encoded");
            prop_assert!(distance(&frame, &decoded(&picture.bytes)) < 6.0);
        }

        #[test]
        fn one_colour_comes_back_as_that_colour(colour in any::<[u8; 3]>(), width in 1_u32..50, height in 1_u32..50) {
            let frame = Frame::new(Rect::new(0, 0, width, height), colour.repeat((width * height) as usize));
            let picture = decoded(&encode(&frame).expect("encoded").bytes);
            for pixel in picture.pixels() {
                for (is, was) in pixel.0.into_iter().zip(colour) {
                    prop_assert!(is.abs_diff(was) <= 5, "{:?} instead of {:?}", pixel.0, colour);
                }
            }
        }
    }

    #[test]
    fn the_hardest_pictures_are_files_that_can_be_read() {
        let (width, height) = (333, 222);
        let size = Rect::new(0, 0, width, height);
        let of = |level: &dyn Fn(u32, u32) -> u8| {
            let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            Frame::new(size, places.flat_map(|(x, y)| [level(x, y); 3]).collect())
        };
        let checkers = |side: u32| of(&|x, y| if (x / side + y / side).is_multiple_of(2) { 0 } else { 255 });
        // Units of one colour with the largest difference between them, the highest frequencies, and every code.
        for (frame, farthest) in
            [(checkers(16), 1.0), (checkers(1), 4.0), (samples::frame(Kind::Noise, width, height), 60.0)]
        {
            let distance = distance(&frame, &decoded(&encode(&frame).expect("encoded").bytes));
            assert!(distance < farthest, "{distance}");
        }
    }

    #[test]
    fn strips_give_the_picture_that_one_piece_gives() {
        for (width, height) in [(1001, 1777), (5000, 301), (40_000, 70)] {
            let frame = samples::frame(Kind::Mixed, width, height);
            let plain = in_strips_of(&frame, 1 << 30, None).expect("encoded").0.bytes;
            let picture = encode(&frame).expect("encoded").bytes;
            let restarts = |bytes: &[u8]| bytes.windows(2).any(|pair| pair == head::restart(0));
            assert!(restarts(&picture) && !restarts(&plain), "{width}x{height} is one strip");
            assert!(decoded(&picture) == decoded(&plain), "{width}x{height}");
        }
    }

    #[test]
    fn what_the_format_cannot_hold_is_reported() {
        let frame = Frame::new(Rect::new(0, 0, 65_536, 1), vec![0; 65_536 * 3]);
        let error = encode(&frame).expect_err("too wide");
        assert_eq!(error.code, ErrorCode::CaptureFailed);
        assert!(error.message.contains("65536") && error.message.contains("65535"), "{}", error.message);
        let frame = Frame::new(Rect::new(0, 0, 65_535, 2), vec![0; 65_535 * 3 * 2]);
        assert_eq!(decoded(&encode(&frame).expect("the widest").bytes).dimensions(), (65_535, 2));
    }

    #[test]
    fn pixels_that_do_not_make_up_a_picture_are_an_error() {
        for (area, bytes) in
            [(Rect::new(0, 0, 4, 4), 5), (Rect::new(0, 0, 4, 0), 0), (Rect::new(0, 0, 0, 4), 0)]
        {
            let frame = Frame::new(area, vec![0; bytes]);
            assert_eq!(encode(&frame).expect_err("no picture").code, ErrorCode::CaptureFailed);
        }
    }
}
