//! One block of a deflate stream: what it is to hold, and how that is written (RFC 1951, 3.2.3 to 3.2.7).

use crate::huffman::Code;

/// The longest match that has a code.
pub(super) const LONGEST_MATCH: usize = 258;
/// The shortest match that has a code.
const SHORTEST_MATCH: usize = 3;
/// A block of more pieces than this is written and another one begun, with codes of its own.
const MANY_SEQUENCES: usize = 12 * 1024;
/// The same for bytes outside of matches.
const MANY_LITERALS: usize = 64 * 1024;

const END_OF_BLOCK: usize = 256;
const FIRST_LENGTH: usize = 257;
const LITERALS_AND_LENGTHS: usize = 286;
const DISTANCES: usize = 30;
const LONGEST_WORD: u8 = 15;
/// Lengths of words are themselves written by a code: 0 to 15, and three symbols for repetitions.
const LENGTHS_OF_WORDS: usize = 19;
const LONGEST_WORD_OF_LENGTHS: u8 = 7;
const REPEAT_LAST: u8 = 16;
const REPEAT_ZERO: u8 = 17;
const REPEAT_ZERO_OFTEN: u8 = 18;
/// In which order the lengths of that code are stored.
const ORDER: [usize; LENGTHS_OF_WORDS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Bits that follow the symbol of a length.
const LENGTH_EXTRA: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/// For each length: its symbol, counted from the first one, and the shortest length of that symbol.
const LENGTH_SYMBOLS: [(u8, u16); LONGEST_MATCH + 1] = {
    let mut table = [(0, 0); LONGEST_MATCH + 1];
    let mut symbol = 0;
    let mut length = SHORTEST_MATCH;
    while symbol < LENGTH_EXTRA.len() {
        let shortest = length as u16;
        while length < shortest as usize + (1 << LENGTH_EXTRA[symbol]) && length <= LONGEST_MATCH {
            table[length] = (symbol as u8, shortest);
            length += 1;
        }
        symbol += 1;
    }
    // The longest one has a symbol without extra bits.
    table[LONGEST_MATCH] = (LENGTH_EXTRA.len() as u8 - 1, LONGEST_MATCH as u16);
    table
};

/// Some bytes as they are and then a match.
#[derive(Clone, Copy)]
struct Sequence {
    literals: u32,
    /// 0 if no match follows.
    length: u16,
    /// Less one.
    distance: u16,
}

/// What a block is to hold. The bytes themselves stay where they are.
pub(super) struct Block {
    /// Where its first byte is.
    from: usize,
    sequences: Vec<Sequence>,
    literals: usize,
    /// Of those, how many no match follows yet.
    pending: u32,
    symbols: [u32; LITERALS_AND_LENGTHS],
    distances: [u32; DISTANCES],
}

impl Block {
    /// A block that begins at a place.
    pub(super) fn beginning(from: usize) -> Self {
        Self {
            from,
            sequences: Vec::new(),
            literals: 0,
            pending: 0,
            symbols: [0; LITERALS_AND_LENGTHS],
            distances: [0; DISTANCES],
        }
    }

    /// Whether it is large enough for a code of its own, with this many more literals.
    pub(super) fn is_full(&self, more: usize) -> bool {
        self.sequences.len() >= MANY_SEQUENCES || self.literals + more >= MANY_LITERALS
    }

    /// Adds bytes as they are.
    pub(super) fn literals(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.symbols[usize::from(*byte)] += 1;
        }
        self.literals += bytes.len();
        self.pending += bytes.len() as u32;
    }

    /// Adds a match of any length from three bytes on.
    pub(super) fn matched(&mut self, length: usize, distance: usize) {
        let mut left = length;
        while left > 0 {
            // What is left must not be shorter than the shortest that has a code.
            let piece = match left {
                0..=LONGEST_MATCH => left,
                left if left < LONGEST_MATCH + SHORTEST_MATCH => LONGEST_MATCH - SHORTEST_MATCH,
                _ => LONGEST_MATCH,
            };
            let less_one = (distance - 1) as u16;
            self.symbols[FIRST_LENGTH + usize::from(LENGTH_SYMBOLS[piece].0)] += 1;
            self.distances[distance_symbol(less_one).0] += 1;
            self.sequences.push(Sequence {
                literals: std::mem::take(&mut self.pending),
                length: piece as u16,
                distance: less_one,
            });
            left -= piece;
        }
    }

    /// Writes it; `bytes` is where its literals are.
    pub(super) fn write(&mut self, bytes: &[u8], output: &mut Bits, last: bool) {
        if self.pending > 0 {
            let literals = std::mem::take(&mut self.pending);
            self.sequences.push(Sequence { literals, length: 0, distance: 0 });
        }
        self.symbols[END_OF_BLOCK] = 1;
        if self.sequences.is_empty() {
            // Some decoders refuse a code of one word only.
            self.symbols[0] = 1;
        }
        let symbols = Code::new(&self.symbols, LONGEST_WORD);
        let distances = Code::new(&self.distances, LONGEST_WORD);
        // No literal takes more than 15 bits, no match more than 48; the codes take less than the rest.
        output.make_room(self.literals * 2 + self.sequences.len() * 6 + 1024);
        write_codes(&symbols, &distances, output, last);
        let mut at = self.from;
        let literal: [(u64, u32); 256] = std::array::from_fn(|byte| symbols.word(byte));
        for sequence in &self.sequences {
            let end = at + sequence.literals as usize;
            for byte in &bytes[at..end] {
                output.put(literal[usize::from(*byte)]);
                output.write_out_if(48);
            }
            at = end + usize::from(sequence.length);
            if sequence.length > 0 {
                let (symbol, shortest) = LENGTH_SYMBOLS[usize::from(sequence.length)];
                output.write_out_if(15);
                output.put(symbols.word(FIRST_LENGTH + usize::from(symbol)));
                output.put(((sequence.length - shortest).into(), LENGTH_EXTRA[usize::from(symbol)].into()));
                let (symbol, extra) = distance_symbol(sequence.distance);
                output.put(distances.word(symbol));
                output.put((u64::from(sequence.distance) & ((1 << extra) - 1), extra));
                output.write_out_if(48);
            }
        }
        output.write_out_if(0);
        output.put(symbols.word(END_OF_BLOCK));
        output.write_out_if(0);
    }
}

/// The symbol of a distance (less one), and how many of its lowest bits follow it.
fn distance_symbol(less_one: u16) -> (usize, u32) {
    if less_one < 4 {
        return (less_one.into(), 0);
    }
    let extra = less_one.ilog2() - 1;
    (2 * extra as usize + usize::from(less_one >> extra), extra)
}

/// Writes the head of a block: how long the words of both codes are.
fn write_codes(symbols: &Code, distances: &Code, output: &mut Bits, last: bool) {
    let symbol_lengths: Vec<u8> = symbols.stored_lengths(FIRST_LENGTH).collect();
    let distance_lengths: Vec<u8> = distances.stored_lengths(1).collect();
    let stored = repetitions(&[symbol_lengths.as_slice(), &distance_lengths].concat());
    let mut occurrences = [0; LENGTHS_OF_WORDS];
    for (symbol, _, _) in &stored {
        occurrences[usize::from(*symbol)] += 1;
    }
    let code = Code::new(&occurrences, LONGEST_WORD_OF_LENGTHS);
    let ordered =
        ORDER.iter().rposition(|symbol| code.word(*symbol).1 > 0).map_or(4, |last| (last + 1).max(4));

    output.write_out_if(0);
    output.put((last.into(), 1));
    output.put((2, 2));
    output.put(((symbol_lengths.len() - FIRST_LENGTH) as u64, 5));
    output.put(((distance_lengths.len() - 1) as u64, 5));
    output.put(((ordered - 4) as u64, 4));
    for symbol in &ORDER[..ordered] {
        output.write_out_if(48);
        output.put((code.word(*symbol).1.into(), 3));
    }
    for (symbol, extra, bits) in stored {
        output.write_out_if(32);
        output.put(code.word(symbol.into()));
        output.put((extra.into(), bits.into()));
    }
    output.write_out_if(0);
}

/// Lengths of words with repetitions in short: symbol, extra value, how many bits that has.
fn repetitions(lengths: &[u8]) -> Vec<(u8, u8, u8)> {
    let mut stored = Vec::with_capacity(lengths.len());
    for run in lengths.chunk_by(|a, b| a == b) {
        let (length, mut left) = (run[0], run.len());
        if length > 0 {
            stored.push((length, 0, 0));
            left -= 1;
        }
        while left > 0 {
            let (symbol, least, most, bits) = match (length, left) {
                (0, 11..) => (REPEAT_ZERO_OFTEN, 11, 138, 7),
                (0, 3..) => (REPEAT_ZERO, 3, 10, 3),
                (1.., 3..) => (REPEAT_LAST, 3, 6, 2),
                _ => (length, 0, 1, 0),
            };
            let times = left.min(most);
            stored.push((symbol, if bits > 0 { (times - least) as u8 } else { 0 }, bits));
            left -= times;
        }
    }
    stored
}

/// Bits that become bytes, lowest first.
#[derive(Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// How many of `bytes` are written.
    written: usize,
    waiting: u64,
    count: u32,
}

impl Bits {
    /// Makes room for this many bytes. Nothing may be put without it.
    fn make_room(&mut self, bytes: usize) {
        // Eight bytes are written at a time, most of which the next ones write over.
        self.bytes.resize(self.written + bytes + 16, 0);
    }

    /// Adds bits. No more than 64 may wait.
    fn put(&mut self, (bits, count): (u64, u32)) {
        self.waiting |= bits << self.count;
        self.count += count;
    }

    /// Writes whole bytes out if more than this many bits wait. Fewer than eight are left then.
    fn write_out_if(&mut self, more_than: u32) {
        if self.count > more_than {
            self.bytes[self.written..self.written + 8].copy_from_slice(&self.waiting.to_le_bytes());
            self.written += (self.count / 8) as usize;
            self.waiting >>= self.count / 8 * 8;
            self.count %= 8;
        }
    }

    /// Whole bytes that were written.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Fills the last byte up.
    pub(super) fn align(&mut self) {
        self.make_room(0);
        self.count = self.count.next_multiple_of(8);
        self.write_out_if(0);
    }

    /// Ends at a whole byte in a way that the stream can be continued after: by a stored block of nothing.
    pub(super) fn align_by_empty_block(&mut self) {
        self.make_room(16);
        self.put((0, 3));
        self.align();
        self.put((0xffff_0000, 32));
        self.write_out_if(0);
    }

    /// All bytes that are written.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.written);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_lengths_and_distances_are_those_of_the_standard() {
        let length = |length: usize| {
            let (symbol, shortest) = LENGTH_SYMBOLS[length];
            (FIRST_LENGTH + usize::from(symbol), length - usize::from(shortest))
        };
        for (bytes, symbol, extra) in [
            (3, 257, 0),
            (10, 264, 0),
            (11, 265, 0),
            (12, 265, 1),
            (227, 284, 0),
            (257, 284, 30),
            (258, 285, 0),
        ] {
            assert_eq!(length(bytes), (symbol, extra), "{bytes} bytes");
        }
        for (distance, symbol, extra) in
            [(1_u32, 0, 0), (4, 3, 0), (5, 4, 1), (7, 5, 1), (24_577, 29, 13), (32_768, 29, 13)]
        {
            assert_eq!(distance_symbol((distance - 1) as u16), (symbol, extra), "{distance} bytes back");
        }
    }

    #[test]
    fn long_matches_are_cut_so_that_no_piece_is_too_short() {
        for length in 3..2000 {
            let mut block = Block::beginning(0);
            block.matched(length, 3);
            assert_eq!(block.sequences.iter().map(|piece| usize::from(piece.length)).sum::<usize>(), length);
            assert!(block.sequences.iter().all(|piece| (3..=258).contains(&piece.length)), "{length}");
        }
    }
}
