//! How large the answer of a call may be.

use serde::{Deserialize, Serialize};

/// Most tokens in one answer, text and fields together.
pub const MAX_TOKENS: usize = 8_000;

/// Characters kept free for the note on what was left out.
pub const NOTE_CHARACTERS: usize = 320;
/// Tokens that an answer has beside its text where both are sent: its fields, a note.
const FRAME_TOKENS: usize = 200;
/// Most characters per token of an outline, on average: so a limit of tokens keeps one of characters.
const CHARACTERS_PER_TOKEN: usize = 4;

/// How large the answer of one call may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Most tokens, text and fields together.
    pub tokens: usize,
    /// Most characters of its text: what a client hands to its model without cutting it.
    pub characters: usize,
    /// Whether its fields are sent.
    pub fields: bool,
}

impl Budget {
    /// That of a shell, which takes all that there is.
    pub const UNLIMITED: Self = Self { tokens: usize::MAX, characters: usize::MAX, fields: true };
    /// That of a program that may have a model behind it.
    pub const MODEL: Self = Self { tokens: MAX_TOKENS, characters: usize::MAX, fields: true };

    /// That of a client that is sent text alone, and hands so many characters of it to its model.
    pub const fn of_text(characters: usize) -> Self {
        Self { tokens: MAX_TOKENS, characters, fields: false }
    }

    /// Most tokens of an outline that is to fit without being cut.
    pub fn outline(self) -> usize {
        let by_characters = self.characters.saturating_sub(NOTE_CHARACTERS) / CHARACTERS_PER_TOKEN;
        self.tokens.saturating_sub(FRAME_TOKENS).min(by_characters)
    }

    /// Whether an answer of so many tokens, with this text, is small enough.
    pub fn takes(self, tokens: usize, text: &str) -> bool {
        tokens <= self.tokens && (self.characters == usize::MAX || text.chars().count() <= self.characters)
    }
}
