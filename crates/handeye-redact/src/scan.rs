//! Looks for the forms of the catalogue in a text: once for all beginnings, and from each of them on for its form.

use crate::catalogue::{FORMS, Form, Kind};
use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// How far a form is looked for from its beginning on, in bytes, which bounds the work at each beginning. What goes on as it does beyond
/// that belongs to it.
const WINDOW: usize = 2_048;
/// The same for a private key.
const KEY_WINDOW: usize = 16_384;
/// Shortest value of a setting that is a secret, in bytes.
const SHORTEST_VALUE: usize = 6;

/// The beginnings, and the form of each.
struct Beginnings {
    finder: AhoCorasick,
    forms: Vec<&'static Form>,
}

static BEGINNINGS: LazyLock<Option<Beginnings>> = LazyLock::new(|| {
    let all = FORMS.iter().flat_map(|form| form.anchors.iter().map(move |anchor| (*anchor, form)));
    let (anchors, forms): (Vec<&str>, Vec<&Form>) = all.unzip();
    let built = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .build(anchors);
    // The beginnings are constants, and a test builds it.
    built.ok().map(|finder| Beginnings { finder, forms })
});

/// The places of tokens in a text, in their order, none of them touching another.
pub(crate) fn places(text: &str, mut found: impl FnMut(Range<usize>, Kind)) {
    let Some(beginnings) = &*BEGINNINGS else { return };
    let mut free = 0;
    for beginning in beginnings.finder.find_iter(text) {
        let at = beginning.start();
        if at < free {
            continue;
        }
        let form = beginnings.forms[beginning.pattern().as_usize()];
        if let Some(place) = token(text, at, form) {
            free = place.end;
            found(place, form.kind);
        }
    }
}

/// The token of this form that begins at this place.
fn token(text: &str, at: usize, form: &Form) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if form.begins_word && continues_word(&bytes[..at]) || splits_escape(&bytes[..at], bytes[at]) {
        return None;
    }
    let window = if form.kind == "private key" { KEY_WINDOW } else { WINDOW };
    // At most three bytes back: a character has four.
    let end = (0..4).find_map(|back| {
        let end = (at + window).min(text.len()).checked_sub(back)?;
        text.is_char_boundary(end).then_some(end)
    })?;
    let captures = form.pattern()?.captures(&text[at..end])?;
    let secret = captures.name("s").or_else(|| captures.get(0))?;
    let (start, mut stop) = (at + secret.start(), at + secret.end());
    if form.kind == "secret" && !is_value(text, at, &text[start..stop]) {
        return None;
    }
    // It may go on beyond the window, or in characters that its form does not have.
    let is_long = stop == end;
    let goes_on = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || *byte == b'_'
            || is_long && matches!(byte, b'-' | b'.' | b'+' | b'/' | b'=')
    };
    while bytes.get(stop).is_some_and(goes_on) {
        stop += 1;
    }
    (start < stop).then_some(start..stop)
}

/// Whether the next character would go on with a word. What is escaped (`\n`) is not a part of it.
fn continues_word(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't'] | [] => false,
        [.., last] => last.is_ascii_alphanumeric() || *last == b'_',
    }
}

/// Whether the next character belongs to an escape that begins before it.
fn splits_escape(before: &[u8], next: u8) -> bool {
    let slashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
    slashes % 2 == 1 && matches!(next, b'b' | b'f' | b'n' | b'r' | b't' | b'u')
}

/// Whether the value of a setting whose name begins at `at` is one that may be a secret: `max_tokens=100000` is not.
fn is_value(text: &str, at: usize, value: &str) -> bool {
    let name = text[at..].split(['=', ':', '"', '\'']).next().unwrap_or_default();
    let is_count =
        name.to_ascii_lowercase().ends_with('s') || value.bytes().all(|byte| byte.is_ascii_digit());
    value.len() >= SHORTEST_VALUE && !(is_count && value.len() < 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_beginnings_are_looked_for() {
        assert!(BEGINNINGS.is_some());
    }

    #[test]
    fn a_token_beyond_the_window_is_found_to_its_end() {
        let token = format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.sig", "a1B".repeat(2_000));
        let text = format!("see {token}, and more");
        let mut all = Vec::new();
        places(&text, |place, kind| all.push((text[place].to_owned(), kind)));
        let [(found, "JWT")] = &all[..] else { panic!("{all:?}") };
        assert!(token.starts_with(&**found) && found.len() > 6_000, "{}", found.len());
    }
}
