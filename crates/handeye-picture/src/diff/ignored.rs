//! The parts of a picture that are not compared.

use handeye_core::{InPicture, Rect, Size};
use std::ops::Range;

/// Rectangles inside of a picture that are not compared. They may overlap: a pixel is ignored once.
#[derive(Debug)]
pub(super) struct Ignored {
    areas: Vec<Rect<InPicture>>,
    width: u32,
}

impl Ignored {
    /// What of these rectangles lies in a picture of this size.
    pub(super) fn new(areas: &[Rect<InPicture>], size: Size) -> Self {
        let whole = Rect::new(0, 0, size.width, size.height);
        let mut areas: Vec<_> = areas.iter().filter_map(|area| area.intersection(&whole)).collect();
        areas.sort_by_key(|area| area.x);
        Self { areas, width: size.width }
    }

    /// The parts of a row that are compared, from the left.
    pub(super) fn compared(&self, y: u32) -> Vec<Range<u32>> {
        let mut spans = Vec::new();
        let mut from = 0;
        for ignored in self.at(y) {
            if ignored.start > from {
                spans.push(from..ignored.start);
            }
            from = from.max(ignored.end);
        }
        if from < self.width {
            spans.push(from..self.width);
        }
        spans
    }

    /// The ignored parts of a row, by their beginning; they may overlap.
    pub(super) fn at(&self, y: u32) -> impl Iterator<Item = Range<u32>> {
        self.areas
            .iter()
            .filter(move |area| area.y.unsigned_abs() <= y && y < area.bottom().unsigned_abs())
            .map(
                // Inside of a picture nothing is negative.
                |area| area.x.unsigned_abs()..area.right().unsigned_abs(),
            )
    }
}
