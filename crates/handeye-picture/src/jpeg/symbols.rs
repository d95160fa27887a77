//! The symbols of a JPEG's pixels, and the bits that they are written in (ITU-T T.81, F.1.2).

use super::codes::{Codes, Occurrences, SYMBOLS, TABLES};
use super::transform::{Coefficients, Quantizer};
use super::units::{COMPONENTS, QUARTERS, Strip};

/// The table for the means of each component; that for its higher frequencies is the next.
const TABLE: [usize; COMPONENTS] = [0, 2, 2];
/// Symbols of higher frequencies: how many zeros come first (upper half) and how many bits the next one has.
const END_OF_BLOCK: u8 = 0x00;
const SIXTEEN_ZEROS: u8 = 0xf0;

/// Symbols of a strip in their order, without a code.
#[derive(Debug)]
pub(super) struct Symbols {
    /// Of each: the table, the symbol and the bits that follow it, from the left 8, 8 and 16 bits.
    all: Vec<u32>,
    occurrences: Occurrences,
}

impl Symbols {
    /// The symbols of a strip's blocks.
    pub(super) fn of(strip: &Strip, quantizer: &Quantizer) -> Self {
        let mut symbols =
            Self { all: Vec::with_capacity(strip.bytes() / 16), occurrences: [[0; SYMBOLS]; TABLES] };
        let mut last = [0; COMPONENTS];
        let divisors = quantizer.each();
        strip.for_each_unit(|unit| {
            if let Some(means) = unit.means(divisors) {
                for (component, blocks) in [QUARTERS, 1, 1].into_iter().enumerate() {
                    for _ in 0..blocks {
                        symbols.add_mean(means[component], &mut last[component], TABLE[component]);
                        symbols.add(TABLE[component] + 1, END_OF_BLOCK, 0);
                    }
                }
            } else {
                unit.for_each_block(divisors, |block, component| {
                    symbols.add_mean(block.mean(), &mut last[component], TABLE[component]);
                    symbols.add_others(block, TABLE[component] + 1);
                });
            }
        });
        // They are kept for the next picture, and flat areas have few.
        symbols.all.shrink_to_fit();
        symbols
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// How often each symbol occurs, in each table.
    pub(super) fn occurrences(&self) -> &Occurrences {
        &self.occurrences
    }

    /// Adds how much the mean of a block is above the last one of its component.
    fn add_mean(&mut self, mean: i16, last: &mut i16, table: usize) {
        self.add(table, 0, mean - *last);
        *last = mean;
    }

    /// Adds the higher frequencies of a block.
    fn add_others(&mut self, block: &Coefficients, table: usize) {
        let (mut done, mut left) = (1, block.others());
        while left != 0 {
            let place = left.trailing_zeros();
            while place - done >= 16 {
                self.add(table, SIXTEEN_ZEROS, 0);
                done += 16;
            }
            self.add(table, ((place - done) as u8) << 4, block.at(place));
            done = place + 1;
            left &= left - 1;
        }
        if done < 64 {
            self.add(table, END_OF_BLOCK, 0);
        }
    }

    /// Adds a symbol that `value` follows, whose number of bits is its lower half.
    fn add(&mut self, table: usize, upper_half: u8, value: i16) {
        let count = u16::BITS - value.unsigned_abs().leading_zeros();
        // A negative one is written as the complement of its amount, so the first bit is the sign.
        let bits = (value - i16::from(value < 0)) as u16 & ((1_u32 << count) - 1) as u16;
        let symbol = upper_half | count as u8;
        self.occurrences[table][usize::from(symbol)] += 1;
        self.all.push((table as u32) << 24 | u32::from(symbol) << 16 | u32::from(bits));
    }

    /// The pixels in these codes.
    pub(super) fn written(&self, codes: &Codes) -> Vec<u8> {
        let mut output = Writer { bytes: Vec::with_capacity(self.all.len()), waiting: 0, count: 0 };
        for packed in &self.all {
            let [table, symbol, ..] = packed.to_be_bytes();
            let (bits, length) = codes.word(table, symbol);
            let more = u32::from(symbol & 15);
            output.put(u64::from(bits) << more | u64::from(packed & 0xffff), u32::from(length) + more);
        }
        output.finish()
    }
}

/// Writes bits, the highest first, and a zero after each byte of ones.
struct Writer {
    bytes: Vec<u8>,
    waiting: u64,
    count: u32,
}

impl Writer {
    /// Adds at most 32 bits.
    fn put(&mut self, bits: u64, count: u32) {
        self.waiting = self.waiting << count | bits;
        self.count += count;
        if self.count >= 32 {
            self.count -= 32;
            self.write((self.waiting >> self.count) as u32);
        }
    }

    fn write(&mut self, four: u32) {
        let four = four.to_be_bytes();
        if four.contains(&0xff) {
            for byte in four {
                self.write_byte(byte);
            }
        } else {
            self.bytes.extend(four);
        }
    }

    fn write_byte(&mut self, byte: u8) {
        self.bytes.push(byte);
        if byte == 0xff {
            self.bytes.push(0);
        }
    }

    /// Fills the last byte up with ones.
    fn finish(mut self) -> Vec<u8> {
        while self.count > 0 {
            let free = 8_u32.saturating_sub(self.count);
            let ones = (1 << free) - 1;
            let byte = (self.waiting << free | ones) >> (self.count + free - 8);
            self.write_byte(byte as u8);
            self.count = (self.count + free) - 8;
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_written_in_their_order(all in prop::collection::vec((any::<u32>(), 1_u32..=26), 0..200), ones in any::<bool>()) {
            let mut writer = Writer { bytes: Vec::new(), waiting: 0, count: 0 };
            let mut plain = String::new();
            for (bits, count) in all {
                let bits = if ones { u32::MAX } else { bits } & ((1 << count) - 1);
                writer.put(bits.into(), count);
                plain.extend(format!("{bits:032b}").chars().skip(32 - count as usize));
            }
            while !plain.len().is_multiple_of(8) {
                plain.push('1');
            }
            let mut expected = Vec::new();
            for byte in plain.as_bytes().chunks(8) {
                let byte = byte.iter().fold(0, |byte, bit| byte << 1 | (bit - b'0'));
                expected.push(byte);
                if byte == 0xff {
                    expected.push(0);
                }
            }
            prop_assert_eq!(writer.finish(), expected);
        }
    }
}
