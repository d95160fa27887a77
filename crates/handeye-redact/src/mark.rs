//! What is written in the place of a secret.

use std::ops::Range;

/// How a mark begins. The characters are in no token, so that what stands beside a mark stays as it was.
pub const BEGIN: &str = "‹redacted: ";
/// How it ends.
pub const END: &str = "›";
/// Longest name in a mark, in bytes.
const LONGEST: usize = 120;

/// The mark for a secret of this kind: `‹redacted: GitHub token›`.
pub fn mark(kind: &str) -> String {
    format!("{BEGIN}{kind}{END}")
}

/// Whether a text contains a mark, and so is not what an application holds.
pub fn is_in(text: &str) -> bool {
    text.contains(BEGIN)
}

/// The places of marks in a text. Only those count whose name `is_kind` knows: an application cannot put a token into a mark of its own.
pub(crate) fn places(text: &str, is_kind: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(BEGIN).map(|start| start + at) {
        let name = start + BEGIN.len();
        at = name;
        if let Some(length) = text[name..].find(END).filter(|length| *length <= LONGEST)
            && is_kind(&text[name..name + length])
        {
            at = name + length + END.len();
            found.push(start..at);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_a_known_kind_is_one_and_no_other() {
        let known = |kind: &str| kind == "JWT";
        let text = format!("a {} b {}", mark("JWT"), mark("ghp_something"));
        let places = places(&text, known);
        assert_eq!(places.iter().map(|place| &text[place.clone()]).collect::<Vec<_>>(), [mark("JWT")]);
        assert!(is_in(&text) && !is_in("redacted: JWT"));
    }
}
