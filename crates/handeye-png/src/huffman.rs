//! Huffman codes: canonical, of limited length.

/// A code for the symbols of an alphabet as deflate wants it: the first bit of a word is the lowest.
pub(crate) struct Code {
    words: Vec<(u16, u8)>,
}

impl Code {
    /// The shortest code for symbols that occur this often in which none takes more than `limit` bits.
    pub(crate) fn new(occurrences: &[u32], limit: u8) -> Self {
        let lengths = code_lengths(occurrences, limit);
        let bits = canonical(&lengths);
        Self { words: bits.into_iter().zip(lengths).collect() }
    }

    /// The bits of a symbol and how many they are; none for a symbol that does not occur.
    pub(crate) fn word(&self, symbol: usize) -> (u64, u32) {
        let (bits, length) = self.words[symbol];
        (bits.into(), length.into())
    }

    /// How many bits each symbol takes, up to the last one that occurs and at least `least` symbols.
    pub(crate) fn stored_lengths(&self, least: usize) -> impl Iterator<Item = u8> {
        let stored =
            self.words.iter().rposition(|(_, length)| *length > 0).map_or(0, |last| last + 1).max(least);
        self.words[..stored].iter().map(|(_, length)| *length)
    }
}

/// How many bits the code word of each symbol has in the Huffman code for symbols that occur this often, at most `limit`; 0 for a symbol that does
/// not occur. The rarer of two symbols never has the shorter code word, and a lone symbol has one of one bit.
///
/// Public because JPEG, which has the same kind of code, needs it too. The lengths are those of an optimal code, unless its longest words
/// exceed the limit: then some others are lengthened, which costs a fraction of a percent.
///
/// # Panics
/// If `limit` is 0 or more than 32, or words of at most `limit` bits are too few for the symbols that occur.
///
/// ```
/// assert_eq!(handeye_png::code_lengths(&[40, 0, 7, 8, 1], 15), [1, 0, 3, 2, 3]);
/// ```
pub fn code_lengths(occurrences: &[u32], limit: u8) -> Vec<u8> {
    assert!((1..=32).contains(&limit), "a limit of {limit} bits");
    let mut lengths = vec![0; occurrences.len()];
    let mut used: Vec<usize> = (0..occurrences.len()).filter(|symbol| occurrences[*symbol] > 0).collect();
    if let [only] = used[..] {
        lengths[only] = 1;
        return lengths;
    }
    assert!(used.len() as u64 <= 1 << limit, "{} symbols in words of {limit} bits", used.len());
    used.sort_by_key(|symbol| occurrences[*symbol]);
    let mut per_length = vec![0_u32; usize::from(limit) + 1];
    for depth in depths(used.iter().map(|symbol| occurrences[*symbol].into()).collect()) {
        per_length[depth.min(usize::from(limit))] += 1;
    }
    fit_into_the_code_space(&mut per_length);
    // The rarest symbols get the longest words.
    let mut rarest_first = used.into_iter();
    for length in (1..=limit).rev() {
        for symbol in rarest_first.by_ref().take(per_length[usize::from(length)] as usize) {
            lengths[symbol] = length;
        }
    }
    lengths
}

/// Depth of each leaf in Huffman's tree of leaves of these weights, which ascend.
fn depths(mut weights: Vec<u64>) -> Vec<usize> {
    let leaves = weights.len();
    let nodes = (2 * leaves).saturating_sub(1);
    let mut parents = vec![0; nodes];
    let (mut leaf, mut inner) = (0, leaves);
    for next in leaves..nodes {
        let mut sum = 0;
        for _ in 0..2 {
            // Inner nodes come into being in ascending order too, so the lightest node heads one of two queues.
            let is_leaf = leaf < leaves && (inner >= next || weights[leaf] <= weights[inner]);
            let lightest = if is_leaf { &mut leaf } else { &mut inner };
            sum += weights[*lightest];
            parents[*lightest] = next;
            *lightest += 1;
        }
        weights.push(sum);
    }
    let mut depths = vec![0; nodes];
    for node in (0..nodes.saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]] + 1;
    }
    depths.truncate(leaves);
    depths
}

/// Lengthens words until those that were cut to the limit fit in: how many words there are of each length.
fn fit_into_the_code_space(per_length: &mut [u32]) {
    let limit = per_length.len() - 1;
    let mut taken: u64 = (1..=limit).map(|length| u64::from(per_length[length]) << (limit - length)).sum();
    while taken > 1 << limit {
        // A word of the longest kind moves in beside the longest one that can still grow, which grows by one bit.
        let Some(shorter) = (1..limit).rev().find(|length| per_length[*length] > 0) else { return };
        per_length[limit] -= 1;
        per_length[shorter] -= 1;
        per_length[shorter + 1] += 2;
        taken -= 1;
    }
}

fn canonical(lengths: &[u8]) -> Vec<u16> {
    let mut next = [0_u16; 17];
    for length in lengths.iter().filter(|length| **length > 0) {
        next[usize::from(*length) + 1] += 1;
    }
    for length in 2..next.len() {
        next[length] = (next[length] + next[length - 1]) << 1;
    }
    lengths
        .iter()
        .map(|length| match usize::from(*length) {
            0 => 0,
            length => {
                let word = next[length];
                next[length] = word.wrapping_add(1);
                word.reverse_bits() >> (16 - length)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_fill_the_code_space_and_stay_within_the_limit(occurrences in prop::collection::vec(prop_oneof![Just(0_u32), 1_u32..5, 0_u32..1_000_000], 2..286), limit in 9_u8..16) {
            let lengths = code_lengths(&occurrences, limit);
            let used = occurrences.iter().filter(|count| **count > 0).count();
            prop_assert!(lengths.iter().all(|length| *length <= limit));
            prop_assert!(lengths.iter().zip(&occurrences).all(|(length, count)| (*length > 0) == (*count > 0)));
            let space: u32 = lengths.iter().filter(|length| **length > 0).map(|length| 1 << (limit - length)).sum();
            if used > 1 {
                prop_assert_eq!(space, 1 << limit);
            }
        }

        #[test]
        fn no_word_begins_with_another(occurrences in prop::collection::vec(0_u32..100_000, 2..60)) {
            let code = Code::new(&occurrences, 9);
            let words: Vec<(u64, u32)> =
                (0..occurrences.len()).map(|symbol| code.word(symbol)).filter(|(_, length)| *length > 0).collect();
            for (index, (one, length)) in words.iter().enumerate() {
                for (other, longer) in words.iter().skip(index + 1) {
                    let shared = (*length).min(*longer);
                    prop_assert_ne!(one & ((1 << shared) - 1), other & ((1 << shared) - 1));
                }
            }
        }
    }

    #[test]
    fn a_lone_symbol_takes_one_bit() {
        assert_eq!(code_lengths(&[0, 7, 0], 15), [0, 1, 0]);
        assert_eq!(code_lengths(&[0, 0], 15), [0, 0]);
    }

    #[test]
    fn weights_whose_sum_exceeds_32_bits_are_no_different() {
        let large = code_lengths(&[u32::MAX, u32::MAX - 1, u32::MAX - 2, 1 << 30], 15);
        assert_eq!(large, [2, 2, 2, 2]);
        assert_eq!(code_lengths(&[u32::MAX; 256], 8), [8; 256]);
    }

    #[test]
    #[should_panic(expected = "5 symbols in words of 2 bits")]
    fn a_limit_that_cannot_be_kept_is_refused() {
        code_lengths(&[1; 5], 2);
    }
}
