//! Pixels to JPEG.

use crate::operation::Picture;
use handeye_core::{Error, ErrorCode, Frame, Result};
use jpeg_encoder::{ColorType, Encoder};

/// Encodes a frame as JPEG. The format holds at most 65,535 pixels a side.
pub(super) fn encode(frame: &Frame, quality: u8) -> Result<Picture> {
    let side = |length: u32| {
        u16::try_from(length).map_err(|_| {
            Error::new(ErrorCode::CaptureFailed, format!("{length} pixels are too many for a side of a JPEG"))
                .with_next("Save it as PNG, or capture a part of it.")
        })
    };
    let (width, height) = (side(frame.area.width)?, side(frame.area.height)?);
    let mut bytes = Vec::with_capacity(frame.rgb.len() / 8);
    Encoder::new(&mut bytes, quality).encode(&frame.rgb, width, height, ColorType::Rgb).map_err(|error| {
        Error::new(ErrorCode::CaptureFailed, format!("the picture could not be encoded: {error}"))
    })?;
    Ok(Picture { mime_type: "image/jpeg", bytes, about: None })
}
