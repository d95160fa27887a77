//! As an observer sees it: colours are averaged over what the eye blends at the usual distance, and then compared in a space in which equal
//! distances look equal.
//!
//! That is the idea of X. Zhang and B. Wandell, "A spatial extension of CIELAB for digital color image reproduction" (1997), with a square
//! window for their filters, and averages of encoded values: toolkits smooth edges on those, so that smoothed and plain edges have the same
//! average. From [`LIMIT`] on an observer sees two different colours (W. Mokrzycki and M. Tatol, "Colour difference ΔE: a
//! survey", 2011).

use super::kind::{Kind, RADIUS};
use super::view::{PIXEL, Pair, View};
use std::ops::Range;
use std::sync::LazyLock;

/// The smallest ΔE (CIE 1976) of different colours.
const LIMIT: f32 = 5.0;
/// Steps of the table of [`root`].
const STEPS: usize = 16_384;
/// Steps of the table of [`LIGHT`] for each value of a channel.
const FINE: u32 = 16;

/// The light of each step of a channel (IEC 61966-2-1).
static LIGHT: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let light = |value: f32| {
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let steps = 255 * FINE;
    (0..=steps).map(|step| light(step as f32 / steps as f32)).collect()
});

/// What CIE Lab takes of a share of the white, for each step of it.
static ROOTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let root = |share: f32| {
        if share > 216.0 / 24_389.0 { share.cbrt() } else { (24_389.0 / 27.0 * share + 16.0) / 116.0 }
    };
    (0..=STEPS).map(|step| root(step as f32 / STEPS as f32)).collect()
});

/// Values of red, green and blue, added up.
type Sum = [u32; PIXEL];

/// Compares a part of a row.
pub(super) fn compare(pair: &Pair<'_>, y: u32, span: Range<u32>, row: &mut [Kind]) {
    let span = pair.shared(y, &span);
    if span.is_empty() {
        return;
    }
    let rows = y.saturating_sub(RADIUS)..(y + RADIUS + 1).min(pair.common.height);
    let seen = span.start.saturating_sub(RADIUS)..(span.end + RADIUS).min(pair.common.width);
    let differs = |y: u32| pair.one.row(y, seen.clone()) != pair.other.row(y, seen.clone());
    if !rows.clone().any(differs) {
        return;
    }
    let (one, other) = (columns(pair.one, &rows, &seen), columns(pair.other, &rows, &seen));
    for x in span {
        let window = x.saturating_sub(RADIUS).max(seen.start)..(x + RADIUS + 1).min(seen.end);
        let (from, to) = ((window.start - seen.start) as usize, (window.end - seen.start) as usize);
        if one[from..to] == other[from..to] {
            continue;
        }
        let pixels = (window.len() * rows.len()) as u32;
        if apart(mean(&one[from..to], pixels), mean(&other[from..to], pixels)) > LIMIT {
            row[x as usize] = Kind::Different;
        }
    }
}

/// The values of each column of these rows together.
fn columns(view: View<'_>, rows: &Range<u32>, span: &Range<u32>) -> Vec<Sum> {
    let mut sums = vec![[0; PIXEL]; span.len()];
    for y in rows.clone() {
        for (sum, pixel) in sums.iter_mut().zip(view.row(y, span.clone()).chunks_exact(PIXEL)) {
            for (sum, value) in sum.iter_mut().zip(pixel) {
                *sum += u32::from(*value);
            }
        }
    }
    sums
}

/// The average of so many pixels, in steps of [`FINE`].
fn mean(columns: &[Sum], pixels: u32) -> Sum {
    let sum = columns
        .iter()
        .fold([0; PIXEL], |sum: Sum, column| [sum[0] + column[0], sum[1] + column[1], sum[2] + column[2]]);
    sum.map(|sum| (sum * FINE + pixels / 2) / pixels)
}

/// How far two colours are apart: ΔE of 1976.
fn apart(one: Sum, other: Sum) -> f32 {
    if one == other {
        return 0.0;
    }
    let (one, other) = (lab(one), lab(other));
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f32>().sqrt()
}

/// A colour of sRGB in CIE Lab, for the white D65.
fn lab(colour: Sum) -> [f32; 3] {
    // An average of values up to 255 is one of at most 255.
    let [red, green, blue] = colour.map(|step| LIGHT[step as usize]);
    let x = root((0.412_456_4 * red + 0.357_576_1 * green + 0.180_437_5 * blue) / 0.950_47);
    let y = root(0.212_672_9 * red + 0.715_152_2 * green + 0.072_175 * blue);
    let z = root((0.019_333_9 * red + 0.119_192 * green + 0.950_304_1 * blue) / 1.088_83);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// What CIE Lab takes of a share of the white.
fn root(share: f32) -> f32 {
    let step = (share.clamp(0.0, 1.0) * STEPS as f32).round() as usize;
    ROOTS[step.min(STEPS)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_colours_are_where_they_belong() {
        for (rgb, expected) in [
            ([255, 255, 255], [100.0, 0.0, 0.0]),
            ([0, 0, 0], [0.0, 0.0, 0.0]),
            ([255, 0, 0], [53.24, 80.09, 67.2]),
            ([0, 0, 255], [32.3, 79.19, -107.86]),
            ([119, 119, 119], [50.03, 0.0, 0.0]),
        ] {
            let found = lab(rgb.map(|value| value * FINE));
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 0.2, "{rgb:?}: {found} and not {expected}");
            }
        }
    }
}
