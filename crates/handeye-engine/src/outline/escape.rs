//! Screen text made harmless: it stays on its line and between its quotes.

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
        c if can_fake_structure(c) => {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _written = write!(out, "\\u{unit:04x}");
            }
        }
        c => out.push(c),
    }
}

/// Control characters, line and paragraph separators, everything that changes the direction of text, invisible
/// characters that could hide something. Joiners stay: scripts and emoji need them.
fn can_fake_structure(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{00ad}'
                | '\u{061c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}
