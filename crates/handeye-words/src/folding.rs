//! The form in which texts of applications are compared with words: what is drawn, in lower case, without what only looks different.

use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Whether two texts look the same to a person.
pub(crate) fn comparable(text: &str) -> String {
    skeleton(&visible(text))
}

/// The characters of a text that are drawn, each in its plain form.
pub(crate) fn visible(text: &str) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    text.chars().nfkc().filter(|c| !ignorable.contains(*c)).collect()
}

/// What letters look like, in lower case.
fn skeleton(visible: &str) -> String {
    // A mark above a letter that a capital one brings along.
    let plain: String = visible.chars().flat_map(char::to_lowercase).filter(|c| *c != '\u{307}').collect();
    unicode_security::skeleton(&plain).nfc().collect()
}

/// The text as it may be meant: with marks of mnemonics in its words, with such marks between them, and with words that only
/// capitals set apart.
pub(crate) fn readings(text: &str) -> Vec<String> {
    let visible = visible(text);
    let joined = visible.replace(['_', '&'], "");
    let mut readings = vec![skeleton(&visible), skeleton(&joined), skeleton(&parted(&joined))];
    readings.dedup();
    readings
}

/// The text with a space where a word begins with a capital or a number within another (`DeleteAll`, `PDFLöschen`).
fn parted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let begins = before.is_some_and(|before| {
            let is_capital = before.is_lowercase() && c.is_uppercase();
            let ends_capitals = before.is_uppercase()
                && c.is_uppercase()
                && characters.peek().is_some_and(|next| next.is_lowercase());
            let is_number =
                (before.is_alphabetic() && c.is_numeric()) || (before.is_numeric() && c.is_alphabetic());
            is_capital || ends_capitals || is_number
        });
        if begins {
            out.push(' ');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// The words of a text that is [`comparable`].
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A whole label, without mnemonics and punctuation.
pub(crate) fn label_of(label: &str) -> String {
    words(&comparable(label).replace(['_', '&'], "")).join(" ")
}
