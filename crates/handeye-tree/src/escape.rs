//! Screen text made harmless: it stays on its line and between its quotes.

use handeye_core::screen_text::is_forging;
use std::fmt::Write as _;

/// Appends `text` to `out` between quotes, cut after `max_chars` characters with the number of those left out, and
/// of the `beyond` characters that are not in `text` in the first place.
pub(crate) fn push_quoted(out: &mut String, text: &str, max_chars: usize, beyond: usize) {
    out.push('"');
    let mut chars = text.chars();
    for c in chars.by_ref().take(max_chars) {
        push_escaped(out, c);
    }
    let left_out = chars.count() + beyond;
    if left_out > 0 {
        // Writing to a string cannot fail.
        let _written = write!(out, "…(+{left_out} chars)");
    }
    out.push('"');
}

/// `text` between quotes, see [`push_quoted`].
pub fn quoted(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    push_quoted(&mut out, text, max_chars, 0);
    out
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
