//! Units (MCUs) of a JPEG with colours at half the resolution: 16 by 16 pixels, as four blocks of brightness and one of each colour
//! (ITU-T T.81, A.2.3; the colours are those of JFIF 1.02).

use super::transform::{BLOCK, Block, Coefficients, Divisors, FRACTION_BITS, SIDE};

/// Pixels of a unit's side.
pub(super) const UNIT: usize = 16;
/// Of a picture: brightness, blueness and redness.
pub(super) const COMPONENTS: usize = 3;
/// Blocks of brightness in a unit; of each colour it has one.
pub(super) const QUARTERS: usize = 4;
/// Bytes of a pixel.
pub(super) const PIXEL: usize = 3;
/// Bytes of a unit's row.
const ROW: usize = UNIT * PIXEL;

/// How much red, green and blue add to brightness (Y), blueness (Cb) and redness (Cr), of 65,536.
const BRIGHTNESS: [i32; PIXEL] = [19_595, 38_470, 7_471];
const BLUENESS: [i32; PIXEL] = [-11_059, -21_709, 32_768];
const REDNESS: [i32; PIXEL] = [32_768, -27_439, -5_329];
/// Bits of those after the point.
const WEIGHT_BITS: u32 = 16;
/// What is halfway between black and white counts as nothing.
const GREY: i32 = 128 << FRACTION_BITS;

/// Rows of a picture.
pub(super) struct Strip<'a> {
    rgb: &'a [u8],
    /// Bytes of a row.
    row: usize,
}

impl<'a> Strip<'a> {
    /// Whole rows of pixels, at least one, of `row` bytes each, at least one pixel.
    pub(super) fn new(rgb: &'a [u8], row: usize) -> Self {
        Self { rgb, row }
    }

    pub(super) fn bytes(&self) -> usize {
        self.rgb.len()
    }

    /// Calls `each` with its units from left to right, row by row.
    pub(super) fn for_each_unit(&self, mut each: impl FnMut(&Unit)) {
        let last = self.rgb.len() / self.row - 1;
        let mut unit = Unit([[0; ROW]; UNIT]);
        for top in (0..=last).step_by(UNIT) {
            for left in (0..self.row).step_by(ROW) {
                for (line, pixels) in unit.0.iter_mut().enumerate() {
                    let row = &self.rgb[(top + line).min(last) * self.row..][..self.row];
                    copy(&row[left..], pixels);
                }
                each(&unit);
            }
        }
    }
}

/// Copies the beginning of what is left of a row. Beyond its end, a picture goes on as its last pixels.
fn copy(rest: &[u8], pixels: &mut [u8; ROW]) {
    if let Some(whole) = rest.first_chunk() {
        *pixels = *whole;
        return;
    }
    let (inside, beyond) = pixels.split_at_mut(rest.len());
    inside.copy_from_slice(rest);
    for pixel in beyond.chunks_exact_mut(PIXEL) {
        pixel.copy_from_slice(&rest[rest.len() - PIXEL..]);
    }
}

/// The rows of a unit, pixels of red, green and blue.
pub(super) struct Unit([[u8; ROW]; UNIT]);

impl Unit {
    /// The means of its brightness, blueness and redness, if all its pixels have the same colour.
    pub(super) fn means(&self, [brightness, colours]: &[Divisors; 2]) -> Option<[i16; COMPONENTS]> {
        self.colour().map(|pixel| {
            let four = pixel.map(|part| 4 * i32::from(part));
            let [blueness, redness] =
                [BLUENESS, REDNESS].map(|weights| colours.mean_of_level(colour(four, &weights) as f32));
            [brightness.mean_of_level(light(pixel) as f32), blueness, redness]
        })
    }

    /// Calls `each` with its blocks and what component they are of: brightness top left, top right, bottom left and bottom right, blueness and redness.
    pub(super) fn for_each_block(
        &self,
        [brightness, colours]: &[Divisors; 2],
        mut each: impl FnMut(&Coefficients, usize),
    ) {
        for quarter in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            each(&brightness.frequencies(&self.brightness(quarter)), 0);
        }
        for (block, component) in self.colours().iter().zip(1..) {
            each(&colours.frequencies(block), component);
        }
    }

    /// The colour of all its pixels, if that is one.
    fn colour(&self) -> Option<[u8; PIXEL]> {
        let first = &self.0[0];
        let one = first[PIXEL..] == first[..ROW - PIXEL] && self.0.iter().all(|row| row == first);
        one.then(|| [first[0], first[1], first[2]])
    }

    fn brightness(&self, (down, right): (usize, usize)) -> Block {
        let mut block = [0.0; BLOCK];
        for (line, levels) in block.chunks_exact_mut(SIDE).enumerate() {
            let row = &self.0[down * SIDE + line][right * SIDE * PIXEL..][..SIDE * PIXEL];
            for (level, pixel) in levels.iter_mut().zip(row.as_chunks().0) {
                *level = light(*pixel) as f32;
            }
        }
        block
    }

    /// Blueness and redness: of each four pixels that make a square, their mean.
    fn colours(&self) -> [Block; 2] {
        let mut blocks = [[0.0; BLOCK]; 2];
        for (line, rows) in self.0.as_chunks::<2>().0.iter().enumerate() {
            let [upper, lower] = rows.each_ref().map(|row| row.as_chunks::<{ 2 * PIXEL }>().0);
            for (column, (upper, lower)) in upper.iter().zip(lower).enumerate() {
                let sum = std::array::from_fn(|part| {
                    [upper[part], upper[part + PIXEL], lower[part], lower[part + PIXEL]]
                        .map(i32::from)
                        .iter()
                        .sum()
                });
                for (block, weights) in blocks.iter_mut().zip([&BLUENESS, &REDNESS]) {
                    block[line * SIDE + column] = colour(sum, weights) as f32;
                }
            }
        }
        blocks
    }
}

/// The brightness of a pixel.
fn light(pixel: [u8; PIXEL]) -> i32 {
    const SHIFT: u32 = WEIGHT_BITS - FRACTION_BITS;
    ((weighted(pixel.map(i32::from), &BRIGHTNESS) + (1 << (SHIFT - 1))) >> SHIFT) - GREY
}

/// What the sum of four pixels is in a colour, divided by four.
fn colour(four: [i32; PIXEL], weights: &[i32; PIXEL]) -> i32 {
    const SHIFT: u32 = 2 + WEIGHT_BITS - FRACTION_BITS;
    (weighted(four, weights) + (1 << (SHIFT - 1))) >> SHIFT
}

fn weighted(parts: [i32; PIXEL], weights: &[i32; PIXEL]) -> i32 {
    parts[0] * weights[0] + parts[1] * weights[1] + parts[2] * weights[2]
}

#[cfg(test)]
mod tests {
    use super::super::transform::Quantizer;
    use super::*;
    use proptest::prelude::*;

    fn differs_by_a_pixel(colour: [u8; PIXEL]) -> Unit {
        let mut unit = Unit(std::array::from_fn(|_| std::array::from_fn(|byte| colour[byte % PIXEL])));
        unit.0[15][47] ^= 1;
        unit
    }

    proptest! {
        #[test]
        fn a_unit_of_one_colour_is_what_its_pixels_make_it(colour in any::<[u8; PIXEL]>()) {
            let quantizer = Quantizer::new();
            let divisors = quantizer.each();
            let unit = Unit(std::array::from_fn(|_| std::array::from_fn(|byte| colour[byte % PIXEL])));
            let means = unit.means(divisors).expect("one colour");
            unit.for_each_block(divisors, |block, component| {
                assert_eq!((block.mean(), block.others()), (means[component], 0));
            });
            prop_assert_eq!(differs_by_a_pixel(colour).means(divisors), None);
        }
    }

    #[test]
    fn a_picture_goes_on_as_its_last_pixels() {
        let rgb: Vec<u8> = (0..17 * 2 * 3).map(|byte| byte as u8).collect();
        let mut units = Vec::new();
        Strip::new(&rgb, 17 * 3).for_each_unit(|unit| units.push(unit.0));
        assert_eq!(units.len(), 2);
        assert_eq!(units[0][0][..], rgb[..48]);
        assert!(units[0][1..].iter().all(|row| row[..] == rgb[51..99]));
        assert!(units[1][1..].iter().all(|row| row[..] == rgb[99..].repeat(16)));
    }
}
