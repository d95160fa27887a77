//! `{{secret:NAME}}` in a text that is to be typed.

use crate::table::is_name;
use std::ops::Range;

/// How one begins.
pub const BEGIN: &str = "{{secret:";
/// How one ends.
pub const END: &str = "}}";

/// A part of a text that is to be typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it is, by its place.
    Literal(Range<usize>),
    /// The secret of this name.
    Secret(String),
}

/// Whether a text names a secret, or is meant to.
pub fn is_in(text: &str) -> bool {
    text.contains(BEGIN)
}

/// Cuts a text at its placeholders.
///
/// # Errors
/// Which one is none, as a sentence: it is not typed as it is, as it was meant to be another text.
pub fn parse(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(BEGIN).map(|start| start + at) {
        if at < start {
            pieces.push(Piece::Literal(at..start));
        }
        let name = start + BEGIN.len();
        let Some(length) = text[name..].find(END) else {
            return Err(format!("'{BEGIN}' has no end: write {BEGIN}NAME{END}"));
        };
        let written = text[name..name + length].trim();
        if !is_name(written) {
            return Err(format!(
                "what stands between '{BEGIN}' and '{END}' is not the name of a secret: letters, digits, '-', '_' and '.'"
            ));
        }
        pieces.push(Piece::Secret(written.to_owned()));
        at = name + length + END.len();
    }
    if at < text.len() {
        pieces.push(Piece::Literal(at..text.len()));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_secrets() {
        let text = "user{{secret:bank}}{{ secret:x }}é";
        assert_eq!(
            parse(text),
            Ok(vec![Piece::Literal(0..4), Piece::Secret("bank".into()), Piece::Literal(19..text.len())])
        );
        assert_eq!(parse(""), Ok(Vec::new()));
        for wrong in ["{{secret:", "{{secret:}}", "{{secret:a b}}", "a{{secret:ü}}"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
