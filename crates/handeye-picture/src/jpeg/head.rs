//! The part before the pixels in a JPEG file: segments, each of a marker of two bytes and a length that counts from there.

use super::symbols::{Codes, TABLES};

/// Second bytes of markers; the first one is 0xff.
const START_OF_FRAME: u8 = 0xc0;
const HUFFMAN_CODE: u8 = 0xc4;
const START_OF_SCAN: u8 = 0xda;
/// The first of eight, which take turns.
pub(super) const RESTART: u8 = 0xd0;
pub(super) const END_OF_IMAGE: [u8; 2] = [0xff, 0xd9];
/// Code lengths have 1 to 16 bits.
const LENGTHS: usize = 16;

/// The segments of a file of three components in one scan.
pub(super) struct Head {
    /// All but the codes, in two parts: the codes are between them.
    before_codes: Vec<u8>,
    after_codes: Vec<u8>,
    /// Where the height is in the first part.
    height_at: usize,
    /// Where the pixels begin in the file.
    pub(super) scan_at: usize,
}

impl Head {
    /// Reads a file: its head without the codes, and those; `None` if it is not one that the encoder makes.
    pub(super) fn of(jpeg: &[u8]) -> Option<(Self, Codes)> {
        let mut before_codes = jpeg.get(..2)?.to_vec();
        let mut after_codes = Vec::new();
        let (mut at, mut height_at, mut codes) = (2, None, [const { None }; TABLES]);
        loop {
            let [_, marker, high, low] = *jpeg.get(at..)?.first_chunk()?;
            let end = at + 2 + usize::from(u16::from_be_bytes([high, low]));
            let segment = jpeg.get(at..end)?;
            match marker {
                HUFFMAN_CODE => {
                    let (table, lengths, symbols) = code_of(segment)?;
                    *codes.get_mut(table)? = Some((lengths, symbols));
                }
                _ if codes.iter().any(Option::is_some) => after_codes.extend_from_slice(segment),
                _ => {
                    if marker == START_OF_FRAME {
                        height_at = Some(before_codes.len() + 5);
                    }
                    before_codes.extend_from_slice(segment);
                }
            }
            at = end;
            if marker == START_OF_SCAN {
                let [one, two, three, four] = codes;
                let codes = Codes::standard([one?, two?, three?, four?]);
                return Some((Self { before_codes, after_codes, height_at: height_at?, scan_at: at }, codes));
            }
        }
    }

    /// The same with another height and other codes.
    pub(super) fn with(&self, height: u16, codes: &Codes) -> Vec<u8> {
        let mut bytes = self.before_codes.clone();
        bytes[self.height_at..self.height_at + 2].copy_from_slice(&height.to_be_bytes());
        for (table, (lengths, symbols)) in codes.tables().into_iter().enumerate() {
            bytes.extend([0xff, HUFFMAN_CODE]);
            bytes.extend(((2 + 1 + LENGTHS + symbols.len()) as u16).to_be_bytes());
            bytes.push(NAMES[table]);
            bytes.extend(lengths);
            bytes.extend(symbols);
        }
        bytes.extend_from_slice(&self.after_codes);
        bytes
    }
}

/// What names the code of each table in a file: 0x10 for the higher frequencies, and whether it is for colours.
const NAMES: [u8; TABLES] = [0x00, 0x10, 0x01, 0x11];

/// The table that a segment is for, and its code.
fn code_of(segment: &[u8]) -> Option<(usize, [u8; LENGTHS], Vec<u8>)> {
    let table = NAMES.iter().position(|name| Some(name) == segment.get(4))?;
    let lengths = *segment.get(5..)?.first_chunk()?;
    Some((table, lengths, segment.get(5 + LENGTHS..)?.to_vec()))
}
