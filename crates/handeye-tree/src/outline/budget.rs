//! An estimate of what a text costs a model, in tokens of the o200k vocabulary.

/// About how many tokens `text` has. Leans to the high side, so that a budget that is kept by it is kept.
pub fn estimate_tokens(text: &str) -> usize {
    let mut estimate = Estimate::default();
    for c in text.chars() {
        estimate.add(c);
    }
    estimate.finish()
}

/// Counts in quarters of a token.
#[derive(Default)]
struct Estimate {
    quarters: usize,
    word: usize,
    digits: usize,
    last_punctuation: Option<char>,
    spaces: usize,
}

impl Estimate {
    fn add(&mut self, c: char) {
        if c.is_ascii_alphabetic() {
            self.end_digits();
            self.spaces = 0;
            self.last_punctuation = None;
            self.word += 1;
            return;
        }
        self.end_word();
        if c.is_ascii_digit() {
            self.spaces = 0;
            self.last_punctuation = None;
            self.digits += 1;
            return;
        }
        self.end_digits();
        if c == ' ' {
            self.spaces += 1;
            // One space belongs to the next word; several are a token of their own.
            if self.spaces == 2 {
                self.quarters += 4;
            }
            self.last_punctuation = None;
            return;
        }
        self.spaces = 0;
        if c == '\n' {
            self.quarters += 4;
        } else if c.is_ascii() {
            // Marks that follow each other often share a token.
            self.quarters += if self.last_punctuation.is_some() { 3 } else { 4 };
        } else {
            self.quarters += match u32::from(c) {
                // Latin with marks, Greek, Cyrillic: some letters a token.
                0x80..=0x58f => 3,
                // Hebrew, Arabic, Indic and Thai letters.
                0x590..=0x1fff => 4,
                // Emoji and rare scripts go by the byte.
                0x1_0000.. => 12,
                // Han, kana, hangul, punctuation, arrows, box drawing.
                _ => 5,
            };
        }
        self.last_punctuation = Some(c);
    }

    fn end_word(&mut self) {
        if self.word > 0 {
            // Common words of up to seven letters are one token; beyond that one for each four letters.
            self.quarters += 4 + self.word.saturating_sub(6);
            self.word = 0;
        }
    }

    fn end_digits(&mut self) {
        self.quarters += 4 * self.digits.div_ceil(3);
        self.digits = 0;
    }

    fn finish(mut self) -> usize {
        self.end_word();
        self.end_digits();
        self.quarters.div_ceil(4)
    }
}
