//! Files to pixels: PNG, JPEG and WebP from untrusted sources. The content decides what a file is, and what it costs is known before it is
//! decoded.

use handeye_core::{Error, ErrorCode, Frame, Result, Size};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use std::io::Cursor;

/// Most bytes of a file.
pub const MAX_FILE_BYTES: usize = 64 * 1024 * 1024;
/// Most pixels of a picture: more than four 4K screens side by side.
pub const MAX_PIXELS: u64 = 40_000_000;
/// Most pixels of a side.
const MAX_SIDE: u32 = 32_768;
/// Most bytes that the decoded picture takes: [`MAX_PIXELS`] with 16 bits for each of four channels.
const MAX_DECODED_BYTES: u64 = MAX_PIXELS * 8;
/// What JPEG files begin with.
const JPEG_START: [u8; 2] = [0xff, 0xd8];

/// Decodes a picture: 8-bit RGB, transparent parts on white, turned as its EXIF data says. The first frame of an animation.
///
/// # Errors
/// [`UnsupportedImage`](ErrorCode::UnsupportedImage) if it is another format, damaged, cut off, or beyond the limits.
pub fn decode(file: &[u8]) -> Result<Frame> {
    if file.len() > MAX_FILE_BYTES {
        return Err(too_large(&format!("{} bytes; at most {MAX_FILE_BYTES} are read", file.len())));
    }
    let format = format(file)?;
    if format == ImageFormat::Jpeg && !jpeg_is_whole(file) {
        return Err(damaged("it is cut off"));
    }
    let mut reader = ImageReader::with_format(Cursor::new(file), format);
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| fault(&error))?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS || decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(too_large(&format!(
            "{width}x{height} pixels; at most {MAX_PIXELS} altogether are decoded"
        )));
    }
    if width == 0 || height == 0 {
        return Err(damaged("it has no pixels"));
    }
    // A picture whose EXIF data makes no sense is shown as it is.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| fault(&error))?;
    picture.apply_orientation(orientation);
    let size = Size::new(picture.width(), picture.height());
    let rgb = if picture.color().has_alpha() { on_white(picture) } else { picture.into_rgb8().into_raw() };
    Ok(Frame::unplaced(size, rgb))
}

/// What the content says that it is.
fn format(file: &[u8]) -> Result<ImageFormat> {
    match image::guess_format(file) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) => Ok(format),
        Ok(other) => Err(unsupported(format!("the file is a picture of type {}", other.to_mime_type()))),
        Err(_) if file.is_empty() => Err(unsupported("the file is empty")),
        Err(_) => Err(unsupported("the file is not a picture")),
    }
}

/// Lays a transparent picture on white.
fn on_white(picture: DynamicImage) -> Vec<u8> {
    let rgba = picture.into_rgba8().into_raw();
    let mut rgb = Vec::with_capacity(rgba.len() / 4 * 3);
    for pixel in rgba.chunks_exact(4) {
        let alpha = u32::from(pixel[3]);
        // Between the colour and white; both are at most 255, so the result is too.
        rgb.extend(
            pixel[..3]
                .iter()
                .map(|&colour| ((u32::from(colour) * alpha + 255 * (255 - alpha) + 127) / 255) as u8),
        );
    }
    rgb
}

/// Whether a JPEG has its end. The decoder would fill what is missing with grey, and the answer would be about that.
fn jpeg_is_whole(file: &[u8]) -> bool {
    const END: u8 = 0xd9;
    const START_OF_SCAN: u8 = 0xda;
    let Some(mut rest) = file.strip_prefix(&JPEG_START) else { return false };
    let mut in_scan = false;
    loop {
        // Within a scan, bytes that are not a marker are its data.
        if in_scan {
            let Some(at) = rest.iter().position(|&byte| byte == 0xff) else { return false };
            rest = &rest[at..];
        }
        match rest {
            [0xff, END, ..] => return true,
            // Filling, a data byte of 0xff, restarts, and markers without content.
            [0xff, 0xff, ..] => rest = &rest[1..],
            [0xff, 0x00 | 0x01 | 0xd0..=0xd8, after @ ..] => rest = after,
            [0xff, marker, high, low, ..] => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                let Some(after) = rest.get(2 + length.max(2)..) else { return false };
                in_scan = *marker == START_OF_SCAN;
                rest = after;
            }
            // Junk between segments, which decoders skip.
            [byte, after @ ..] if *byte != 0xff => rest = after,
            _ => return false,
        }
    }
}

fn fault(error: &ImageError) -> Error {
    match error {
        ImageError::Limits(_) => too_large(&format!("it cannot be decoded within the limits: {error}")),
        ImageError::IoError(_) => damaged("it is cut off"),
        _ => damaged(&error.to_string()),
    }
}

fn damaged(why: &str) -> Error {
    unsupported(format!("the picture is damaged: {why}"))
}

fn too_large(what: &str) -> Error {
    unsupported(format!("the picture is too large: {what}"))
        .with_next("Scale it down or cut out a part first.")
}

fn unsupported(message: impl Into<String>) -> Error {
    let error = Error::new(ErrorCode::UnsupportedImage, message);
    error.with_next("PNG, JPEG and WebP files can be read.")
}

#[cfg(test)]
mod tests;
