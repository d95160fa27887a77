//! Frames to PNG, by the encoder of `handeye-png`.

use super::threads::Shared;
use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, ErrorCode, Frame, Result};
use handeye_png::Picture;

/// Encodes a frame as PNG. Takes milliseconds: call it away from the threads that serve calls.
pub(super) fn encode(frame: &Frame) -> Result<EncodedPicture> {
    encode_within(frame, usize::MAX)?.ok_or_else(|| Error::internal("a picture without a limit is too large"))
}

/// Encodes a frame as PNG; `None`, as soon as that is known, if the file would have more bytes than this.
pub(super) fn encode_within(frame: &Frame, most: usize) -> Result<Option<EncodedPicture>> {
    let picture = Picture::new(frame.size().width, frame.size().height, frame.rgb())
        .map_err(|_| Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"))?;
    let bytes = picture.to_png_within(most, &Shared);
    Ok(bytes.map(|bytes| EncodedPicture { mime_type: "image/png", bytes }))
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use handeye_core::Rect;
    use proptest::prelude::*;
    use std::io::Cursor;

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
