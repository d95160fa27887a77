//! Pixels to PNG, fast and small: in strips of rows, each filtered and compressed while it is in the processor's cache.

use super::deflate::deflate;
use super::filter::RowFilter;
use super::threads;
use handeye_core::vision::EncodedPicture;
use handeye_core::{Error, ErrorCode, Frame, Result};
use simd_adler32::Adler32;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a strip, about: small enough for the cache, large enough to find what repeats.
const STRIP: usize = 1024 * 1024;
/// Bytes of a pixel.
const PIXEL: usize = 3;
/// Begins a zlib stream: deflate, 32 KiB window, fast.
const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];

/// Encodes a frame as PNG. Takes milliseconds: call it away from the threads that serve calls.
pub(super) fn encode(frame: &Frame) -> Result<EncodedPicture> {
    encode_within(frame, usize::MAX)?.ok_or_else(|| Error::internal("a picture without a limit is too large"))
}

/// Encodes a frame as PNG; `None`, as soon as that is known, if the file would have more bytes than this.
pub(super) fn encode_within(frame: &Frame, most: usize) -> Result<Option<EncodedPicture>> {
    let row = frame.size().width as usize * PIXEL;
    if row == 0 || frame.rgb.is_empty() || frame.rgb.len() != row * frame.size().height as usize {
        return Err(Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture"));
    }
    let Some(pixels) = compress(&frame.rgb, row, most) else { return Ok(None) };
    let mut bytes = Vec::with_capacity(pixels.len() + 128);
    let mut encoder = png::Encoder::new(&mut bytes, frame.size().width, frame.size().height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|error| fault(&error))?;
    writer.write_chunk(png::chunk::IDAT, &pixels).map_err(|error| fault(&error))?;
    writer.finish().map_err(|error| fault(&error))?;
    Ok((bytes.len() <= most).then_some(EncodedPicture { mime_type: "image/png", bytes }))
}

/// The zlib stream of all rows; `None` if it has more bytes than `most`. Strips are compressed independently: a deflate
/// stream that ends at a byte can be continued by another one.
fn compress(rgb: &[u8], row: usize, most: usize) -> Option<Vec<u8>> {
    let rows = rgb.len() / row;
    let rows_per_strip = (STRIP / row).max(1);
    let count = rows.div_ceil(rows_per_strip);
    let made = AtomicUsize::new(0);
    let strips = threads::each(count, |index| {
        if made.load(Ordering::Relaxed) > most {
            return None;
        }
        let first = index * rows_per_strip;
        let strip = Strip::of(rgb, row, first..rows.min(first + rows_per_strip), index + 1 == count);
        made.fetch_add(strip.deflated.len(), Ordering::Relaxed);
        Some(strip)
    });
    let mut stream = Vec::with_capacity(made.into_inner() + 8);
    stream.extend_from_slice(&ZLIB_HEADER);
    // The checksum of nothing.
    let mut checksum = 1;
    for strip in strips {
        let strip = strip?;
        stream.extend_from_slice(&strip.deflated);
        checksum = joined(checksum, strip.checksum, strip.length);
    }
    stream.extend_from_slice(&checksum.to_be_bytes());
    Some(stream)
}

/// Some rows of a picture, compressed.
struct Strip {
    deflated: Vec<u8>,
    /// Adler-32 of the filtered rows.
    checksum: u32,
    /// How many bytes those had.
    length: usize,
}

impl Strip {
    fn of(rgb: &[u8], row: usize, rows: Range<usize>, last: bool) -> Self {
        let mut filtered = Vec::with_capacity((row + 1) * rows.len());
        let mut filter = RowFilter::new();
        // Above the first row everything counts as zero.
        let black = vec![0; if rows.start == 0 { row } else { 0 }];
        for index in rows {
            let above = index.checked_sub(1).map_or(black.as_slice(), |above| &rgb[above * row..index * row]);
            filter.append(&rgb[index * row..(index + 1) * row], above, &mut filtered);
        }
        let mut adler = Adler32::new();
        adler.write(&filtered);
        Self { deflated: deflate(&filtered, row + 1, last), checksum: adler.finish(), length: filtered.len() }
    }
}

/// The Adler-32 of two pieces of data in a row, from that of each and the length of the second.
fn joined(first: u32, second: u32, second_length: usize) -> u32 {
    const BASE: u64 = 65_521;
    let halves = |sum: u32| (u64::from(sum & 0xffff), u64::from(sum >> 16));
    let ((first_low, first_high), (second_low, second_high)) = (halves(first), halves(second));
    let length = second_length as u64 % BASE;
    let low = (first_low + second_low + BASE - 1) % BASE;
    // The first sum goes into the second one once for each byte that follows, less its own start of 1.
    let high = (first_high + second_high + length * ((first_low + BASE - 1) % BASE)) % BASE;
    (high << 16 | low) as u32
}

fn fault(error: &png::EncodingError) -> Error {
    Error::new(ErrorCode::CaptureFailed, format!("the picture could not be encoded: {error}"))
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
            prop_assert!(decoded(&encode(&frame).expect("encoded")) == frame.rgb);
        }
    }

    #[test]
    fn every_pixel_of_a_picture_of_many_strips_comes_back() {
        for kind in samples::KINDS {
            // The second one has rows that are longer than the window of deflate.
            for (width, height) in [(1001, 777), (12_000, 60)] {
                let frame = samples::frame(kind, width, height);
                assert!(decoded(&encode(&frame).expect("encoded")) == frame.rgb, "{kind:?} {width}x{height}");
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
            assert!(decoded(&encode(&frame).expect("encoded")) == frame.rgb, "{height} rows");
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
