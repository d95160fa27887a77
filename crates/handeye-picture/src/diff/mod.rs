//! The comparison of two pictures: how many pixels differ, where, and a picture that shows it. Pure: no files, no screen.
//!
//! Two ways to compare: [`Mode::Pixel`] judges each pixel by itself ([`pixel`]), [`Mode::Perceptual`] what an observer sees around it
//! ([`perceptual`]). Both give the same result whichever of the two pictures comes first.

mod ignored;
mod kind;
mod overlay;
mod perceptual;
mod pixel;
mod regions;
mod view;

pub use kind::Mode;

use crate::threads;
use handeye_core::{Error, ErrorCode, Frame, InPicture, Rect, Result, Size};
use ignored::Ignored;
use kind::Kind;
use view::Pair;

/// Rows of a strip, which one thread compares at a time.
const STRIP: u32 = 64;

/// What was found in the rows of a strip; nothing is kept of rows without a difference.
#[derive(Debug, Default)]
struct Strip {
    compared: u64,
    different: u64,
    antialiased: u64,
    /// A value for each pixel of the strip, if there is a difference.
    kinds: Option<Vec<Kind>>,
}

/// What two pictures have in common, and what not.
#[derive(Debug)]
pub struct Comparison {
    /// The smallest size that holds both pictures: what only one of them has is different.
    pub size: Size,
    /// Pixels that were compared: all that are not ignored.
    pub total: u64,
    /// Those of them that differ.
    pub different: u64,
    /// Those that differ only in how an edge is smoothed; they are not counted as different.
    pub antialiased: u64,
    /// Rectangles around what differs, those with the most different pixels first.
    pub regions: Vec<Rect<InPicture>>,
    strips: Vec<Strip>,
    ignored: Ignored,
}

impl Comparison {
    /// How much differs, in percent of what was compared.
    pub fn percentage(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.different as f64 * 100.0 / self.total as f64 }
    }

    /// A picture of the differences: `current` in pale grey, what differs in red, smoothed edges in yellow, what is ignored in pale blue.
    ///
    /// # Errors
    /// [`ErrorCode::CaptureFailed`] if the pixels do not make up a picture.
    pub fn overlay(&self, current: &Frame) -> Result<Frame> {
        overlay::draw(self, current)
    }

    /// What was found in a row; `None` where nothing differs.
    fn row(&self, y: u32) -> Option<&[Kind]> {
        let kinds = self.strips.get((y / STRIP) as usize)?.kinds.as_ref()?;
        let width = self.size.width as usize;
        kinds.get((y % STRIP) as usize * width..)?.get(..width)
    }
}

/// Compares two pictures, without what lies in the `ignored` rectangles. Takes milliseconds: call it away from the threads that serve calls.
///
/// # Errors
/// [`ErrorCode::CaptureFailed`] if the pixels of one do not make up a picture.
pub fn compare(
    baseline: &Frame,
    current: &Frame,
    mode: Mode,
    ignored: &[Rect<InPicture>],
) -> Result<Comparison> {
    let pair = Pair::of(baseline, current).ok_or_else(no_picture)?;
    let ignored = Ignored::new(ignored, pair.canvas);
    let count = pair.canvas.height.div_ceil(STRIP);
    let strips = threads::each(count as usize, |number| {
        let first = number as u32 * STRIP;
        strip(&pair, mode, &ignored, first..(first + STRIP).min(pair.canvas.height))
    });
    let sum = |of: fn(&Strip) -> u64| strips.iter().map(of).sum();
    let mut comparison = Comparison {
        size: pair.canvas,
        total: sum(|strip| strip.compared),
        different: sum(|strip| strip.different),
        antialiased: sum(|strip| strip.antialiased),
        regions: Vec::new(),
        strips,
        ignored,
    };
    comparison.regions = regions::around(&comparison);
    Ok(comparison)
}

/// Compares these rows.
fn strip(pair: &Pair<'_>, mode: Mode, ignored: &Ignored, rows: std::ops::Range<u32>) -> Strip {
    let mut found = Strip::default();
    let width = pair.canvas.width as usize;
    let pixels = width * rows.len();
    // Most strips of most pictures are equal, and then nothing else is looked at.
    let equal = pair.is_equal(mode, &rows);
    for y in rows.clone() {
        for span in ignored.compared(y) {
            found.compared += span.len() as u64;
            if equal {
                continue;
            }
            let kinds = found.kinds.get_or_insert_with(|| vec![Kind::Equal; pixels]);
            let row = &mut kinds[(y - rows.start) as usize * width..][..width];
            match mode {
                Mode::Pixel { tolerate_antialiasing } => {
                    pixel::compare(pair, y, span.clone(), tolerate_antialiasing, row);
                }
                Mode::Perceptual => perceptual::compare(pair, y, span.clone(), row),
            }
            pair.beyond(y, span.clone(), row);
            for kind in &row[span.start as usize..span.end as usize] {
                found.different += u64::from(*kind == Kind::Different);
                found.antialiased += u64::from(*kind == Kind::Antialiased);
            }
        }
    }
    if found.different + found.antialiased == 0 {
        found.kinds = None;
    }
    found
}

fn no_picture() -> Error {
    Error::new(ErrorCode::CaptureFailed, "the captured pixels do not make up a picture")
}

#[cfg(test)]
mod tests;
