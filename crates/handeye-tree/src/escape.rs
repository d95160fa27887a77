//! Screen text made harmless: it stays on its line and between its quotes.

use handeye_core::screen_text::is_forging;
use std::fmt::Write as _;

/// `text` between quotes, cut after `max_chars` characters with the number of those left out.
pub fn quoted(text: &str, max_chars: usize) -> String {
    quoted_beyond(text, max_chars, 0)
}

/// The same for a text of which `beyond` characters are not in `text` in the first place.
pub(crate) fn quoted_beyond(text: &str, max_chars: usize, beyond: usize) -> String {
    let (shown, left_out) = cut(text, max_chars, beyond);
    let mut out = String::with_capacity(shown.len() + 2);
    out.push('"');
    for c in shown.chars() {
        push_escaped(&mut out, c);
    }
    if left_out > 0 {
        // Writing to a string cannot fail.
        let _written = write!(out, "…(+{left_out} chars)");
    }
    out.push('"');
    out
}

/// The text as [`quoted_beyond`] shows it, without quotes and escapes: for a program.
pub(crate) fn cut_beyond(text: &str, max_chars: usize, beyond: usize) -> String {
    match cut(text, max_chars, beyond) {
        (shown, 0) => shown.to_owned(),
        (shown, left_out) => format!("{shown}…(+{left_out} chars)"),
    }
}

/// The first `max_chars` characters, and how many more there are.
fn cut(text: &str, max_chars: usize, beyond: usize) -> (&str, usize) {
    let end = text.char_indices().nth(max_chars).map_or(text.len(), |(at, _)| at);
    (&text[..end], text[end..].chars().count() + beyond)
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_forging(c) => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _written = write!(out, "\\u{unit:04x}");
            }
        }
        c => out.push(c),
    }
}
