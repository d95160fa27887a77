//! Where two pictures differ: rectangles around what lies together.

use super::Comparison;
use super::kind::Kind;
use handeye_core::{InPicture, Rect};

/// The side of a cell, in pixels: differences in neighbouring cells belong together.
const CELL: usize = 16;

/// What differs in a cell.
#[derive(Debug, Clone, Copy)]
struct Found {
    pixels: u64,
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

impl Found {
    fn with(self, other: Self) -> Self {
        Self {
            pixels: self.pixels + other.pixels,
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// Rectangles around what differs, those with the most different pixels first.
pub(super) fn around(comparison: &Comparison) -> Vec<Rect<InPicture>> {
    let columns = (comparison.size.width as usize).div_ceil(CELL);
    let mut cells = cells(comparison, columns);
    let mut regions = Vec::new();
    for start in 0..cells.len() {
        let Some(mut region) = cells[start].take() else { continue };
        let mut open = vec![start];
        while let Some(cell) = open.pop() {
            for next in around_cell(cell, columns, cells.len()) {
                if let Some(found) = cells[next].take() {
                    region = region.with(found);
                    open.push(next);
                }
            }
        }
        regions.push(region);
    }
    regions.sort_by_key(|region| std::cmp::Reverse(region.pixels));
    regions.into_iter().map(rectangle).collect()
}

/// What differs in each cell, row by row.
fn cells(comparison: &Comparison, columns: usize) -> Vec<Option<Found>> {
    let mut cells = vec![None; columns * (comparison.size.height as usize).div_ceil(CELL)];
    if comparison.different == 0 {
        return cells;
    }
    for y in 0..comparison.size.height {
        let Some(row) = comparison.row(y) else { continue };
        let y = y as usize;
        for (column, kinds) in row.chunks(CELL).enumerate() {
            let is_different = |kind: &Kind| *kind == Kind::Different;
            let Some(left) = kinds.iter().position(is_different) else { continue };
            let right = kinds.iter().rposition(is_different).unwrap_or(left);
            let pixels = kinds.iter().filter(|kind| is_different(kind)).count() as u64;
            let start = column * CELL;
            let found = Found { pixels, left: start + left, top: y, right: start + right, bottom: y };
            let cell: &mut Option<Found> = &mut cells[y / CELL * columns + column];
            *cell = Some(cell.map_or(found, |before| before.with(found)));
        }
    }
    cells
}

/// The cells around a cell.
fn around_cell(cell: usize, columns: usize, count: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (cell / columns, cell % columns);
    let rows = row.saturating_sub(1)..=(row + 1).min(count / columns - 1);
    rows.flat_map(move |row| {
        (column.saturating_sub(1)..=(column + 1).min(columns - 1)).map(move |column| row * columns + column)
    })
}

fn rectangle(found: Found) -> Rect<InPicture> {
    let length = |from: usize, to: usize| (to - from + 1) as u32;
    Rect::new(
        found.left as i32,
        found.top as i32,
        length(found.left, found.right),
        length(found.top, found.bottom),
    )
}
