//! Pixels to PNG, fast and small: in strips of rows, each filtered and compressed while it is in the processor's cache.

use crate::budget::Budget;
use crate::container::{self, LONGEST_CHUNK};
use crate::deflate::deflate;
use crate::filter::RowFilter;
use crate::picture::Picture;
use crate::strips::{Earlier, Strip, StripEnd, Strips, ZLIB_HEADER};
use crate::threads::{OneThread, Threads};
use simd_adler32::Adler32;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes of a strip, about: small enough for the cache, large enough to find what repeats.
const STRIP: usize = 1024 * 1024;

impl Picture<'_> {
    /// The picture as the bytes of a PNG file, encoded on this thread. For a screen that takes milliseconds.
    pub fn to_png(&self) -> Vec<u8> {
        // No file has more bytes than can be addressed.
        self.to_png_within(usize::MAX, &OneThread).unwrap_or_default()
    }

    /// The picture as the bytes of a PNG file, encoded on these threads; `None`, as soon as that is known, if the file would have more than
    /// `most` bytes.
    pub fn to_png_within(&self, most: usize, threads: &dyn Threads) -> Option<Vec<u8>> {
        self.to_png_after(None, most, threads).map(|(file, _)| file)
    }

    /// As [`to_png_within`](Self::to_png_within), and where the strips are in the file. Of the file of an earlier picture, those strips are taken
    /// over that have the same pixels; the file is no other than without that.
    pub fn to_png_after(
        &self,
        earlier: Option<Earlier<'_>>,
        most: usize,
        threads: &dyn Threads,
    ) -> Option<(Vec<u8>, Strips)> {
        let earlier = earlier.filter(|earlier| earlier.is_of(*self));
        let rows_per_strip = rows_per_strip(*self);
        let kept = |index: usize| {
            let first = index * rows_per_strip;
            earlier.as_ref()?.strip(index, first..first + rows_per_strip)
        };
        let Stream { bytes, ends } = compress(*self, most, threads, &kept)?;
        let file = container::file(*self, &bytes, LONGEST_CHUNK);
        let strips = Strips::new(*self, &file, if bytes.len() <= LONGEST_CHUNK { ends } else { Vec::new() });
        (file.len() <= most).then_some((file, strips))
    }
}

/// A zlib stream of the rows of a picture.
struct Stream {
    bytes: Vec<u8>,
    /// Where each strip ends.
    ends: Vec<StripEnd>,
}

fn rows_per_strip(picture: Picture<'_>) -> usize {
    (STRIP / picture.row()).max(1)
}

/// The zlib stream of all rows; `None` if it is sure to have more bytes than `most`. Strips are compressed independently: a deflate
/// stream that ends at a byte can be continued by another one. Those that are `kept` are not compressed.
fn compress<'a>(
    picture: Picture<'_>,
    most: usize,
    threads: &dyn Threads,
    kept: &(dyn Fn(usize) -> Option<Strip<'a>> + Sync),
) -> Option<Stream> {
    let (rgb, row) = (picture.rgb(), picture.row());
    let rows = rgb.len() / row;
    let rows_per_strip = rows_per_strip(picture);
    let count = rows.div_ceil(rows_per_strip);
    let budget = Budget::new(most);
    let strip = |index: usize| {
        let first = index * rows_per_strip;
        if let Some(strip) = kept(index) {
            return budget.add(strip.deflated.len()).then_some(strip);
        }
        strip_within(&budget, rgb, row, first..rows.min(first + rows_per_strip), index + 1 == count)
    };
    let strips: Vec<OnceLock<Option<Strip<'_>>>> =
        std::iter::repeat_with(OnceLock::new).take(count).collect();
    threads.for_each(count, &|index| {
        if let Some(slot) = strips.get(index) {
            slot.get_or_init(|| strip(index));
        }
    });
    let mut bytes = Vec::with_capacity(budget.written() + 8);
    let mut ends = Vec::with_capacity(count);
    bytes.extend_from_slice(&ZLIB_HEADER);
    // The checksum of nothing.
    let mut checksum = 1;
    for (index, slot) in strips.into_iter().enumerate() {
        // What the threads left out is done here.
        let strip = slot.into_inner().unwrap_or_else(|| strip(index))?;
        bytes.extend_from_slice(&strip.deflated);
        checksum = joined(checksum, strip.checksum, strip.length);
        ends.push(StripEnd { at: bytes.len(), checksum: strip.checksum, length: strip.length });
    }
    bytes.extend_from_slice(&checksum.to_be_bytes());
    Some(Stream { bytes, ends })
}

/// Compresses rows; `None` as soon as the budget is exceeded.
fn strip_within(
    budget: &Budget,
    rgb: &[u8],
    row: usize,
    rows: Range<usize>,
    last: bool,
) -> Option<Strip<'static>> {
    if !budget.add(0) {
        return None;
    }
    let mut filtered = Vec::with_capacity((row + 1) * rows.len());
    let mut filter = RowFilter::new();
    // Above the first row everything counts as zero.
    let black = vec![0; if rows.start == 0 { row } else { 0 }];
    for index in rows {
        let above = index.checked_sub(1).map_or(black.as_slice(), |above| &rgb[above * row..index * row]);
        filter.append(&rgb[index * row..(index + 1) * row], above, &mut filtered);
    }
    let mut adler = Adler32::new();
    adler.write(&filtered);
    let deflated = deflate(&filtered, row + 1, last, budget)?;
    Some(Strip { deflated: Cow::Owned(deflated), checksum: adler.finish(), length: filtered.len() })
}

/// The Adler-32 of two pieces of data in a row, from that of each and the length of the second.
fn joined(first: u32, second: u32, second_length: usize) -> u32 {
    const BASE: u64 = 65_521;
    let halves = |sum: u32| (u64::from(sum & 0xffff), u64::from(sum >> 16));
    let ((first_low, first_high), (second_low, second_high)) = (halves(first), halves(second));
    let length = second_length as u64 % BASE;
    let low = (first_low + second_low + BASE - 1) % BASE;
    // The first sum goes into the second one once for each byte that follows, less its own start of 1.
    let high = (first_high + second_high + length * ((first_low + BASE - 1) % BASE)) % BASE;
    (high << 16 | low) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{self, KINDS, Kind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_limit_is_kept_to_the_byte() {
        for kind in KINDS {
            let rgb = samples::rgb(kind, 301, 177);
            let picture = Picture::new(301, 177, &rgb).expect("a picture");
            let size = picture.to_png().len();
            let within = |most| picture.to_png_within(most, &OneThread).map(|file| file.len());
            assert_eq!([within(size), within(size - 1), within(0)], [Some(size), None, None], "{kind:?}");
        }
    }

    /// Threads that leave numbers out, repeat them and add others.
    struct Counting<'a> {
        count: &'a AtomicUsize,
        from: usize,
        times: usize,
    }

    impl Threads for Counting<'_> {
        fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
            self.count.store(count, Ordering::Relaxed);
            for index in (self.from..count + 3).rev() {
                (0..self.times).for_each(|_| work(index));
            }
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_the_threads() {
        for kind in KINDS {
            let rgb = samples::rgb(kind, 1001, 777);
            let picture = Picture::new(1001, 777, &rgb).expect("a picture");
            let alone = picture.to_png();
            for (from, times) in [(0, 1), (0, 2), (1, 1), (9, 0)] {
                let count = AtomicUsize::new(0);
                let file = picture.to_png_within(usize::MAX, &Counting { count: &count, from, times });
                assert!(file.as_deref() == Some(alone.as_slice()), "{kind:?}, from {from}, {times} times");
                assert_eq!(count.into_inner(), 3);
            }
        }
    }

    /// The file of a picture after an earlier one.
    fn after(picture: Picture<'_>, earlier: Option<Earlier<'_>>) -> (Vec<u8>, Strips) {
        picture.to_png_after(earlier, usize::MAX, &OneThread).expect("without a limit")
    }

    #[test]
    fn a_file_after_another_one_is_the_same_as_without_it() {
        for kind in KINDS {
            let mut rgb = samples::rgb(kind, 1001, 1400);
            let (first, strips) = after(Picture::new(1001, 1400, &rgb).expect("a picture"), None);
            for (row, rows) in [(0, 0..1), (348, 348..349), (349, 349..350), (1399, 1399..1400), (700, 2..3)]
            {
                rgb[row * 3003 + 500] ^= 0x55;
                let picture = Picture::new(1001, 1400, &rgb).expect("a picture");
                let redrawn = std::slice::from_ref(&rows);
                let (file, _) = after(picture, Some(Earlier { file: &first, strips: &strips, redrawn }));
                let is_right = rows.contains(&(row as u32));
                assert_eq!(
                    file == picture.to_png(),
                    is_right,
                    "{kind:?}, row {row}: only what is redrawn is new"
                );
                rgb[row * 3003 + 500] ^= 0x55;
            }
        }
    }

    #[test]
    fn nothing_is_taken_over_of_another_file() {
        let rgb = samples::rgb(Kind::Noise, 300, 300);
        let picture = Picture::new(300, 300, &rgb).expect("a picture");
        let (file, strips) = after(picture, None);
        let other = vec![1; 300 * 300 * 3];
        let (other, other_strips) = after(Picture::new(300, 300, &other).expect("a picture"), None);
        for (file, strips) in [(&other, &strips), (&file, &other_strips)] {
            let earlier = Earlier { file, strips, redrawn: &[] };
            assert!(after(picture, Some(earlier)).0 == picture.to_png());
        }
        let turned = Picture::new(150, 600, &rgb).expect("a picture");
        let earlier = Earlier { file: &file, strips: &strips, redrawn: &[] };
        assert!(after(turned, Some(earlier)).0 == turned.to_png());
    }

    #[test]
    fn checksums_of_pieces_join_to_that_of_the_whole() {
        let bytes = samples::rgb(Kind::Noise, 300, 300);
        let checksum = |bytes: &[u8]| simd_adler32::adler32(&bytes);
        for cut in [0, 1, 65_521, 65_522, 131_042, bytes.len()] {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(joined(checksum(first), checksum(second), second.len()), checksum(&bytes), "{cut}");
        }
    }
}
