//! Two pictures as they are compared: pixel by pixel from the top left corner.

use super::kind::{Kind, Mode};
use handeye_core::{Frame, Size};
use std::ops::Range;

/// Bytes of a pixel.
pub(super) const PIXEL: usize = 3;

/// The pixels of a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    rgb: &'a [u8],
    width: usize,
}

impl<'a> View<'a> {
    fn of(frame: &'a Frame) -> Option<Self> {
        let Size { width, height } = frame.size();
        let (width, height) = (width as usize, height as usize);
        (width > 0 && height > 0 && frame.rgb().len() == width * height * PIXEL)
            .then_some(Self { rgb: frame.rgb(), width })
    }

    /// The bytes of a part of a row, which has to be inside.
    pub(super) fn row(&self, y: u32, span: Range<u32>) -> &'a [u8] {
        let start = y as usize * self.width;
        &self.rgb[(start + span.start as usize) * PIXEL..(start + span.end as usize) * PIXEL]
    }

    /// A pixel, which has to be inside.
    pub(super) fn pixel(&self, x: u32, y: u32) -> [u8; PIXEL] {
        let start = (y as usize * self.width + x as usize) * PIXEL;
        [self.rgb[start], self.rgb[start + 1], self.rgb[start + 2]]
    }
}

/// Two pictures from the same corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) one: View<'a>,
    pub(super) other: View<'a>,
    /// What both have.
    pub(super) common: Size,
    /// What one of them has.
    pub(super) canvas: Size,
}

impl<'a> Pair<'a> {
    /// `None` if the bytes of one are not as many as its size says.
    pub(super) fn of(one: &'a Frame, other: &'a Frame) -> Option<Self> {
        let (a, b) = (one.size(), other.size());
        Some(Self {
            one: View::of(one)?,
            other: View::of(other)?,
            common: Size::new(a.width.min(b.width), a.height.min(b.height)),
            canvas: Size::new(a.width.max(b.width), a.height.max(b.height)),
        })
    }

    /// Whether these rows are equal to the byte, with the rows around them that a mode looks at.
    pub(super) fn is_equal(&self, mode: Mode, rows: &Range<u32>) -> bool {
        let around = mode.reach();
        let last = rows.end.saturating_add(around).min(self.common.height);
        self.common.width == self.canvas.width
            && rows.end <= self.common.height
            && (rows.start.saturating_sub(around)..last).all(|y| {
                let whole = 0..self.common.width;
                self.one.row(y, whole.clone()) == self.other.row(y, whole)
            })
    }

    /// The part of a span of a row that both have.
    pub(super) fn shared(&self, y: u32, span: &Range<u32>) -> Range<u32> {
        if y < self.common.height {
            span.start..span.end.min(self.common.width).max(span.start)
        } else {
            0..0
        }
    }

    /// Marks what only one of the pictures has.
    pub(super) fn beyond(&self, y: u32, span: Range<u32>, row: &mut [Kind]) {
        let start = if y < self.common.height { span.start.max(self.common.width) } else { span.start };
        if start < span.end {
            row[start as usize..span.end as usize].fill(Kind::Different);
        }
    }
}
