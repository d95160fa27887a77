//! Pictures as files: encoding, scaling and decoding. Everything here computes and nothing waits; callers on the async
//! runtime go through [`away`].

mod decode;
pub mod diff;
mod jpeg;
mod legible;
mod png;
#[cfg(test)]
mod samples;
mod scale;
mod successive;
mod threads;

pub use decode::{MAX_FILE_BYTES, MAX_PIXELS, decode};
pub use legible::{grey, stand_out};
pub use scale::{Limits, fit, fit_after};
pub use successive::{Formats, Successive};
pub use threads::away;

use handeye_core::vision::EncodedPicture;
use handeye_core::{Frame, Result};
use std::sync::Arc;

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
pub fn encode(frame: &Frame, format: Format) -> Result<EncodedPicture> {
    match format {
        Format::Png => png::encode(frame),
        Format::Jpeg => jpeg::encode(frame),
    }
}

/// Encodes a frame for an answer: JPEG, or PNG where that is not larger.
pub fn encode_smallest(frame: &Frame) -> Result<EncodedPicture> {
    let encoded = Successive::encode(frame, Formats::Smallest, None)?;
    Ok(Arc::unwrap_or_clone(encoded.picture))
}
