//! Errors of malformed queries: where the fault is, and a query that would work.

use handeye_core::{Error, ErrorCode, screen_text};

/// Longest part of a query that an error repeats, in characters.
const SHOWN: usize = 60;

/// The query cannot be parsed at byte `at`; `why` says what is wrong there and `example` is a query that works.
pub(super) fn fault(query: &str, at: usize, why: impl std::fmt::Display, example: &str) -> Error {
    let position = query.char_indices().take_while(|(index, _)| *index < at).count();
    let first = position.saturating_sub(SHOWN / 2);
    let excerpt: String = query.chars().skip(first).take(SHOWN).map(plain).collect();
    let caret = " ".repeat(position - first);
    Error::new(
        ErrorCode::InvalidQuery,
        format!("the query cannot be parsed at character {}: {why}\n  {excerpt}\n  {caret}^", position + 1),
    )
    .with_next(format!("Write it like this: {example}"))
}

/// Keeps the caret below its character: what takes no column or another line is shown as a space.
fn plain(c: char) -> char {
    if screen_text::is_forging(c) { ' ' } else { c }
}
