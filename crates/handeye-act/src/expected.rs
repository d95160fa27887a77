//! Which kind of action is observed, and so what shows its effect.

use handeye_core::{Chord, Modifier};

/// What kind of action is observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The operation has a proof of its own (it reads a text or a number back); any change ends the wait.
    Proof,
    /// A click, or an action that stands for one.
    Press,
    /// The caret or the focus goes to the target.
    Focus,
    /// A key.
    Key(KeyEffect),
    /// The wheel.
    Wheel,
    /// A drag.
    Drag,
    /// The pointer comes to a place.
    Hover,
}

/// What a key may do by its nature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyEffect {
    /// It moves the focus or the selection.
    pub(crate) moves: bool,
    /// It closes what is open.
    pub(crate) closes: bool,
}

impl KeyEffect {
    /// What is known about this key.
    pub fn of(chord: &Chord) -> Self {
        const MOVING: &[&str] = &[
            "tab",
            "iso_left_tab",
            "left",
            "right",
            "up",
            "down",
            "home",
            "end",
            "pageup",
            "page_up",
            "prior",
            "pagedown",
            "page_down",
            "next",
            "space",
            " ",
            "f6",
            "f10",
            "menu",
        ];
        let key = chord.key.to_lowercase();
        let has = |modifier| chord.modifiers.contains(&modifier);
        Self {
            // Ctrl+A selects all; Alt and a letter is the way to what has that letter underlined.
            moves: MOVING.contains(&key.as_str())
                || has(Modifier::Alt)
                || (has(Modifier::Ctrl) && key == "a"),
            closes: matches!(key.as_str(), "escape" | "esc"),
        }
    }
}
