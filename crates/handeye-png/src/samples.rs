//! Pictures for tests and benchmarks, made of nothing but arithmetic.

/// What a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Areas of one colour and something like text.
    Flat,
    /// Soft gradients with a little noise.
    Photograph,
    /// Nothing that can be compressed.
    Noise,
    /// One half of each of the first two.
    Mixed,
}

/// All of them.
pub const KINDS: [Kind; 4] = [Kind::Flat, Kind::Photograph, Kind::Noise, Kind::Mixed];

/// The pixels of a picture of these sides, in pixels, as [`Picture::new`](crate::Picture::new) takes them. They are the same for the same
/// arguments.
pub fn rgb(kind: Kind, width: u32, height: u32) -> Vec<u8> {
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
                    let text = (30..42).contains(&(y % 60))
                        && x % 200 < 150
                        && (u64::from(x) * 7 + u64::from(y) * 3 + u64::from(x) * u64::from(y)) % 5 < 2;
                    rgb.extend(if text {
                        [20, 20, 30]
                    } else {
                        [240, 240, 245_u8.wrapping_sub((y / 200) as u8)]
                    });
                }
            }
        }
    }
    rgb
}
