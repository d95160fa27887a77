//! What keys mean to the element that has the focus.

use handeye_core::{Chord, Modifier};

/// What a key does in a text or on a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// Moves the caret or the value.
    Moves,
    /// Changes the text.
    Changes,
    /// Copies from it.
    Copies,
    /// Goes to the next element.
    Next,
    /// Ends a line, or presses the default button.
    Line,
    /// Presses what has the focus.
    Presses,
    /// Anything else.
    Else,
}

impl Stroke {
    pub(crate) fn of(chord: &Chord) -> Self {
        let is_plain = chord.modifiers.iter().all(|held| *held == Modifier::Shift);
        let with_control =
            chord.modifiers.iter().all(|held| matches!(held, Modifier::Ctrl | Modifier::Shift));
        match chord.key.as_str() {
            "tab" if is_plain => Self::Next,
            "return" if chord.modifiers.is_empty() => Self::Line,
            "space" | " " if chord.modifiers.is_empty() => Self::Presses,
            "left" | "right" | "up" | "down" | "home" | "end" | "page_up" | "page_down" if with_control => {
                Self::Moves
            }
            "backspace" | "delete" if with_control => Self::Changes,
            "a" if with_control && !is_plain => Self::Moves,
            "v" | "x" | "z" | "y" if with_control && !is_plain => Self::Changes,
            "c" if with_control && !is_plain => Self::Copies,
            _ => Self::Else,
        }
    }
}

/// A chord as `ax_key_press` takes it.
pub(crate) fn spelled(chord: &Chord) -> String {
    let modifiers = chord.modifiers.iter().map(|held| match held {
        Modifier::Ctrl => "ctrl",
        Modifier::Shift => "shift",
        Modifier::Alt => "alt",
        Modifier::Super => "super",
    });
    let mut parts: Vec<&str> = modifiers.collect();
    parts.push(&chord.key);
    parts.join("+")
}
