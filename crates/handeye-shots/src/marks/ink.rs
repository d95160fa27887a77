//! Where a picture has something to read: letters, icons, edges.

use handeye_core::{Frame, InPicture, Rect};

/// How much two neighbouring pixels must differ to count as an edge, of 255.
const EDGE: i32 = 24;
/// Pixels of the picture that one cell of the map stands for, in each direction.
const CELL: u32 = 2;

/// How many edges every part of a picture has: sums over cells of 2x2 pixels, so that a rectangle costs four look-ups.
pub(super) struct Ink {
    columns: usize,
    rows: usize,
    sums: Vec<u32>,
}

impl Ink {
    /// The edges of a picture.
    pub(super) fn of(frame: &Frame) -> Self {
        let (width, height) = (frame.size().width as usize, frame.size().height as usize);
        let cell = CELL as usize;
        let (columns, rows) = (width.div_ceil(cell), height.div_ceil(cell));
        let mut sums = vec![0; (columns + 1) * (rows + 1)];
        let mut line = vec![0; columns];
        for row in 0..rows {
            line.fill(0);
            for y in row * cell..((row + 1) * cell).min(height) {
                let here = &frame.rgb()[y * width * 3..(y + 1) * width * 3];
                let below = frame.rgb().get((y + 1) * width * 3..(y + 2) * width * 3).unwrap_or(here);
                for x in 0..width {
                    let right = if x + 1 < width { light(here, x + 1) } else { light(here, x) };
                    let middle = light(here, x);
                    if (right - middle).abs() > EDGE || (light(below, x) - middle).abs() > EDGE {
                        line[x / cell] += 1;
                    }
                }
            }
            let mut left = 0;
            for (column, count) in line.iter().enumerate() {
                left += count;
                let above = sums[row * (columns + 1) + column + 1];
                sums[(row + 1) * (columns + 1) + column + 1] = above + left;
            }
        }
        Self { columns, rows, sums }
    }

    /// The share of the pixels of `part` that are edges, 0 to 1.
    pub(super) fn share(&self, part: &Rect<InPicture>) -> f64 {
        let column = |x: i32| (x.max(0).unsigned_abs() / CELL) as usize;
        let (left, top) = (column(part.x).min(self.columns), column(part.y).min(self.rows));
        let (right, bottom) = (
            column(part.right().saturating_add(1)).min(self.columns),
            column(part.bottom().saturating_add(1)).min(self.rows),
        );
        let at = |x: usize, y: usize| u64::from(self.sums[y * (self.columns + 1) + x]);
        let cells = (right.saturating_sub(left) * bottom.saturating_sub(top)) as f64;
        if cells == 0.0 {
            return 0.0;
        }
        let edges = (at(right, bottom) + at(left, top)).saturating_sub(at(left, bottom) + at(right, top));
        edges as f64 / (cells * f64::from(CELL * CELL))
    }
}

/// How light the pixel `x` of a row is, 0 to 255.
fn light(row: &[u8], x: usize) -> i32 {
    let at = x * 3;
    (i32::from(row[at]) * 77 + i32::from(row[at + 1]) * 151 + i32::from(row[at + 2]) * 28) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_surface_has_none_and_stripes_have_much() {
        let area = Rect::new(0, 0, 21, 13);
        let even = Ink::of(&Frame::new(area, vec![200; 21 * 13 * 3]));
        let striped =
            (0..13).flat_map(|_| (0..21).flat_map(|x| [if x % 2 == 0 { 0 } else { 255 }; 3])).collect();
        let striped = Ink::of(&Frame::new(area, striped));
        for part in [
            Rect::new(0, 0, 21, 13),
            Rect::new(5, 3, 9, 4),
            Rect::new(-9, -9, 90, 90),
            Rect::new(20, 12, 1, 1),
        ] {
            assert!(even.share(&part) < 0.01, "{part:?}");
        }
        assert!(striped.share(&Rect::new(2, 2, 12, 8)) > 0.9);
    }
}
