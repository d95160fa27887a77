//! What the file of one picture takes over from that of another one.

use crate::container::STREAM_START;
use crate::picture::Picture;
use std::borrow::Cow;
use std::ops::Range;

/// Begins a zlib stream: deflate, 32 KiB window, fast.
pub(crate) const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];

/// Some rows of a picture, compressed.
pub(crate) struct Strip<'a> {
    pub(crate) deflated: Cow<'a, [u8]>,
    /// Adler-32 of the filtered rows.
    pub(crate) checksum: u32,
    /// How many bytes those had.
    pub(crate) length: usize,
}

/// Where the strips of a file are, by [`Picture::to_png_after`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strips {
    width: u32,
    height: u32,
    /// Bytes of the file.
    size: usize,
    /// The checksum of its last chunk of pixels, by which the file is recognized.
    checksum: Option<[u8; 4]>,
    ends: Vec<StripEnd>,
}

/// Where a strip ends, and what the checksum of all is joined from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StripEnd {
    /// Bytes of the stream until there.
    pub(crate) at: usize,
    pub(crate) checksum: u32,
    pub(crate) length: usize,
}

/// A picture that was encoded before, and where another one of its size differs from it.
#[derive(Debug, Clone, Copy)]
pub struct Earlier<'a> {
    /// The whole file.
    pub file: &'a [u8],
    /// Where its strips are. Nothing is taken over of a file that has others.
    pub strips: &'a Strips,
    /// The rows in which the pictures may differ, in any order. All others have the same pixels.
    pub redrawn: &'a [Range<u32>],
}

impl Strips {
    pub(crate) fn new(picture: Picture<'_>, file: &[u8], ends: Vec<StripEnd>) -> Self {
        let (width, height) = (picture.width(), picture.height());
        Self { width, height, size: file.len(), checksum: checksum_of(file), ends }
    }
}

impl<'a> Earlier<'a> {
    /// Whether its picture has these sides, and its strips are those of its file.
    pub(crate) fn is_of(&self, picture: Picture<'_>) -> bool {
        let Strips { width, height, size, checksum, .. } = *self.strips;
        (width, height) == (picture.width(), picture.height())
            && size == self.file.len()
            && checksum == checksum_of(self.file)
    }

    /// The strip of these rows, if none of them differs. Its first row is filtered by the one above.
    pub(crate) fn strip(&self, index: usize, rows: Range<usize>) -> Option<Strip<'a>> {
        let seen = rows.start.saturating_sub(1)..rows.end;
        let differs =
            |drawn: &Range<u32>| (drawn.start as usize) < seen.end && seen.start < drawn.end as usize;
        if self.redrawn.iter().any(differs) {
            return None;
        }
        let end = self.strips.ends.get(index)?;
        let start = index
            .checked_sub(1)
            .map_or(Some(ZLIB_HEADER.len()), |before| self.strips.ends.get(before).map(|before| before.at))?;
        let deflated = self.file.get(STREAM_START + start..STREAM_START + end.at)?;
        Some(Strip { deflated: Cow::Borrowed(deflated), checksum: end.checksum, length: end.length })
    }
}

/// The checksum of the last chunk before the end, which is that of the strips.
fn checksum_of(file: &[u8]) -> Option<[u8; 4]> {
    // The chunk that ends a file has 12 bytes.
    file.last_chunk::<16>().and_then(|end| end.first_chunk::<4>()).copied()
}
