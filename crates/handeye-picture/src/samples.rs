//! Pictures that tests encode.

use handeye_core::{Frame, Rect};
use proptest::prelude::*;

/// What a picture shows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Areas of one colour and something like text.
    Flat,
    /// Soft gradients with a little noise.
    Photograph,
    /// Nothing that can be compressed.
    Noise,
    /// One half of each of the first two.
    Mixed,
}

pub(super) const KINDS: [Kind; 4] = [Kind::Flat, Kind::Photograph, Kind::Noise, Kind::Mixed];

/// Any of them.
pub(super) fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(KINDS.as_slice())
}

/// A picture, the same for the same arguments.
pub(super) fn frame(kind: Kind, width: u32, height: u32) -> Frame {
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
    for y in 0..height {
        for x in 0..width {
            let kind = match kind {
                Kind::Mixed if x < width / 2 => Kind::Flat,
                Kind::Mixed => Kind::Photograph,
                kind => kind,
            };
            match kind {
                Kind::Noise => rgb.extend([random(), random(), random()]),
                Kind::Photograph => {
                    let wave = ((f64::from(x) / 90.0).sin() + (f64::from(y) / 70.0).cos()) * 50.0 + 120.0;
                    rgb.extend([0.0, 20.0, -15.0].map(|shift| (wave + shift) as u8 + random() % 5));
                }
                _ => {
                    let text =
                        (30..42).contains(&(y % 60)) && x % 200 < 150 && (x * 7 + y * 3 + x * y) % 5 < 2;
                    rgb.extend(if text { [20, 20, 30] } else { [240, 240, 245 - (y / 200) as u8] });
                }
            }
        }
    }
    Frame::new(Rect::new(0, 0, width, height), rgb)
}
