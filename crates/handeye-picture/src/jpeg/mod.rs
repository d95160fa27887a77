//! Pixels to JPEG, in strips that are encoded at the same time and joined by restart markers (ITU-T T.81, E.1.4).
//!
//! A restart marker resets what the encoder carries from one block to the next, so strips between two of them do not depend
//! on each other, and the picture is, pixel by pixel, what it would be in one piece. The encoder uses the standard's codes, which are
//! made for photographs; what it wrote is written again in the codes that are shortest for this very picture.

mod head;
mod symbols;

use super::threads;
use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, ErrorCode, Frame, Result};
use head::{END_OF_IMAGE, Head, RESTART};
use jpeg_encoder::{ChromaSubsamplingMethod, ColorType, Encoder, SamplingFactor};
use symbols::{Codes, Symbols};

/// Pixels of a strip, about.
const STRIP: usize = 256 * 1024;
/// Pixels of a side of what is encoded as a unit, with colours at half the resolution.
const UNIT: usize = 16;
/// Bytes of a pixel.
const PIXEL: usize = 3;

/// Encodes a frame as JPEG. The format holds at most 65,535 pixels a side.
pub(super) fn encode(frame: &Frame, quality: u8) -> Result<EncodedPicture> {
    let (width, height) = (side(frame.size().width)?, side(frame.size().height)?);
    let row = usize::from(width) * PIXEL;
    if row == 0 || height == 0 || frame.rgb().len() != row * usize::from(height) {
        return Err(Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"));
    }
    let units_per_row = usize::from(width).div_ceil(UNIT);
    // At most 4,096 units a row: the number of units of a strip, which has to fit into 16 bits, is far below its limit.
    let rows_of_units = (STRIP / (units_per_row * UNIT * UNIT)).max(1);
    let strips: Vec<&[u8]> = frame.rgb().chunks(rows_of_units * UNIT * row).collect();
    let encoded = threads::each(strips.len(), |index| {
        let rows = strips[index].len() / row;
        let mut bytes = Vec::with_capacity(strips[index].len() / 8);
        let mut encoder = Encoder::new(&mut bytes, quality);
        encoder.set_restart_interval((rows_of_units * units_per_row) as u16);
        encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
        // The other method takes every second colour, which is farther from the picture and makes larger files.
        encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
        encoder.encode(strips[index], width, rows as u16, ColorType::Rgb).map_err(|error| fault(&error))?;
        Strip::of(&bytes, rows.div_ceil(UNIT) * units_per_row).ok_or_else(no_jpeg)
    });
    let strips = encoded.into_iter().collect::<Result<Vec<_>>>()?;
    let bytes = joined(&strips, height).ok_or_else(no_jpeg)?;
    Ok(EncodedPicture { mime_type: "image/jpeg", bytes })
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

/// A strip that was encoded as a picture of its own.
struct Strip {
    head: Head,
    symbols: Symbols,
}

impl Strip {
    fn of(jpeg: &[u8], units: usize) -> Option<Self> {
        let (head, codes) = Head::of(jpeg)?;
        let symbols = Symbols::read(jpeg.get(head.scan_at..)?, &codes, units)?;
        Some(Self { head, symbols })
    }
}

/// One picture of all strips.
fn joined(strips: &[Strip], height: u16) -> Option<Vec<u8>> {
    let codes = Codes::for_all(strips.iter().map(|strip| &strip.symbols));
    let scans = threads::each(strips.len(), |index| strips[index].symbols.written(&codes));
    let mut whole = strips.first()?.head.with(height, &codes);
    whole.reserve(scans.iter().map(|scan| scan.len() + 2).sum());
    for (number, scan) in scans.iter().enumerate() {
        if number > 0 {
            whole.extend([0xff, RESTART + ((number - 1) % 8) as u8]);
        }
        whole.extend_from_slice(scan);
    }
    whole.extend(END_OF_IMAGE);
    Some(whole)
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
        assert_eq!(decoded.dimensions(), (frame.size().width, frame.size().height));
        let sum: u64 = frame.rgb().iter().zip(decoded.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        sum as f64 / frame.rgb().len() as f64
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
            let mut encoder = Encoder::new(&mut plain, 80);
            encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
            encoder.encode(frame.rgb(), width as u16, height as u16, ColorType::Rgb).expect("encoded");
            let picture = encode(&frame, 80).expect("encoded");
            assert!(
                picture.bytes.windows(2).any(|pair| pair == [0xff, RESTART]),
                "{width}x{height} is one strip"
            );
            assert!(decoded(&picture.bytes) == decoded(&plain), "{width}x{height}");
            assert!(picture.bytes.len() < plain.len(), "{width}x{height}: the codes are no better");
        }
    }

    #[test]
    fn what_the_format_cannot_hold_is_reported() {
        let frame = Frame::new(Rect::new(0, 0, 65_536, 1), vec![0; 65_536 * 3]);
        let error = encode(&frame, 80).expect_err("too wide");
        assert_eq!(error.code, ErrorCode::CaptureFailed);
        assert!(error.message.contains("65536") && error.message.contains("65535"), "{}", error.message);
        let frame = Frame::new(Rect::new(0, 0, 65_535, 2), vec![0; 65_535 * 3 * 2]);
        assert_eq!(decoded(&encode(&frame, 80).expect("the widest").bytes).dimensions(), (65_535, 2));
    }

    #[test]
    fn pixels_that_do_not_make_up_a_picture_are_an_error() {
        for (area, bytes) in
            [(Rect::new(0, 0, 4, 4), 5), (Rect::new(0, 0, 4, 0), 0), (Rect::new(0, 0, 0, 4), 0)]
        {
            let frame = Frame::new(area, vec![0; bytes]);
            assert_eq!(encode(&frame, 80).expect_err("no picture").code, ErrorCode::CaptureFailed);
        }
    }
}
