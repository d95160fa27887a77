//! The symbols of a JPEG's pixels, read in one set of Huffman codes and written in another (ITU-T T.81, F.1.2, F.2.2, K.2).

use handeye_png::code_lengths;

/// Codes of a file: for brightness the mean and the higher frequencies, then for colours.
pub(super) const TABLES: usize = 4;
/// Which tables the blocks of a unit use: four of brightness, one of each colour.
const BLOCKS: [usize; 6] = [0, 0, 0, 0, 2, 2];
/// Coefficients of a block.
const COEFFICIENTS: u32 = 64;
/// Symbols of higher frequencies: how many zeros come first (upper half) and how many bits the next one has.
const END_OF_BLOCK: u8 = 0x00;
const LONGEST_WORD: u8 = 16;

/// A code as a file writes it: how many words have each length, and the symbols in the order of their words.
pub(super) type CodeTable = ([u8; LONGEST_WORD as usize], Vec<u8>);
const SYMBOLS: usize = 256;

/// One Huffman code.
struct Code {
    table: CodeTable,
    /// The bits and the length of each symbol's word.
    words: Vec<(u16, u8)>,
    /// For all values of the next 8 bits: symbol and length of the word that they begin with; a length of 0 where that is longer. So few
    /// stay in the processor's fastest cache. Empty in a code that is only written.
    short: Vec<(u8, u8)>,
    /// The longer words, the highest bits first: the first value of 16 bits that begins with a longer or no word, symbol and length.
    long: Vec<(u32, u8, u8)>,
}

/// Bits of the words that are looked up in one step.
const SHORT_WORD: u8 = 8;

/// All codes of a file.
pub(super) struct Codes([Code; TABLES]);

impl Codes {
    /// Codes as a file contains them.
    pub(super) fn standard(table: [CodeTable; TABLES]) -> Self {
        Self(table.map(|table| {
            let mut code = Code::of(table);
            code.short = vec![(0, 0); 1 << SHORT_WORD];
            for (symbol, (bits, length)) in (0..=u8::MAX).zip(&code.words) {
                let bits = u32::from(*bits);
                match length {
                    0 => {}
                    1..=SHORT_WORD => {
                        let free = SHORT_WORD - length;
                        let first = (bits << free) as usize;
                        code.short[first..first + (1 << free)].fill((symbol, *length));
                    }
                    _ => code.long.push(((bits + 1) << (LONGEST_WORD - length), symbol, *length)),
                }
            }
            code.long.sort_unstable();
            code
        }))
    }

    /// The codes in which all of these take the fewest bits.
    pub(super) fn for_all<'a>(all: impl Iterator<Item = &'a Symbols>) -> Self {
        let mut occurrences = [[0_u32; SYMBOLS + 1]; TABLES];
        for symbols in all {
            for (sum, some) in occurrences.iter_mut().zip(&symbols.occurrences) {
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
    pub(super) fn tables(&self) -> [&CodeTable; TABLES] {
        self.0.each_ref().map(|code| &code.table)
    }
}

impl Code {
    /// Symbol and length of the word that these 16 bits begin with; `None` if it is no word.
    fn read(&self, bits: u32) -> Option<(u8, u8)> {
        let (symbol, length) = self.short[(bits >> (LONGEST_WORD - SHORT_WORD)) as usize];
        if length > 0 {
            return Some((symbol, length));
        }
        // The words of a code ascend with their lengths, so the first that is not below them is the one.
        let (_, symbol, length) = self.long.get(self.long.partition_point(|(end, ..)| *end <= bits))?;
        Some((*symbol, *length))
    }

    fn of(table: CodeTable) -> Self {
        let mut words = vec![(0, 0); SYMBOLS];
        let (mut next, mut symbols) = (0_u32, table.1.iter());
        for (length, count) in (1_u8..).zip(table.0) {
            for symbol in symbols.by_ref().take(count.into()) {
                words[usize::from(*symbol)] = (next as u16, length);
                next += 1;
            }
            next <<= 1;
        }
        Self { table, words, short: Vec::new(), long: Vec::new() }
    }
}

/// Symbols in their order, without a code.
pub(super) struct Symbols {
    /// Of each: the table, the symbol and the bits that follow it, from the left 8, 8 and 16 bits.
    all: Vec<u32>,
    occurrences: [[u32; SYMBOLS]; TABLES],
}

impl Symbols {
    /// Reads the pixels of a file, which begin with `scan`; `None` if they end too early or are in another code.
    pub(super) fn read(scan: &[u8], codes: &Codes, units: usize) -> Option<Self> {
        let mut bits = Reader::new(scan);
        let mut symbols =
            Self { all: Vec::with_capacity(scan.len() * 2), occurrences: [[0; SYMBOLS]; TABLES] };
        for _ in 0..units {
            for table in BLOCKS {
                symbols.take(&mut bits, &codes.0[table], table)?;
                let mut coefficient = 1;
                while coefficient < COEFFICIENTS {
                    let symbol = symbols.take(&mut bits, &codes.0[table + 1], table + 1)?;
                    if symbol == END_OF_BLOCK {
                        break;
                    }
                    coefficient += u32::from(symbol >> 4) + 1;
                }
            }
        }
        Some(symbols)
    }

    fn take(&mut self, bits: &mut Reader, code: &Code, table: usize) -> Option<u8> {
        bits.fill();
        let (symbol, length) = code.read(bits.peek(LONGEST_WORD.into()))?;
        if bits.is_past_end() {
            return None;
        }
        bits.skip(length.into());
        let more = u32::from(symbol & 15);
        let value = bits.peek(more);
        bits.skip(more);
        self.occurrences[table][usize::from(symbol)] += 1;
        self.all.push((table as u32) << 24 | u32::from(symbol) << 16 | value);
        Some(symbol)
    }

    /// The same pixels in other codes.
    pub(super) fn written(&self, codes: &Codes) -> Vec<u8> {
        let mut output = Writer { bytes: Vec::with_capacity(self.all.len()), waiting: 0, count: 0 };
        for packed in &self.all {
            let [table, symbol, ..] = packed.to_be_bytes();
            let (bits, length) = codes.0[usize::from(table)].words[usize::from(symbol)];
            let more = u32::from(symbol & 15);
            output.put(u64::from(bits) << more | u64::from(packed & 0xffff), u32::from(length) + more);
        }
        output.finish()
    }
}

/// Reads bits, the highest first, and passes over the zeros that follow each byte of ones.
struct Reader<'a> {
    scan: &'a [u8],
    at: usize,
    waiting: u64,
    count: u32,
}

impl<'a> Reader<'a> {
    fn new(scan: &'a [u8]) -> Self {
        Self { scan, at: 0, waiting: 0, count: 0 }
    }

    /// Has at least 32 bits wait; zeros follow the end.
    fn fill(&mut self) {
        if self.count > 32 {
            return;
        }
        if let Some(four) = self.scan.get(self.at..).and_then(|rest| rest.first_chunk::<4>())
            && !four.contains(&0xff)
        {
            self.waiting |= u64::from(u32::from_be_bytes(*four)) << (32 - self.count);
            self.at += 4;
            self.count += 32;
            return;
        }
        while self.count <= 32 {
            let byte = self.scan.get(self.at).copied().unwrap_or(0);
            self.at += if byte == 0xff { 2 } else { 1 };
            self.waiting |= u64::from(byte) << (56 - self.count);
            self.count += 8;
        }
    }

    fn is_past_end(&self) -> bool {
        // What waits may be read ahead, and a marker of two bytes ends the scan.
        self.at > self.scan.len() + 16
    }

    /// The next bits, at most 16.
    fn peek(&self, count: u32) -> u32 {
        (self.waiting >> 32 >> (32 - count)) as u32
    }

    fn skip(&mut self, count: u32) {
        self.waiting <<= count;
        self.count -= count;
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
