//! What is around the pixels of a file: signature and chunks (PNG, sections 5 and 11).

use crate::picture::Picture;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Most bytes of a chunk's content.
pub(crate) const LONGEST_CHUNK: usize = i32::MAX as usize;
/// Bytes before the content of the first chunk of pixels: the signature, the header with what is around its 13 bytes, and what that chunk
/// begins with.
pub(crate) const STREAM_START: usize = 8 + 12 + 13 + 8;
/// What follows the sides in the header: 8 bits a colour, RGB, and the only methods that there are, without interlacing.
const RGB_OF_8_BITS: [u8; 5] = [8, 2, 0, 0, 0];

/// The file of a picture whose filtered rows are this zlib stream, in chunks of at most `longest` bytes.
pub(crate) fn file(picture: Picture<'_>, stream: &[u8], longest: usize) -> Vec<u8> {
    let mut file = Vec::with_capacity(stream.len() + 128);
    file.extend(SIGNATURE);
    let mut header = [0; 13];
    header[..4].copy_from_slice(&picture.width().to_be_bytes());
    header[4..8].copy_from_slice(&picture.height().to_be_bytes());
    header[8..].copy_from_slice(&RGB_OF_8_BITS);
    append(&mut file, *b"IHDR", &header);
    for piece in stream.chunks(longest) {
        append(&mut file, *b"IDAT", piece);
    }
    append(&mut file, *b"IEND", &[]);
    file
}

fn append(file: &mut Vec<u8>, kind: [u8; 4], content: &[u8]) {
    // A chunk has at most `LONGEST_CHUNK` bytes.
    file.extend((content.len() as u32).to_be_bytes());
    file.extend(kind);
    file.extend_from_slice(content);
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(&kind);
    checksum.update(content);
    file.extend(checksum.finalize().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_is_too_long_for_a_chunk_takes_several() {
        let rgb = [1, 2, 3, 4, 5, 6];
        let picture = Picture::new(2, 1, &rgb).expect("a picture");
        // Stored: the filter's number and the bytes as they are.
        let rows = [0, 1, 2, 3, 4, 5, 6];
        let mut stream = vec![0x78, 0x01, 1, 7, 0, 0xf8, 0xff];
        stream.extend(rows);
        stream.extend(simd_adler32::adler32(&rows.as_slice()).to_be_bytes());
        for longest in [1, 5, LONGEST_CHUNK] {
            let file = file(picture, &stream, longest);
            let chunks = file.windows(4).filter(|bytes| bytes == b"IDAT").count();
            assert_eq!(chunks, stream.len().div_ceil(longest));
            let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().expect("a PNG");
            let mut pixels = [0; 6];
            reader.next_frame(&mut pixels).expect("pixels with right checksums");
            assert_eq!(pixels, rgb);
        }
    }
}
