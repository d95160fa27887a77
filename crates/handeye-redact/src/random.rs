//! Words that nobody has written: long, and without the regularity of a language, a name or a number.
//!
//! In a random word of letters and digits, most characters are of another class than the one before; in names, however they are composed,
//! few are (`handleMouseEvent2D`). Hexadecimal words are left alone: versions, digests and ids are such words, and no form distinguishes a
//! key among them.

use std::ops::Range;

/// Fewest characters of a random word.
const SHORTEST: usize = 20;
/// The same where the text was cut after it.
const SHORTEST_CUT: usize = 14;
/// Longest word that is a secret: what is longer is data.
const LONGEST: usize = 512;
/// How the Base64 of a picture begins: PNG, JPEG, GIF, WebP.
const PICTURES: [&[u8]; 4] = [b"iVBORw0KGgo", b"/9j/", b"R0lGOD", b"UklGR"];

/// The random words in a text, in their order, beside what `is_taken` already.
pub(crate) fn words(text: &str, mut found: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !is_of_word(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_of_word(bytes[at]) {
            at += 1;
        }
        // `\n` before a word is the end of a line.
        let is_escape = start > 0 && bytes[start - 1] == b'\\' && matches!(bytes[start], b'n' | b'r' | b't');
        let start = start + usize::from(is_escape);
        let is_cut = text[at..].starts_with('…');
        if at - start >= if is_cut { SHORTEST_CUT } else { SHORTEST } {
            in_run(bytes, start..at, is_cut, &mut found);
        }
    }
}

/// Characters of Base64 in both alphabets.
const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-')
}

/// The random words in a run of such characters: all of it, or those between its slashes and equals signs.
fn in_run(bytes: &[u8], run: Range<usize>, is_cut: bool, found: &mut impl FnMut(Range<usize>)) {
    let whole = &bytes[run.clone()];
    if whole.len() > LONGEST || PICTURES.iter().any(|picture| whole.starts_with(picture)) {
        return;
    }
    let trimmed = whole.iter().rev().take_while(|byte| **byte == b'=').count();
    let text = &whole[..whole.len() - trimmed];
    let has_slash = text.iter().any(|byte| matches!(byte, b'/' | b'+'));
    if has_slash && text.len() >= 32 && !matches!(text[0], b'/') && is_random_base64(text) {
        found(run);
        return;
    }
    let mut at = run.start;
    for part in whole.split(|byte| matches!(byte, b'/' | b'+' | b'=')) {
        let range = at..at + part.len();
        at = range.end + 1;
        let is_last = range.end == run.end;
        if is_random(part, is_cut && is_last) {
            found(range);
        }
    }
}

/// How the characters of a word are distributed.
#[derive(Default)]
struct Profile {
    length: usize,
    lower: usize,
    upper: usize,
    digits: usize,
    hexadecimal: usize,
    /// Characters of another class than the one before.
    turns: usize,
    distinct: usize,
}

impl Profile {
    /// Of the letters and digits of a word.
    fn of(word: &[u8]) -> Self {
        let mut profile = Self::default();
        let mut seen = 0_u128;
        let mut before = None;
        for byte in word.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
            let class = if byte.is_ascii_digit() {
                profile.digits += 1;
                0
            } else if byte.is_ascii_lowercase() {
                profile.lower += 1;
                1
            } else {
                profile.upper += 1;
                2
            };
            profile.length += 1;
            profile.hexadecimal += usize::from(byte.is_ascii_hexdigit());
            profile.turns += usize::from(before.is_some_and(|before| before != class));
            before = Some(class);
            // ASCII: below 128.
            seen |= 1 << byte;
        }
        profile.distinct = seen.count_ones() as usize;
        profile
    }

    /// Whether at least so many percent of the characters are of another class than the one before.
    const fn turns_at_least(&self, percent: usize) -> bool {
        self.turns * 100 >= percent * self.length.saturating_sub(1)
    }
}

/// Whether a word, in which `-` and `_` may be, is random.
fn is_random(word: &[u8], is_cut: bool) -> bool {
    if word.len() < if is_cut { SHORTEST_CUT } else { SHORTEST } {
        return false;
    }
    let shortest_part = if is_cut { 10 } else { 14 };
    // A name of several words has short parts, and so has a UUID.
    word.split(|byte| matches!(byte, b'-' | b'_')).any(|part| {
        part.len() >= shortest_part && {
            let profile = Profile::of(part);
            let is_mixed = profile.lower > 0 && profile.upper > 0;
            profile.hexadecimal < profile.length
                && profile.distinct * 2 >= profile.length.min(24)
                && if is_mixed {
                    profile.digits >= 2 && profile.turns_at_least(if profile.length < 32 { 44 } else { 36 })
                } else {
                    profile.length >= 22 && profile.digits >= 5 && profile.turns_at_least(30)
                }
        }
    })
}

/// Whether text with slashes is Base64 and no path.
fn is_random_base64(text: &[u8]) -> bool {
    let profile = Profile::of(text);
    let slashes = text.split(|byte| *byte == b'/').count() - 1;
    profile.lower > 3
        && profile.upper > 3
        && profile.digits >= 2
        && profile.turns_at_least(42)
        && slashes * 8 <= text.len()
        && profile.distinct >= 16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut all = Vec::new();
        words(text, |word| all.push(&text[word]));
        all
    }

    #[test]
    fn random_words_are_found_in_both_alphabets() {
        for word in [
            "q7Rf2LxZ0pVb9TnKc4Wm",
            "mZ3v/Qk8TdY1xR+pL7wNc4BsJf0aUe9HgK2oViXt",
            "8f3k2m9x7c1v5b0n4z6l2k8j",
            "dGhpcyBpcyBhIHNlY3JldCB0b2tlbiE1",
            "x9-Lm3Qv7ZpT1sKd8RwYb4Nf2_Hc",
        ] {
            assert_eq!(found(&format!("key {word}, kept")), [word], "{word}");
        }
        assert_eq!(found("Key q7Rf2LxZ0pVb9Tn…"), ["q7Rf2LxZ0pVb9Tn"], "cut");
        assert_eq!(found(r"a\nq7Rf2LxZ0pVb9TnKc4Wm"), ["q7Rf2LxZ0pVb9TnKc4Wm"], "after an escape");
    }

    #[test]
    fn what_people_and_programs_write_is_left_alone() {
        for text in [
            "handleMouseEventWithCoordinates2D getElementsByClassName3 NSURLSessionDataTask",
            "550e8400-e29b-41d4-a716-446655440000",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709 v1.2.3-g1a2b3c4d5e6f7a8b9c0d",
            "Screenshot_2024-01-01_12-30-45_1920x1080.png IMG_20240101_123456789_HDR.jpg",
            "libQt5QuickControls2 KF5WindowSystemX11Plugin GstIirEqualizer10Bands libLLVMM68kAsmParser",
            "/usr/lib/x86_64-linux-gnu/gtk-3.0/modules/libcanberra-gtk3-module.so",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
            "org.freedesktop.impl.portal.PermissionStore /org/a11y/atspi/accessible/2147483648",
            "Donaudampfschifffahrtsgesellschaftskapitän INTERNATIONALIZATION_OF_NAMES_2024",
            "1234567890123456789012345 ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
