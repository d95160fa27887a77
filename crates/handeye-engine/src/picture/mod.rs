//! Pictures as files: encoding, scaling and decoding. Everything here computes and nothing waits; callers on the async
//! runtime go through [`away`].

mod decode;
mod deflate;
mod filter;
mod jpeg;
mod png;
#[cfg(test)]
mod samples;
mod scale;
mod threads;

pub use decode::{MAX_FILE_BYTES, decode};
pub use scale::{Limits, fit};
pub use threads::away;

use crate::operation::Picture;
use handeye_core::{Frame, Result};

/// How a picture is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Exact.
    #[default]
    Png,
    /// Small, with losses.
    Jpeg,
}

impl Format {
    /// For example `image/png`.
    pub const fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }

    /// The ending of a file's name, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
        }
    }
}

/// JPEG quality of everything that is delivered, of 100.
pub const JPEG_QUALITY: u8 = 80;

/// Encodes a frame.
pub fn encode(frame: &Frame, format: Format) -> Result<Picture> {
    match format {
        Format::Png => png::encode(frame),
        Format::Jpeg => jpeg::encode(frame, JPEG_QUALITY),
    }
}

/// Encodes a frame for an answer: JPEG, or PNG where that is smaller.
pub fn encode_smallest(frame: &Frame) -> Result<Picture> {
    let (png, jpeg) = (encode(frame, Format::Png)?, encode(frame, Format::Jpeg)?);
    Ok(if png.bytes.len() <= jpeg.bytes.len() { png } else { jpeg })
}
