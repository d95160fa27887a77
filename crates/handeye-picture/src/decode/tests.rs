use super::*;
use handeye_core::Rect;
use image::{ExtendedColorType, ImageEncoder, Rgba, RgbaImage};
use proptest::prelude::*;

/// A picture with a colour of its own for every pixel; its right half is transparent where the format can.
fn sample(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        Rgba([(x * 7 % 256) as u8, (y * 11 % 256) as u8, 128, if x * 2 < width { 255 } else { 0 }])
    })
}

fn encoded(picture: &RgbaImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => DynamicImage::from(picture.clone()).to_rgb8().write_to(&mut file, format),
        _ => picture.write_to(&mut file, format),
    }
    .expect("encoded");
    file.into_inner()
}

fn message(file: &[u8]) -> String {
    let error = decode(file).expect_err("no picture");
    assert_eq!(error.code, ErrorCode::UnsupportedImage);
    error.message
}

const FORMATS: [ImageFormat; 3] = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP];

#[test]
fn every_format_gives_its_pixels_with_transparency_on_white() {
    let picture = sample(40, 30);
    for format in FORMATS {
        let frame = decode(&encoded(&picture, format)).expect("a picture");
        assert_eq!(frame.whole(), Rect::new(0, 0, 40, 30));
        assert_eq!(frame.rgb().len(), 40 * 30 * 3);
        if format != ImageFormat::Jpeg {
            assert_eq!(frame.rgb()[..6], [0, 0, 128, 7, 0, 128]);
            assert_eq!(frame.rgb()[39 * 3..40 * 3], [255, 255, 255]);
        }
    }
}

#[test]
fn half_transparent_pixels_are_between_their_colour_and_white() {
    let picture = RgbaImage::from_pixel(1, 1, Rgba([0, 100, 255, 128]));
    assert_eq!(decode(&encoded(&picture, ImageFormat::Png)).expect("a picture").rgb(), [127, 177, 255]);
}

#[test]
fn grey_palette_and_sixteen_bit_pictures_are_read() {
    let mut grey = Vec::new();
    let writer = image::codecs::png::PngEncoder::new(&mut grey);
    writer.write_image(&[0, 90, 200, 255], 2, 2, ExtendedColorType::L8).expect("encoded");
    assert_eq!(decode(&grey).expect("grey").rgb(), [0, 0, 0, 90, 90, 90, 200, 200, 200, 255, 255, 255]);
    let mut deep = Vec::new();
    let samples: Vec<u8> = [0xffff_u16, 0, 0x8000].iter().flat_map(|sample| sample.to_ne_bytes()).collect();
    let writer = image::codecs::png::PngEncoder::new(&mut deep);
    writer.write_image(&samples, 1, 1, ExtendedColorType::Rgb16).expect("encoded");
    assert_eq!(decode(&deep).expect("deep").rgb(), [255, 0, 128]);
}

#[test]
fn what_is_cut_off_is_reported_at_every_length() {
    for format in FORMATS {
        let file = encoded(&sample(64, 64), format);
        for length in [4, 20, 64, file.len() / 2, file.len() * 9 / 10] {
            message(&file[..length]);
        }
    }
}

#[test]
fn a_jpeg_without_its_end_is_cut_off() {
    let file = encoded(&sample(64, 64), ImageFormat::Jpeg);
    assert!(message(&file[..file.len() - 2]).contains("cut off"));
}

#[test]
fn other_formats_and_no_pictures_are_named() {
    assert!(message(b"GIF89a\x01\x00\x01\x00").contains("image/gif"));
    assert!(message(b"").contains("empty"));
    assert!(message(b"#!/bin/sh\necho hello\n").contains("not a picture"));
    assert!(message(&vec![0; MAX_FILE_BYTES + 1]).contains("too large"));
}

/// A PNG of that size whose pixels are all zero, compressed: a kilobyte of file for a megabyte of pixels.
fn bomb(width: u32, height: u32, rows: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a header");
    let mut pixels = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let row = vec![0; width as usize * 3 + 1];
    for _ in 0..rows {
        std::io::Write::write_all(&mut pixels, &row).expect("compressed");
    }
    writer.write_chunk(png::chunk::IDAT, &pixels.finish().expect("compressed")).expect("a chunk");
    drop(writer);
    file
}

#[test]
fn a_decompression_bomb_is_refused_before_it_is_decoded() {
    let bomb = bomb(30_000, 30_000, 200);
    assert!(bomb.len() < 100_000, "{} bytes", bomb.len());
    // One that is decoded says that its data ends early.
    assert!(message(&bomb).contains("30000x30000"));
}

#[test]
fn more_data_than_pixels_is_not_kept() {
    // A small picture with a hundred times the data that it needs.
    let frame = decode(&bomb(100, 100, 10_000)).expect("a picture");
    assert_eq!(frame.rgb().len(), 100 * 100 * 3);
}

#[test]
fn huge_sides_are_refused_in_every_format() {
    let mut png = encoded(&sample(4, 4), ImageFormat::Png);
    png[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    message(&png);
    let mut jpeg = encoded(&sample(4, 4), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|marker| marker == [0xff, 0xc0]).expect("a frame header");
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    message(&jpeg);
}

#[test]
fn a_photograph_is_turned_as_its_camera_says() {
    let jpeg = encoded(&sample(40, 30), ImageFormat::Jpeg);
    // An EXIF segment with one entry: orientation 6, a quarter turn.
    let exif: &[u8] =
        b"\xff\xe1\x00\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let turned = [&jpeg[..2], exif, &jpeg[2..]].concat();
    assert_eq!(decode(&turned).expect("a picture").whole(), Rect::new(0, 0, 30, 40));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever happens to a file, it is a picture within the limits or an error.
    #[test]
    fn damaged_files_never_panic_and_never_exceed_the_limits(
        format in 0_usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
        doubled in prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>())),
    ) {
        let mut file = encoded(&sample(33, 21), FORMATS[format]);
        for (index, byte) in changes {
            let at = index.index(file.len());
            file[at] = byte;
        }
        if let Some((from, to)) = doubled {
            let (from, to) = (from.index(file.len()), to.index(file.len()));
            let part = file[from.min(to)..from.max(to)].to_vec();
            let at = from.max(to);
            file.splice(at..at, part);
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        check(&file)?;
    }

    #[test]
    fn noise_is_no_picture_and_no_fault(
        start in prop::sample::select(vec![&b"\x89PNG\r\n\x1a\n"[..], b"\xff\xd8\xff\xe0", b"RIFF\x40\0\0\0WEBPVP8L", b"RIFF\x40\0\0\0WEBPVP8 ", b""]),
        noise in prop::collection::vec(any::<u8>(), 0..2000),
    ) {
        check(&[start, &noise].concat())?;
    }
}

fn check(file: &[u8]) -> std::result::Result<(), TestCaseError> {
    match decode(file) {
        Ok(frame) => {
            let pixels = u64::from(frame.size().width) * u64::from(frame.size().height);
            prop_assert!(pixels > 0 && pixels <= MAX_PIXELS);
            prop_assert_eq!(frame.rgb().len() as u64, pixels * 3);
        }
        Err(error) => prop_assert_eq!(error.code, ErrorCode::UnsupportedImage),
    }
    Ok(())
}
