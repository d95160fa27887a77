//! Whatever the sides and the bytes are, another decoder gives every pixel back, with the checksums right.

#[path = "../src/samples.rs"]
pub mod samples;

use handeye_png::{OneThread, Picture};
use proptest::prelude::*;
use samples::KINDS;
use std::io::Cursor;

/// Width, height and pixels as the `png` crate reads them.
fn decoded(file: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.ignore_checksums(false);
    let mut reader = decoder.read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels with right checksums");
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    reader.finish().expect("nothing but the end after the pixels");
    (info.width, info.height, pixels)
}

fn comes_back(width: u32, height: u32, rgb: &[u8]) -> bool {
    let file = Picture::new(width, height, rgb).expect("a picture").to_png();
    decoded(&file) == (width, height, rgb.to_vec())
}

/// Sides of small pictures, and of such that have one row or one column.
fn sides() -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![
        4 => (1_u32..70, 1_u32..70),
        1 => (1_u32..9000).prop_map(|width| (width, 1)),
        1 => (1_u32..9000).prop_map(|height| (1, height)),
        1 => (10_900_u32..10_950, 1_u32..4),
    ]
}

/// As many bytes as are asked for, of the kinds that an encoder may stumble over: noise, few values, runs and repetitions at
/// distances and of lengths about the limits of deflate, and all of these after another.
fn bytes(count: usize) -> impl Strategy<Value = Vec<u8>> {
    let near = |limit: usize| limit - 3..limit + 4;
    let distance = prop_oneof![1_usize..20, near(258), near(32 * 1024), 1_usize..40_000];
    let length = prop_oneof![1_usize..20, near(258), near(2 * 258), near(32 * 1024), 1_usize..9000];
    let piece = prop_oneof![
        (any::<u8>(), length.clone()).prop_map(|(byte, times)| Piece::Bytes(vec![byte; times])),
        prop::collection::vec(any::<u8>(), 1..400).prop_map(Piece::Bytes),
        prop::collection::vec(prop::sample::select(vec![0_u8, 1, 127, 128, 255]), 1..400)
            .prop_map(Piece::Bytes),
        (distance, length).prop_map(|(distance, length)| Piece::Repetition { distance, length }),
    ];
    prop::collection::vec(piece, 1..30).prop_map(move |pieces| {
        let mut bytes = Vec::with_capacity(count);
        for piece in pieces.iter().cycle() {
            match piece {
                Piece::Bytes(some) => bytes.extend_from_slice(some),
                Piece::Repetition { distance, length } => {
                    let from = bytes.len().saturating_sub(*distance);
                    let length = if bytes.is_empty() { 0 } else { *length };
                    (from..from + length).for_each(|place| bytes.push(bytes[place]));
                    bytes.push(length as u8);
                }
            }
            if bytes.len() >= count {
                break;
            }
        }
        bytes.truncate(count);
        bytes
    })
}

#[derive(Debug, Clone)]
enum Piece {
    Bytes(Vec<u8>),
    Repetition { distance: usize, length: usize },
}

/// Sides, and bytes for them.
fn pictures() -> impl Strategy<Value = (u32, u32, Vec<u8>)> {
    sides().prop_flat_map(|(width, height)| {
        (Just(width), Just(height), bytes(width as usize * height as usize * 3))
    })
}

proptest! {
    #[test]
    fn adversarial_bytes_come_back((width, height, rgb) in pictures()) {
        prop_assert!(comes_back(width, height, &rgb));
    }

    #[test]
    fn a_limit_is_kept((width, height, rgb) in pictures(), most in 0_usize..4000) {
        let picture = Picture::new(width, height, &rgb).expect("a picture");
        let whole = picture.to_png();
        let within = picture.to_png_within(most, &OneThread);
        prop_assert_eq!(within, (whole.len() <= most).then_some(whole));
    }
}

#[test]
fn pictures_of_one_row_and_of_one_column_come_back() {
    for kind in KINDS {
        for (width, height) in [(1, 1), (2, 1), (1, 2), (1, 700_000), (700_000, 1), (350_000, 2)] {
            assert!(
                comes_back(width, height, &samples::rgb(kind, width, height)),
                "{kind:?} {width}x{height}"
            );
        }
    }
}

#[test]
fn rows_about_as_long_as_the_window_of_deflate_come_back() {
    for kind in KINDS {
        for width in 10_921..=10_924 {
            assert!(comes_back(width, 40, &samples::rgb(kind, width, 40)), "{kind:?} {width} wide");
        }
    }
}

#[test]
fn a_file_is_hardly_larger_than_its_pixels_in_the_worst_case() {
    for (width, height) in [(1, 1), (85, 256), (700, 500)] {
        let rgb = samples::rgb(samples::Kind::Noise, width, height);
        let file = Picture::new(width, height, &rgb).expect("a picture").to_png();
        // A byte a row for its filter, and the codes of each block.
        let most = rgb.len() + rgb.len() / 100 + height as usize + 128;
        assert!(file.len() <= most, "{width}x{height}: {} bytes", file.len());
    }
}
