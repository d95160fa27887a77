//! A piece of a source file, with the line that it starts in.

/// What a passage is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A string literal that the program may print.
    Literal,
    /// A comment or a docstring.
    Comment,
}

/// A string literal, or a comment with all of its lines.
#[derive(Debug, PartialEq)]
pub(crate) struct Passage {
    pub(crate) kind: Kind,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// Adds the comment of one line to the passages found so far: comments of consecutive lines are one passage, so that a phrase is found across
/// the end of a line.
pub(crate) fn add_comment(found: &mut Vec<Passage>, line: usize, text: &str) {
    match found.last_mut() {
        Some(last) if last.kind == Kind::Comment && last.line + last.text.split('\n').count() == line => {
            last.text.push('\n');
            last.text.push_str(text);
        }
        _ => found.push(Passage { kind: Kind::Comment, line, text: text.to_owned() }),
    }
}
