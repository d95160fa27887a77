//! The part before the pixels in a JPEG file: segments, each of a marker of two bytes and a length that counts from there
//! (ITU-T T.81, B.2; JFIF 1.02).

use super::codes::{Codes, LONGEST_WORD, TABLES};
use super::transform::{Quantizer, ZIGZAG};

const START_OF_IMAGE: [u8; 2] = [0xff, 0xd8];
pub(super) const END_OF_IMAGE: [u8; 2] = [0xff, 0xd9];

/// Second bytes of markers; the first one is 0xff.
const JFIF: u8 = 0xe0;
const DIVISORS: u8 = 0xdb;
const START_OF_FRAME: u8 = 0xc0;
const HUFFMAN_CODE: u8 = 0xc4;
const RESTART_INTERVAL: u8 = 0xdd;
const START_OF_SCAN: u8 = 0xda;
/// The first of eight, which take turns.
const RESTART: u8 = 0xd0;

/// Version 1.02; the pixels are square, of no stated size, and there is no preview.
const JFIF_CONTENT: [u8; 14] = [b'J', b'F', b'I', b'F', 0, 1, 2, 0, 0, 1, 0, 1, 0, 0];
/// Brightness and two colours: their number, how many blocks of each a unit has in both directions, and which divisors they have.
const COMPONENT_PARAMETERS: [[u8; 3]; 3] = [[1, 0x22, 0], [2, 0x11, 1], [3, 0x11, 1]];
/// Number of each component and which codes it has for the mean and for higher frequencies, then: all frequencies, in one go.
const SCAN: [u8; 10] = [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0];
/// What names the code of each table: 0x10 for higher frequencies, and whether it is for colours.
const CODE_NAMES: [u8; TABLES] = [0x00, 0x10, 0x01, 0x11];

/// The marker between two strips of which this many have gone before the first.
pub(super) fn restart(number: usize) -> [u8; 2] {
    [0xff, RESTART + (number % 8) as u8]
}

/// All that comes before the pixels of a picture of this width and height, with a restart marker after so many units, if any.
pub(super) fn head(
    (width, height): (u16, u16),
    quantizer: &Quantizer,
    codes: &Codes,
    restart_after: Option<usize>,
) -> Vec<u8> {
    let mut bytes = START_OF_IMAGE.to_vec();
    let mut segment = |marker: u8, content: &[u8]| {
        bytes.extend([0xff, marker]);
        bytes.extend((content.len() as u16 + 2).to_be_bytes());
        bytes.extend_from_slice(content);
    };
    segment(JFIF, &JFIF_CONTENT);
    for (name, divisors) in (0_u8..).zip(quantizer.divisors()) {
        let in_order = ZIGZAG.map(|place| divisors[place]);
        segment(DIVISORS, &[&[name], in_order.as_slice()].concat());
    }
    let mut frame = vec![8];
    frame.extend(height.to_be_bytes());
    frame.extend(width.to_be_bytes());
    frame.push(COMPONENT_PARAMETERS.len() as u8);
    frame.extend(COMPONENT_PARAMETERS.as_flattened());
    segment(START_OF_FRAME, &frame);
    for (name, (lengths, symbols)) in CODE_NAMES.into_iter().zip(codes.tables()) {
        const { assert!(LONGEST_WORD == 16, "a file has so many lengths") };
        segment(HUFFMAN_CODE, &[&[name], lengths, symbols].concat());
    }
    if let Some(units) = restart_after {
        segment(RESTART_INTERVAL, &(units as u16).to_be_bytes());
    }
    segment(START_OF_SCAN, &SCAN);
    bytes
}
