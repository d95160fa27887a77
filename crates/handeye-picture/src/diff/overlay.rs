//! The picture of the differences.

use super::kind::Kind;
use super::view::PIXEL;
use super::{Comparison, STRIP, no_picture};
use crate::threads;
use handeye_core::{Frame, Result};

/// What differs.
const RED: [u8; PIXEL] = [255, 0, 0];
/// An edge that is smoothed in another way.
const YELLOW: [u8; PIXEL] = [255, 200, 0];
/// By how much red and green of what is ignored are less than its blue.
const BLUE: u8 = 48;

/// Draws what differs on the current picture, which is pale. What only the baseline has is drawn on white.
pub(super) fn draw(comparison: &Comparison, current: &Frame) -> Result<Frame> {
    let (size, own) = (comparison.size, current.size());
    let bytes = own.width as usize * PIXEL;
    if current.rgb().len() != bytes * own.height as usize
        || own.width > size.width
        || own.height > size.height
    {
        return Err(no_picture());
    }
    let strips = threads::each(size.height.div_ceil(STRIP) as usize, |number| {
        let first = number as u32 * STRIP;
        let rows = first..(first + STRIP).min(size.height);
        let mut drawn = Vec::with_capacity(rows.len() * size.width as usize * PIXEL);
        for y in rows {
            let source = current.rgb().get(y as usize * bytes..).and_then(|rest| rest.get(..bytes));
            row(comparison, y, source.unwrap_or_default(), &mut drawn);
        }
        drawn
    });
    let rgb = strips.concat();
    Ok(if size == own { current.resized(size, rgb) } else { Frame::unplaced(size, rgb) })
}

fn row(comparison: &Comparison, y: u32, source: &[u8], drawn: &mut Vec<u8>) {
    let (width, start) = (comparison.size.width as usize, drawn.len());
    drawn.extend(source.chunks_exact(PIXEL).flat_map(|pixel| [pale(pixel); PIXEL]));
    drawn.resize(start + width * PIXEL, 255);
    let drawn = &mut drawn[start..];
    for span in comparison.ignored.at(y) {
        for pixel in drawn[span.start as usize * PIXEL..span.end as usize * PIXEL].chunks_exact_mut(PIXEL) {
            // From the blue, so that an area that is ignored twice looks as any other.
            let tinted = pixel[2].saturating_sub(BLUE);
            pixel[..2].fill(tinted);
        }
    }
    for (pixel, kind) in drawn.chunks_exact_mut(PIXEL).zip(comparison.row(y).unwrap_or_default()) {
        match kind {
            Kind::Equal => {}
            Kind::Different => pixel.copy_from_slice(&RED),
            Kind::Antialiased => pixel.copy_from_slice(&YELLOW),
        }
    }
}

/// Grey, between white and a third of the way to the pixel's own brightness.
fn pale(pixel: &[u8]) -> u8 {
    let brightness = (77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]) + 29 * u32::from(pixel[2])) / 256;
    // At most 255, as the weights are 256 together.
    (255 - (255 - brightness.min(255)) / 3) as u8
}
