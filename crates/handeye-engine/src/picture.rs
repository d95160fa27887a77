//! Pictures for an answer: pixels to PNG, fast and small.

use crate::operation::Picture;
use handeye_core::{Error, ErrorCode, Frame, Result};

/// Encodes a frame as PNG, away from the threads that serve calls.
pub async fn png(frame: Frame) -> Result<Picture> {
    tokio::task::spawn_blocking(move || encode(&frame))
        .await
        .map_err(|error| Error::internal(format!("the encoder ended early: {error}")))?
}

fn encode(frame: &Frame) -> Result<Picture> {
    let mut bytes = Vec::with_capacity(frame.rgb.len() / 8);
    let mut encoder = png::Encoder::new(&mut bytes, frame.area.width, frame.area.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(|error| fault(&error))?;
    writer.write_image_data(&frame.rgb).map_err(|error| fault(&error))?;
    writer.finish().map_err(|error| fault(&error))?;
    Ok(Picture { mime_type: "image/png", bytes })
}

fn fault(error: &png::EncodingError) -> Error {
    Error::new(ErrorCode::CaptureFailed, format!("the picture could not be encoded: {error}"))
}
