//! Frames to PNG, by the encoder of `handeye-png`.

use super::threads::Shared;
use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, ErrorCode, Frame, Result};
use handeye_png::{Earlier, Picture, Strips};

/// Encodes a frame as PNG. Takes milliseconds: call it away from the threads that serve calls.
pub(super) fn encode(frame: &Frame) -> Result<EncodedPicture> {
    let encoded = encode_after(frame, None, usize::MAX)?;
    encoded.map(|(picture, _)| picture).ok_or_else(without_limit)
}

/// Encodes a frame as PNG, after an `earlier` one from which it differs in nothing but what was [redrawn](Frame::redrawn). Takes the less time
/// the less that is. `None`, as soon as that is known, if the file would have more bytes than `most`.
pub(super) fn encode_after(
    frame: &Frame,
    earlier: Option<(&EncodedPicture, &Strips)>,
    most: usize,
) -> Result<Option<(EncodedPicture, Strips)>> {
    let earlier = earlier.zip(frame.redrawn()).map(|((picture, strips), redrawn)| Earlier {
        file: &picture.bytes,
        strips,
        redrawn: &redrawn.rows,
    });
    let encoded = pixels(frame)?.to_png_after(earlier, most, &Shared);
    Ok(encoded.map(|(bytes, strips)| (EncodedPicture { mime_type: "image/png", bytes }, strips)))
}

fn pixels(frame: &Frame) -> Result<Picture<'_>> {
    Picture::new(frame.size().width, frame.size().height, frame.rgb())
        .map_err(|_| Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"))
}

/// A file without a limit is never too large.
pub(super) fn without_limit() -> Error {
    Error::internal("a picture without a limit is too large")
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use handeye_core::Rect;
    use proptest::prelude::*;
    use std::io::Cursor;

    /// Encodes a frame as PNG; `None` if the file would have more bytes than this.
    fn encode_within(frame: &Frame, most: usize) -> Result<Option<EncodedPicture>> {
        Ok(encode_after(frame, None, most)?.map(|(picture, _)| picture))
    }

    fn decoded(picture: &EncodedPicture) -> Vec<u8> {
        let mut reader = png::Decoder::new(Cursor::new(&picture.bytes)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels with right checksums");
        pixels
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_pixel_comes_back(width in 1_u32..400, height in 1_u32..300, kind in samples::kinds()) {
            let frame = samples::frame(kind, width, height);
            prop_assert!(decoded(&encode(&frame).expect("encoded")) == frame.rgb());
        }
    }

    #[test]
    fn every_pixel_of_a_picture_of_many_strips_comes_back() {
        for kind in samples::KINDS {
            // The second one has rows that are longer than the window of deflate.
            for (width, height) in [(1001, 777), (12_000, 60)] {
                let frame = samples::frame(kind, width, height);
                assert!(
                    decoded(&encode(&frame).expect("encoded")) == frame.rgb(),
                    "{kind:?} {width}x{height}"
                );
            }
        }
    }

    #[test]
    fn a_limit_is_kept_to_the_byte() {
        for kind in samples::KINDS {
            let frame = samples::frame(kind, 301, 177);
            let size = encode(&frame).expect("encoded").bytes.len();
            let within =
                |most| encode_within(&frame, most).expect("encoded").map(|picture| picture.bytes.len());
            assert_eq!([within(size), within(size - 1), within(0)], [Some(size), None, None]);
        }
    }

    #[test]
    fn a_block_that_is_full_just_when_the_rows_end_is_understood() {
        // 256 bytes a row with the filter's, 65,536 a block.
        for height in [256, 512] {
            let frame = samples::frame(samples::Kind::Noise, 85, height);
            assert!(decoded(&encode(&frame).expect("encoded")) == frame.rgb(), "{height} rows");
        }
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
