//! The Huffman codes of a JPEG that are shortest for one picture (ITU-T T.81, C, K.2).

use handeye_png::code_lengths;

/// Codes of a file: for brightness the mean (DC) and the higher frequencies (AC), then for colours.
pub(super) const TABLES: usize = 4;
/// Bits of the longest word that a file may have.
pub(super) const LONGEST_WORD: u8 = 16;
pub(super) const SYMBOLS: usize = 256;

/// How often each symbol occurs, in each table.
pub(super) type Occurrences = [[u32; SYMBOLS]; TABLES];

/// A code as a file writes it: how many words have each length, and the symbols in the order of their words.
type CodeTable = ([u8; LONGEST_WORD as usize], Vec<u8>);

/// One Huffman code.
struct Code {
    table: CodeTable,
    /// The bits and the length of each symbol's word.
    words: [(u16, u8); SYMBOLS],
}

/// All codes of a file.
pub(super) struct Codes([Code; TABLES]);

impl Codes {
    /// The codes in which all symbols that occur so often take the fewest bits.
    pub(super) fn for_all<'a>(all: impl Iterator<Item = &'a Occurrences>) -> Self {
        let mut occurrences = [[0_u32; SYMBOLS + 1]; TABLES];
        for some in all {
            for (sum, some) in occurrences.iter_mut().zip(some) {
                for (sum, some) in sum.iter_mut().zip(some) {
                    // Twice, so that none is as rare as the one below.
                    *sum += 2 * some;
                }
            }
        }
        Self(occurrences.map(|mut occurrences| {
            // No word may be all ones. The rarest symbol has the last word, so one that is never used takes that.
            occurrences[SYMBOLS] = 1;
            let lengths = code_lengths(&occurrences, LONGEST_WORD);
            let mut table: CodeTable = ([0; LONGEST_WORD as usize], Vec::new());
            for (length, count) in (1_u8..).zip(table.0.iter_mut()) {
                let of_this_length = (0..=u8::MAX).filter(|symbol| lengths[usize::from(*symbol)] == length);
                let before = table.1.len();
                table.1.extend(of_this_length);
                *count = (table.1.len() - before) as u8;
            }
            Code::of(table)
        }))
    }

    /// Each code as a file contains it.
    pub(super) fn tables(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.0.iter().map(|code| (code.table.0.as_slice(), code.table.1.as_slice()))
    }

    /// The bits and the length of a symbol's word in a table.
    pub(super) fn word(&self, table: u8, symbol: u8) -> (u16, u8) {
        self.0[usize::from(table)].words[usize::from(symbol)]
    }
}

impl Code {
    fn of(table: CodeTable) -> Self {
        let mut words = [(0, 0); SYMBOLS];
        let (mut next, mut symbols) = (0_u32, table.1.iter());
        for (length, count) in (1_u8..).zip(table.0) {
            for symbol in symbols.by_ref().take(count.into()) {
                words[usize::from(*symbol)] = (next as u16, length);
                next += 1;
            }
            next <<= 1;
        }
        Self { table, words }
    }
}
