//! Pixels to JPEG, in strips that are encoded at the same time and joined by restart markers (ITU-T T.81, B.2 and E.1.4).
//!
//! A restart marker resets what the encoder carries from one block to the next, so strips between two of them do not depend
//! on each other, and the picture is, pixel by pixel, what it would be in one piece.

use super::threads;
use crate::operation::Picture;
use handeye_core::{Error, ErrorCode, Frame, Result};
use jpeg_encoder::{ColorType, Encoder};

/// Pixels of a strip, about.
const STRIP: usize = 256 * 1024;
/// Pixels of a side of what is encoded as a unit, with colours at half the resolution.
const UNIT: usize = 16;
/// Bytes of a pixel.
const PIXEL: usize = 3;

/// Second bytes of markers; the first one is 0xff.
const START_OF_FRAME: u8 = 0xc0;
const START_OF_SCAN: u8 = 0xda;
const RESTART: u8 = 0xd0;
const END_OF_IMAGE: [u8; 2] = [0xff, 0xd9];

/// Encodes a frame as JPEG. The format holds at most 65,535 pixels a side.
pub(super) fn encode(frame: &Frame, quality: u8) -> Result<Picture> {
    let (width, height) = (side(frame.area.width)?, side(frame.area.height)?);
    let row = usize::from(width) * PIXEL;
    if row == 0 || height == 0 || frame.rgb.len() != row * usize::from(height) {
        return Err(Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"));
    }
    let units_per_row = usize::from(width).div_ceil(UNIT);
    // At most 4,096 units a row: the number of units of a strip, which has to fit into 16 bits, is far below its limit.
    let rows_of_units = (STRIP / (units_per_row * UNIT * UNIT)).max(1);
    let strips: Vec<&[u8]> = frame.rgb.chunks(rows_of_units * UNIT * row).collect();
    let interval = (strips.len() > 1).then_some((rows_of_units * units_per_row) as u16);
    let encoded = threads::each(strips.len(), |index| {
        let strip = strips[index];
        let mut bytes = Vec::with_capacity(strip.len() / 8);
        let mut encoder = Encoder::new(&mut bytes, quality);
        if let Some(interval) = interval {
            encoder.set_restart_interval(interval);
        }
        let result = encoder.encode(strip, width, (strip.len() / row) as u16, ColorType::Rgb);
        result.map(|()| bytes).map_err(|error| fault(&error))
    });
    let bytes = joined(encoded.into_iter().collect::<Result<Vec<_>>>()?, height)?;
    Ok(Picture { mime_type: "image/jpeg", bytes, about: None })
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

/// One picture of strips that were encoded as pictures of their own.
fn joined(strips: Vec<Vec<u8>>, height: u16) -> Result<Vec<u8>> {
    let total: usize = strips.iter().map(Vec::len).sum();
    let mut strips = strips.into_iter();
    let mut whole = strips.next().unwrap_or_default();
    whole.reserve(total - whole.len());
    let head = Head::of(&whole).ok_or_else(no_jpeg)?;
    whole[head.height_at..head.height_at + 2].copy_from_slice(&height.to_be_bytes());
    for (number, strip) in (0_u8..8).cycle().zip(strips) {
        let scan = Head::of(&strip).and_then(|head| strip.get(head.length..)).ok_or_else(no_jpeg)?;
        whole.truncate(whole.len() - END_OF_IMAGE.len());
        whole.extend([0xff, RESTART + number]);
        whole.extend_from_slice(scan);
    }
    Ok(whole)
}

/// What stands before the pixels.
struct Head {
    /// Where the height of the picture is.
    height_at: usize,
    /// Where the pixels begin.
    length: usize,
}

impl Head {
    /// Walks over the segments: two bytes of marker, two of the length that follows from there.
    fn of(jpeg: &[u8]) -> Option<Self> {
        let (mut at, mut height_at) = (END_OF_IMAGE.len(), None);
        loop {
            let [_, marker, high, low] = *jpeg.get(at..)?.first_chunk()?;
            let end = at + 2 + usize::from(u16::from_be_bytes([high, low]));
            match marker {
                START_OF_FRAME => height_at = Some(at + 5),
                START_OF_SCAN => return Some(Self { height_at: height_at?, length: end }),
                _ => {}
            }
            at = end;
        }
    }
}

fn no_jpeg() -> Error {
    Error::internal("the JPEG encoder made something else")
}

fn fault(error: &jpeg_encoder::EncodingError) -> Error {
    Error::new(ErrorCode::CaptureFailed, format!("the picture could not be encoded: {error}"))
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
        assert_eq!(decoded.dimensions(), (frame.area.width, frame.area.height));
        let sum: u64 = frame.rgb.iter().zip(decoded.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / frame.rgb.len() as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_picture_comes_back_nearly_as_it_was(width in 1_u32..300, height in 1_u32..200, kind in prop::sample::select(vec![Kind::Flat, Kind::Photograph])) {
            let frame = samples::frame(kind, width, height);
            let picture = encode(&frame, 80).expect("encoded");
            prop_assert!(distance(&frame, &decoded(&picture.bytes)) < 6.0);
        }
    }

    #[test]
    fn strips_give_the_picture_that_one_piece_gives() {
        for (width, height) in [(1001, 1777), (5000, 301), (40_000, 70)] {
            let frame = samples::frame(Kind::Mixed, width, height);
            let mut plain = Vec::new();
            Encoder::new(&mut plain, 80)
                .encode(&frame.rgb, width as u16, height as u16, ColorType::Rgb)
                .expect("encoded");
            let picture = encode(&frame, 80).expect("encoded");
            assert!(
                picture.bytes.windows(2).any(|pair| pair == [0xff, RESTART]),
                "{width}x{height} is one strip"
            );
            assert!(decoded(&picture.bytes) == decoded(&plain), "{width}x{height}");
        }
    }

    #[test]
    fn what_the_format_cannot_hold_is_said() {
        let frame = Frame { area: Rect::new(0, 0, 65_536, 1), rgb: vec![0; 65_536 * 3] };
        let error = encode(&frame, 80).expect_err("too wide");
        assert_eq!(error.code, ErrorCode::CaptureFailed);
        assert!(error.message.contains("65536") && error.message.contains("65535"), "{}", error.message);
        let frame = Frame { area: Rect::new(0, 0, 65_535, 2), rgb: vec![0; 65_535 * 3 * 2] };
        assert_eq!(decoded(&encode(&frame, 80).expect("the widest").bytes).dimensions(), (65_535, 2));
    }

    #[test]
    fn pixels_that_do_not_make_up_a_picture_are_an_error() {
        for (area, bytes) in
            [(Rect::new(0, 0, 4, 4), 5), (Rect::new(0, 0, 4, 0), 0), (Rect::new(0, 0, 0, 4), 0)]
        {
            let frame = Frame { area, rgb: vec![0; bytes] };
            assert_eq!(encode(&frame, 80).expect_err("no picture").code, ErrorCode::CaptureFailed);
        }
    }
}
