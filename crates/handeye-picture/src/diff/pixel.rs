//! Pixel by pixel: how far two colours are apart, and whether a difference is that of a smoothed edge.
//!
//! The distance is that of Y. Kotsarenko and F. Ramos, "Measuring perceived color difference using YIQ NTSC transmission color space in mobile
//! applications" (2010); smoothed edges are found as V. Vyšniauskas describes in "Anti-aliased pixel and intensity slope detector" (2009).

use super::kind::Kind;
use super::view::{PIXEL, Pair, View};
use handeye_core::Size;
use std::ops::Range;

/// The largest distance that two colours can have.
const LARGEST: f32 = 35_215.0;
/// From which share of the largest distance on, as a length, two colours are different.
const SENSITIVITY: f32 = 0.1;
/// The same as a distance.
const LIMIT: f32 = LARGEST * SENSITIVITY * SENSITIVITY;
/// How many pixels are compared at a time before each is looked at.
const BLOCK: usize = 64;
/// From how many neighbours of the same brightness on a pixel lies in an area and not on an edge.
const IN_AREA: usize = 3;

/// Compares a part of a row.
pub(super) fn compare(pair: &Pair<'_>, y: u32, span: Range<u32>, tolerate: bool, row: &mut [Kind]) {
    let span = pair.shared(y, &span);
    if span.is_empty() {
        return;
    }
    let (one, other) = (pair.one.row(y, span.clone()), pair.other.row(y, span.clone()));
    let row = &mut row[span.start as usize..span.end as usize];
    let blocks = one.chunks(BLOCK * PIXEL).zip(other.chunks(BLOCK * PIXEL)).zip(row.chunks_mut(BLOCK));
    for (number, ((one, other), kinds)) in blocks.enumerate() {
        if one == other {
            continue;
        }
        let pixels = one.chunks_exact(PIXEL).zip(other.chunks_exact(PIXEL)).zip(kinds);
        for (offset, ((one, other), kind)) in pixels.enumerate() {
            if one != other && distance(one, other) > LIMIT {
                let x = span.start + (number * BLOCK + offset) as u32;
                let smoothed = tolerate && is_smoothed(pair, x, y);
                *kind = if smoothed { Kind::Antialiased } else { Kind::Different };
            }
        }
    }
}

/// How far two colours are apart for an observer: 0 to [`LARGEST`].
fn distance(one: &[u8], other: &[u8]) -> f32 {
    let [red, green, blue] = [0, 1, 2].map(|at| f32::from(one[at]) - f32::from(other[at]));
    // The three are linear, so those of the difference are the differences of the three.
    let luma = 0.298_895 * red + 0.586_622 * green + 0.114_482 * blue;
    let in_phase = 0.595_978 * red - 0.274_176 * green - 0.321_802 * blue;
    let quadrature = 0.211_470 * red - 0.522_617 * green + 0.311_147 * blue;
    0.5053 * luma * luma + 0.299 * in_phase * in_phase + 0.1957 * quadrature * quadrature
}

/// Whether the pixel smooths an edge in one of the two pictures.
fn is_smoothed(pair: &Pair<'_>, x: u32, y: u32) -> bool {
    smooths(pair.one, pair.other, pair.common, x, y) || smooths(pair.other, pair.one, pair.common, x, y)
}

/// Whether the pixel smooths an edge of `view`: it is between a darker and a brighter neighbour, of which one lies in an area that both
/// pictures have.
fn smooths(view: View<'_>, other: View<'_>, size: Size, x: u32, y: u32) -> bool {
    let own = brightness(view.pixel(x, y));
    let mut equal = usize::from(is_on_border(size, x, y));
    let (mut darkest, mut brightest) = ((own, None), (own, None));
    for (x, y) in neighbours(size, x, y) {
        let theirs = brightness(view.pixel(x, y));
        if theirs < darkest.0 {
            darkest = (theirs, Some((x, y)));
        } else if theirs > brightest.0 {
            brightest = (theirs, Some((x, y)));
        } else if theirs == own {
            equal += 1;
            if equal >= IN_AREA {
                return false;
            }
        }
    }
    let (Some(darkest), Some(brightest)) = (darkest.1, brightest.1) else { return false };
    [darkest, brightest]
        .into_iter()
        .any(|(x, y)| is_in_area(view, size, x, y) && is_in_area(other, size, x, y))
}

/// Whether enough neighbours of a pixel have its very colour.
fn is_in_area(view: View<'_>, size: Size, x: u32, y: u32) -> bool {
    let own = view.pixel(x, y);
    let border = usize::from(is_on_border(size, x, y));
    border + neighbours(size, x, y).filter(|(x, y)| view.pixel(*x, *y) == own).count() >= IN_AREA
}

/// The brightness, in thousandths, so that equal ones are equal.
fn brightness([red, green, blue]: [u8; PIXEL]) -> u32 {
    299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)
}

fn is_on_border(size: Size, x: u32, y: u32) -> bool {
    x == 0 || y == 0 || x + 1 == size.width || y + 1 == size.height
}

/// The up to eight pixels around a pixel.
fn neighbours(size: Size, x: u32, y: u32) -> impl Iterator<Item = (u32, u32)> {
    let rows = y.saturating_sub(1)..=(y + 1).min(size.height - 1);
    rows.flat_map(move |row| {
        let columns = x.saturating_sub(1)..=(x + 1).min(size.width - 1);
        columns.map(move |column| (column, row))
    })
    .filter(move |place| *place != (x, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_and_white_are_the_farthest_apart_in_brightness_and_the_scale_ends_there() {
        let of = |one: [u8; 3], other: [u8; 3]| distance(&one, &other);
        assert!(of([0; 3], [0; 3]) <= f32::EPSILON);
        let most = (0..64).flat_map(|bits| (0..64).map(move |others| (bits, others))).map(|(one, other)| {
            let corner = |bits: u32| [0, 1, 2].map(|at| if bits >> at & 1 == 1 { 255 } else { 0 });
            of(corner(one), corner(other))
        });
        let most = most.fold(0.0, f32::max);
        assert!((most - LARGEST).abs() < LARGEST * 0.01, "{most}");
        assert!(of([200, 200, 200], [205, 205, 205]) < LIMIT, "nobody sees that");
        assert!(of([200, 200, 200], [120, 200, 200]) > LIMIT, "everybody sees that");
    }
}
