//! Deflate (RFC 1951) for rows of pixels of a screen: as fast as the fastest encoders, as small as zlib at its default.
//!
//! A general encoder looks for repetitions anywhere and one byte at a time. On a screen they are where the picture says:
//! one pixel to the left (areas of one colour) and one row above. Those two places are tried first, one place that a hash names
//! after them; what matches nowhere (a photograph) is passed over in growing steps. `block` writes what was found.

mod block;

use crate::budget::Budget;
use crate::picture::PIXEL;
use block::{Bits, Block, LONGEST_MATCH};

/// How far back a match may lie.
const WINDOW: usize = 32 * 1024;
/// Matches of fewer bytes cost about as much as the bytes themselves.
const SHORTEST_MATCH: usize = 4;
/// The same for a match that the hash found, whose distance takes more bits: two pixels, which are also what is hashed.
const SHORTEST_HASHED: usize = 2 * PIXEL;
/// How many bytes longer than the match one pixel to the left another one must be, to make up for the bits of its distance.
const FARTHER: usize = 4;
/// A match of this length is not worth looking for a longer one.
const LONG_ENOUGH: usize = 24;
/// Entries of the table of places by hash, as a power of two. 128 KiB stay in the processor's cache.
const HASH_BITS: u32 = 15;
/// Bytes that are read at a place to hash it.
const HASHED: usize = 8;
/// After this many bytes without a match (a power of two), the step to the next try grows by one.
const PATIENCE: u32 = 5;

/// The raw deflate stream of rows of `row` bytes each, the byte that names their filter included. A stream that is not the
/// `last` one ends at a whole byte in such a way that another one continues it. `None` as soon as the budget is exceeded.
pub(crate) fn deflate(rows: &[u8], row: usize, last: bool, budget: &Budget) -> Option<Vec<u8>> {
    let mut search = Search {
        rows,
        row,
        places: vec![u32::MAX; 1 << HASH_BITS],
        block: Block::beginning(0),
        output: Bits::default(),
        budget,
        counted: 0,
    };
    search.cut_up()?;
    let Search { mut block, mut output, counted, .. } = search;
    block.write(rows, &mut output, last);
    if last {
        output.align();
    } else {
        output.align_by_empty_block();
    }
    let bytes = output.into_bytes();
    budget.add(bytes.len() - counted).then_some(bytes)
}

/// The search for matches.
struct Search<'a> {
    rows: &'a [u8],
    row: usize,
    /// By hash, where such bytes were seen last.
    places: Vec<u32>,
    block: Block,
    output: Bits,
    budget: &'a Budget,
    /// Bytes of the output that the budget knows of.
    counted: usize,
}

impl Search<'_> {
    /// Cuts the rows into literal bytes and matches. A block that becomes large is written on the way. `None` if that exceeds the budget.
    fn cut_up(&mut self) -> Option<()> {
        let (mut at, mut literals_from) = (0, 0);
        let end = self.rows.len();
        while at + HASHED <= end {
            let (length, distance) = self.match_at(at);
            if length == 0 {
                at = end.min(at + 1 + ((at - literals_from) >> PATIENCE));
            } else {
                let (start, length) = self.widened(at, length, distance, literals_from);
                self.block.literals(&self.rows[literals_from..start]);
                self.block.matched(length, distance);
                self.remember_inside(start, distance);
                at = start + length;
                literals_from = at;
            }
            if self.block.is_full(at - literals_from) {
                self.block.literals(&self.rows[literals_from..at]);
                literals_from = at;
                self.block.write(self.rows, &mut self.output, false);
                self.block = Block::beginning(at);
                let more = self.output.written() - self.counted;
                self.counted += more;
                if !self.budget.add(more) {
                    return None;
                }
            }
        }
        self.block.literals(&self.rows[literals_from..]);
        Some(())
    }

    /// Length and distance of the best match at a place; length 0 if none is worth it. The place is remembered.
    fn match_at(&mut self, at: usize) -> (usize, usize) {
        let rows = self.rows;
        let Some(here) = start_of(rows, at) else { return (0, 0) };
        let begins_alike = |distance: usize| distance <= at && start_of(rows, at - distance) == Some(here);
        let mut best = (0, 0);
        if begins_alike(PIXEL) {
            // As long as it goes: areas of one colour are what a screen has most of.
            best = (common_length(rows, at - PIXEL, at, usize::MAX), PIXEL);
            if best.0 >= LONGEST_MATCH {
                return best;
            }
        }
        if self.row <= WINDOW && begins_alike(self.row) {
            let length = common_length(rows, at - self.row, at, LONGEST_MATCH);
            if length >= best.0 + FARTHER {
                best = (length, self.row);
            }
        }
        let seen = std::mem::replace(&mut self.places[hash(rows, at)], at as u32) as usize;
        let distance = at.wrapping_sub(seen);
        if best.0 < LONG_ENOUGH && (1..=WINDOW).contains(&distance) && begins_alike(distance) {
            let length = common_length(rows, at - distance, at, LONGEST_MATCH);
            if length >= SHORTEST_HASHED.max(best.0 + FARTHER) {
                best = (length, distance);
            }
        }
        if best.0 < SHORTEST_MATCH { (0, 0) } else { best }
    }

    /// The match with what it has in common with the bytes before it that are not written yet: growing steps may have
    /// passed its start. Its new start and length.
    fn widened(&self, at: usize, length: usize, distance: usize, not_before: usize) -> (usize, usize) {
        let most = (at - not_before).min(at - distance);
        let before = (1..=most).take_while(|back| self.rows[at - back] == self.rows[at - back - distance]);
        let back = before.count();
        (at - back, length + back)
    }

    /// Remembers two places inside of a match, where later ones may begin.
    fn remember_inside(&mut self, start: usize, distance: usize) {
        if distance == PIXEL {
            return;
        }
        for place in [start + 1, start + PIXEL] {
            if place + HASHED <= self.rows.len() {
                let slot = hash(self.rows, place);
                self.places[slot] = place as u32;
            }
        }
    }
}

/// The four bytes at a place, as far as there are so many.
fn start_of(rows: &[u8], at: usize) -> Option<[u8; SHORTEST_MATCH]> {
    rows.get(at..)?.first_chunk().copied()
}

/// Which entry of the table two pixels belong to.
fn hash(rows: &[u8], at: usize) -> usize {
    let bytes = rows[at..].first_chunk::<HASHED>().copied().unwrap_or_default();
    // The shift leaves the first six bytes; the factor is 2^64 divided by the golden ratio.
    let mixed = (u64::from_le_bytes(bytes) << 16).wrapping_mul(0x9E37_79B1_85EB_CA87);
    (mixed >> (u64::BITS - HASH_BITS)) as usize
}

/// How many bytes from `at` on, at most `limit`, are the same as those from `earlier` on.
fn common_length(rows: &[u8], earlier: usize, at: usize, limit: usize) -> usize {
    let limit = limit.min(rows.len() - at);
    let (mut left, mut right) = (&rows[earlier..earlier + limit], &rows[at..at + limit]);
    let wide = left.as_chunks::<32>().0.iter().zip(right.as_chunks::<32>().0).take_while(|(a, b)| a == b);
    let mut length = wide.count() * 32;
    (left, right) = (&left[length..], &right[length..]);
    for (a, b) in left.as_chunks::<8>().0.iter().zip(right.as_chunks::<8>().0) {
        let difference = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if difference != 0 {
            return length + (difference.trailing_zeros() / u8::BITS) as usize;
        }
        length += 8;
    }
    let rest = rows[earlier + length..earlier + limit].iter().zip(&rows[at + length..at + limit]);
    length + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Decompress, FlushDecompress};
    use proptest::prelude::*;

    fn inflated(stream: &[u8], length: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length + 1);
        Decompress::new(false)
            .decompress_vec(stream, &mut bytes, FlushDecompress::Finish)
            .expect("a deflate stream");
        bytes
    }

    /// Bytes as rows of pixels have them: runs, repetitions of what was before, and noise.
    fn rows() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            (any::<[u8; 3]>(), 1_usize..900).prop_map(|(pixel, times)| pixel.repeat(times)),
            prop::collection::vec(any::<u8>(), 1..300),
            prop::collection::vec(0_u8..4, 1..3000),
            (prop::collection::vec(any::<u8>(), 1..60), 1_usize..30)
                .prop_map(|(text, times)| text.repeat(times)),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    fn deflated(rows: &[u8], row: usize, last: bool) -> Vec<u8> {
        deflate(rows, row, last, &Budget::new(usize::MAX)).expect("without a limit")
    }

    proptest! {
        #[test]
        fn what_was_compressed_comes_back(rows in rows(), row in 1_usize..4000) {
            prop_assert_eq!(inflated(&deflated(&rows, row, true), rows.len()), rows);
        }

        #[test]
        fn a_stream_can_be_continued_by_another(first in rows(), second in rows(), row in 1_usize..4000) {
            let stream = [deflated(&first, row, false), deflated(&second, row, true)].concat();
            let rows = [first, second].concat();
            prop_assert_eq!(inflated(&stream, rows.len()), rows);
        }

        #[test]
        fn the_common_length_is_that_of_a_plain_comparison(bytes in prop::collection::vec(0_u8..2, 2..200), places: (prop::sample::Index, prop::sample::Index), limit in 0_usize..300) {
            let (one, other) = (places.0.index(bytes.len()), places.1.index(bytes.len()));
            let (earlier, at) = (one.min(other), one.max(other));
            let plain = bytes[earlier..].iter().zip(&bytes[at..]).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(common_length(&bytes, earlier, at, limit), plain.min(limit));
        }
    }

    #[test]
    fn what_a_screen_is_made_of_becomes_small() {
        let row = 3001;
        let rows: Vec<u8> = (0..3_000_000_usize).map(|at| (at / 7 % 256 * (at / 90_000)) as u8).collect();
        let stream = deflated(&rows, row, true);
        assert!(stream.len() < rows.len() / 4, "{} bytes", stream.len());
        assert!(inflated(&stream, rows.len()) == rows);
    }

    #[test]
    fn what_exceeds_the_budget_is_not_finished() {
        let rows: Vec<u8> = (0..3_000_000_u32).map(|at| (at.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        let whole = Budget::new(usize::MAX);
        assert!(deflate(&rows, 3001, true, &whole).is_some());
        let budget = Budget::new(whole.written() / 4);
        assert!(deflate(&rows, 3001, true, &budget).is_none());
        assert!(budget.written() < whole.written() / 2, "{} of {}", budget.written(), whole.written());
        let exact = Budget::new(whole.written());
        assert!(deflate(&rows, 3001, true, &exact).is_some());
    }

    #[test]
    fn noise_grows_by_less_than_a_hundredth() {
        let mut state = 1_u64;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .take(300_000)
        .collect();
        let stream = deflated(&noise, 3001, true);
        assert!(stream.len() < noise.len() + noise.len() / 100, "{} bytes", stream.len());
        assert!(inflated(&stream, noise.len()) == noise);
    }
}
