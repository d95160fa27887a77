//! From levels to frequencies, divided by the quantization tables and rounded (ITU-T T.81, A.3.3, A.3.4, K.1). The transformation is that of Y. Arai, T. Agui and
//! M. Nakajima, "A fast DCT-SQ scheme for images" (1988), whose results are scaled; the divisors contain that.

use crate::JPEG_QUALITY;

/// Levels of a block's side.
pub(super) const SIDE: usize = 8;
/// Levels of a block.
pub(super) const BLOCK: usize = SIDE * SIDE;

/// Bits of a level after the point: so many that the sum of a block is exact in 32 bits with a floating point.
pub(super) const FRACTION_BITS: u32 = 8;

/// Levels of 8 by 8 pixels row by row, from -128 to 128, times 2 to the power of [`FRACTION_BITS`].
pub(super) type Block = [f32; BLOCK];

/// The places of a block from the lowest frequency to the highest.
pub(super) const ZIGZAG: [usize; BLOCK] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7,
    14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39,
    46, 53, 60, 61, 54, 47, 55, 62, 63,
];

/// Divisors of brightness and of colours for a quality of 50.
const DIVISORS: [[u16; BLOCK]; 2] = [
    [
        16, 11, 10, 16, 24, 40, 51, 61, //
        12, 12, 14, 19, 26, 58, 60, 55, //
        14, 13, 16, 24, 40, 57, 69, 56, //
        14, 17, 22, 29, 51, 87, 80, 62, //
        18, 22, 37, 56, 68, 109, 103, 77, //
        24, 35, 55, 64, 81, 104, 113, 92, //
        49, 64, 78, 87, 103, 121, 120, 101, //
        72, 92, 95, 98, 112, 100, 103, 99,
    ],
    [
        17, 18, 24, 47, 99, 99, 99, 99, //
        18, 21, 26, 66, 99, 99, 99, 99, //
        24, 26, 56, 99, 99, 99, 99, 99, //
        47, 66, 99, 99, 99, 99, 99, 99, //
        99, 99, 99, 99, 99, 99, 99, 99, //
        99, 99, 99, 99, 99, 99, 99, 99, //
        99, 99, 99, 99, 99, 99, 99, 99, //
        99, 99, 99, 99, 99, 99, 99, 99,
    ],
];

/// Divides the frequencies of brightness and of colours.
pub(super) struct Quantizer([Divisors; 2]);

impl Quantizer {
    /// For [`JPEG_QUALITY`].
    pub(super) fn new() -> Self {
        Self(DIVISORS.each_ref().map(Divisors::scaled))
    }

    pub(super) fn each(&self) -> &[Divisors; 2] {
        &self.0
    }

    /// What a file contains of them, row by row.
    pub(super) fn divisors(&self) -> [&[u8; BLOCK]; 2] {
        self.0.each_ref().map(|divisors| &divisors.stated)
    }
}

pub(super) struct Divisors {
    stated: [u8; BLOCK],
    /// What results of the transformation are multiplied by, at the places where it leaves them.
    factors: [f32; BLOCK],
}

impl Divisors {
    fn scaled(medium: &[u16; BLOCK]) -> Self {
        // As all programs count it that have such a scale: those of the Independent JPEG Group.
        const PERCENT: u16 = 200 - 2 * JPEG_QUALITY as u16;
        const { assert!(JPEG_QUALITY >= 50 && JPEG_QUALITY < 90, "so a result has at most 10 bits") };
        let stated = medium.map(|divisor| ((divisor * PERCENT + 50) / 100).clamp(1, 255) as u8);
        let scale = |frequency: usize| match frequency {
            0 => 1.0,
            _ => (frequency as f64 * std::f64::consts::PI / 16.0).cos() * std::f64::consts::SQRT_2,
        };
        let factors = std::array::from_fn(|place| {
            // The transformation leaves rows as columns.
            let (across, down) = (place / SIDE, place % SIDE);
            let divisor =
                f64::from(stated[down * SIDE + across]) * SIDE as f64 * f64::from(1 << FRACTION_BITS);
            (1.0 / (divisor * scale(across) * scale(down))) as f32
        });
        Self { stated, factors }
    }

    /// The frequencies of a block.
    pub(super) fn frequencies(&self, block: &Block) -> Coefficients {
        if block.iter().fold(0, |other, level| other | (level.to_bits() ^ block[0].to_bits())) == 0 {
            let mut in_order = [0; BLOCK];
            in_order[0] = self.mean_of_level(block[0]);
            return Coefficients { in_order, others: 0 };
        }
        let mut levels = *block;
        transform_columns(&mut levels);
        let mut levels = std::array::from_fn(|place| levels[place % SIDE * SIDE + place / SIDE]);
        transform_columns(&mut levels);
        let divided: [i16; BLOCK] = std::array::from_fn(|place| rounded(levels[place] * self.factors[place]));
        let in_order = LEFT_AT.map(|place| divided[usize::from(place)]);
        let others = in_order.iter().rev().fold(0, |others, one| others << 1 | u64::from(*one != 0));
        Coefficients { in_order, others: others & !1 }
    }

    /// The mean of a block that is all of one level; its other frequencies are zero.
    pub(super) fn mean_of_level(&self, level: f32) -> i16 {
        rounded(level * BLOCK as f32 * self.factors[0])
    }
}

/// The frequencies of a block, divided and rounded.
pub(super) struct Coefficients {
    /// From the lowest to the highest.
    in_order: [i16; BLOCK],
    /// Which of them are not zero, the lowest in the lowest bit, without the mean.
    others: u64,
}

impl Coefficients {
    /// The lowest frequency, which is the mean (the DC coefficient).
    pub(super) fn mean(&self) -> i16 {
        self.in_order[0]
    }

    /// The bits of the higher frequencies (the AC coefficients) that are not zero.
    pub(super) fn others(&self) -> u64 {
        self.others
    }

    /// The one of this number.
    pub(super) fn at(&self, number: u32) -> i16 {
        self.in_order[number as usize]
    }
}

/// Where the transformation leaves each frequency, from the lowest to the highest: it leaves rows as columns.
const LEFT_AT: [u8; BLOCK] = {
    let mut left_at = [0; BLOCK];
    let mut number = 0;
    while number < BLOCK {
        left_at[number] = (ZIGZAG[number] % SIDE * SIDE + ZIGZAG[number] / SIDE) as u8;
        number += 1;
    }
    left_at
};

/// The nearest integer of a number of less than 22 bits.
fn rounded(number: f32) -> i16 {
    // There is no room for a fraction beside so large a number, so the processor rounds; a function for that is not in all of them.
    const NO_FRACTION: f32 = 12_582_912.0;
    ((number + NO_FRACTION).to_bits() as i32 - NO_FRACTION.to_bits() as i32) as i16
}

/// Transforms the eight columns, one beside the other. Each result is scaled; see [`Divisors::scaled`].
fn transform_columns(levels: &mut Block) {
    // Cosines of multiples of a sixteenth of a half turn, and what they have in common.
    const C4: f32 = std::f32::consts::FRAC_1_SQRT_2;
    const C6: f32 = 0.382_683_43;
    const C2_LESS_C6: f32 = 0.541_196_1;
    const C2_AND_C6: f32 = 1.306_563;
    for column in 0..SIDE {
        let at = |row: usize| levels[row * SIDE + column];
        let (sum0, difference0) = (at(0) + at(7), at(0) - at(7));
        let (sum1, difference1) = (at(1) + at(6), at(1) - at(6));
        let (sum2, difference2) = (at(2) + at(5), at(2) - at(5));
        let (sum3, difference3) = (at(3) + at(4), at(3) - at(4));

        let (outer, outer_less) = (sum0 + sum3, sum0 - sum3);
        let (inner, inner_less) = (sum1 + sum2, sum1 - sum2);
        let turned = (inner_less + outer_less) * C4;

        let (low, middle, high) =
            (difference3 + difference2, difference2 + difference1, difference1 + difference0);
        let common = (low - high) * C6;
        let low = low * C2_LESS_C6 + common;
        let high = high * C2_AND_C6 + common;
        let middle = middle * C4;
        let (more, less) = (difference0 + middle, difference0 - middle);

        let results = [
            outer + inner,
            more + high,
            outer_less + turned,
            less - low,
            outer - inner,
            less + low,
            outer_less - turned,
            more - high,
        ];
        for (row, result) in results.into_iter().enumerate() {
            levels[row * SIDE + column] = result;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, T.81, A.3.3, of levels from -128 to 128.
    fn defined(levels: &[f64; BLOCK]) -> [f64; BLOCK] {
        std::array::from_fn(|place| {
            let (down, across) = (place / SIDE, place % SIDE);
            let wave = |at: usize, frequency: usize| {
                ((2 * at + 1) as f64 * frequency as f64 * std::f64::consts::PI / 16.0).cos()
            };
            let part = |frequency| if frequency == 0 { std::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
            let sum: f64 = levels
                .iter()
                .enumerate()
                .map(|(at, level)| level * wave(at / SIDE, down) * wave(at % SIDE, across))
                .sum();
            sum * part(down) * part(across) / 4.0
        })
    }

    proptest! {
        #[test]
        fn frequencies_are_those_of_the_definition(levels in prop::collection::vec(-32_768_i32..=32_512, BLOCK), flat in any::<bool>()) {
            let block: Block = std::array::from_fn(|place| levels[if flat { 0 } else { place }] as f32);
            let defined = defined(&block.map(|level| f64::from(level) / f64::from(1 << FRACTION_BITS)));
            for divisors in Quantizer::new().each() {
                let coefficients = divisors.frequencies(&block);
                for (number, place) in (0_u32..).zip(ZIGZAG) {
                    let exact = defined[place] / f64::from(divisors.stated[place]);
                    let is = f64::from(coefficients.at(number));
                    prop_assert!((is - exact).abs() < 0.501, "{number}: {is} instead of {exact}");
                    let bit = coefficients.others() >> number & 1 == 1;
                    prop_assert_eq!(bit, number > 0 && is != 0.0);
                }
            }
        }
    }

    #[test]
    fn divisors_are_those_of_other_programs() {
        let quantizer = Quantizer::new();
        let [brightness, colours] = quantizer.divisors();
        assert_eq!(brightness[..SIDE], [6, 4, 4, 6, 10, 16, 20, 24]);
        assert_eq!(colours[..SIDE], [7, 7, 10, 19, 40, 40, 40, 40]);
    }
}
