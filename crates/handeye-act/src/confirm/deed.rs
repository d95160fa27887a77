//! What is about to be done, as far as that decides whether a person is asked.

use super::labels::{is_pressed, texts};
use handeye_core::{Chord, KeySymbol, Modifier, NodeId, Tree};
use handeye_tree::describe::describe_in;
use handeye_words::consequences as words;

/// What is about to be done, and to what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// An element is clicked, chosen, or made to do what a click does.
    Press {
        /// The element that was named: the label on a button.
        named: NodeId,
        /// The element that does it: the button.
        does: NodeId,
        /// How.
        manner: Manner,
    },
    /// The context button of the pointer is pressed on an element, or its context menu is opened by request.
    Context {
        /// The element.
        on: NodeId,
    },
    /// The wheel is turned over an element; `None` where it is not known what is there.
    Turn {
        /// The element.
        over: Option<NodeId>,
    },
    /// The pointer comes over an element, and presses nothing; `None` where it is not known what is there.
    Hover {
        /// The element.
        over: Option<NodeId>,
    },
    /// Keys are pressed. `holder` has the keyboard focus, as far as is known.
    Keys {
        /// In their order.
        strokes: Vec<Stroke>,
        /// The element that gets the first of them.
        holder: Option<NodeId>,
    },
    /// The pointer is pressed on one element and released on another; `None` where it is not known what is there.
    Drag {
        /// Where it is pressed.
        from: Option<NodeId>,
        /// Where it is released.
        to: Option<NodeId>,
        /// Both places, in words.
        place: String,
    },
    /// Something unknown is hit: no element of a tree describes it.
    Blind {
        /// What is done, to end the sentence "This will …" with.
        deed: String,
        /// Where.
        place: String,
    },
    /// A text, a number, the caret, a scroll position or a window is changed: nothing is lost by that which cannot be set again.
    Harmless,
}

impl Deed {
    /// A click on an element.
    pub const fn press(on: NodeId) -> Self {
        Self::Press { named: on, does: on, manner: Manner::Click }
    }

    /// The element that is hit, as far as one is known.
    pub(crate) fn hit(&self) -> Option<NodeId> {
        match self {
            Self::Press { does, .. } => Some(*does),
            other => other.hits().first().copied(),
        }
    }

    /// The elements that it hits, as far as they are known.
    pub fn hits(&self) -> Vec<NodeId> {
        match self {
            Self::Press { named, does, .. } => vec![*named, *does],
            Self::Context { on } => vec![*on],
            Self::Turn { over } | Self::Hover { over } => over.iter().copied().collect(),
            Self::Keys { holder, .. } => holder.iter().copied().collect(),
            Self::Drag { from, to, .. } => from.iter().chain(to).copied().collect(),
            Self::Blind { .. } | Self::Harmless => Vec::new(),
        }
    }

    /// Whether it is known to copy, cut or paste: by the keys that do that everywhere, or by the label of what is pressed.
    pub fn uses_clipboard(&self, tree: &Tree) -> bool {
        let is_labelled = |id: &NodeId| {
            tree.get(*id).is_some_and(|node| {
                is_pressed(node) && texts(tree, node).into_iter().any(words::uses_clipboard)
            })
        };
        match self {
            Self::Press { named, does, .. } => is_labelled(named) || is_labelled(does),
            Self::Drag { to, .. } => to.as_ref().is_some_and(is_labelled),
            Self::Keys { strokes, holder } => {
                let presses = strokes.iter().any(|stroke| matches!(stroke.key, Key::Return | Key::Space));
                strokes.iter().any(Stroke::uses_clipboard)
                    || (presses && holder.as_ref().is_some_and(is_labelled))
            }
            _ => false,
        }
    }

    /// What is done, to end the sentence "This will …" with.
    pub fn in_words(&self, tree: &Tree) -> String {
        let label = |id: &NodeId| {
            tree.get(*id).map_or_else(|| "an element".to_owned(), |node| describe_in(tree, node))
        };
        let keys = |strokes: &[Stroke]| {
            let shown: Vec<&str> = strokes.iter().map(|stroke| stroke.shown.as_str()).take(5).collect();
            shown.join(", ")
        };
        match self {
            Self::Press { named, .. } => format!("click {}", label(named)),
            Self::Context { on } => format!("open the context menu of {}", label(on)),
            Self::Turn { .. } => "turn the wheel".to_owned(),
            Self::Hover { over } => {
                let place = over.as_ref().map_or_else(|| "a place".to_owned(), label);
                format!("move the pointer over {place}")
            }
            Self::Keys { strokes, .. } => format!("press {}", keys(strokes)),
            Self::Drag { place, .. } => format!("drag {place}"),
            Self::Blind { deed, .. } => deed.clone(),
            Self::Harmless => "change something".to_owned(),
        }
    }

    /// What makes an element act that a click only marks.
    pub const fn open(on: NodeId) -> Self {
        Self::Press { named: on, does: on, manner: Manner::Open }
    }
}

/// How an element is pressed. The two differ where a click only marks an element: an item of a list, a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// By a click, or by a selection that stands for one.
    Click,
    /// By what makes it act: a double click, Return, its own action, or as the option that is chosen.
    Open,
}

/// A key with its modifiers, by what it may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stroke {
    /// The key.
    pub key: Key,
    /// What is held meanwhile.
    pub modifiers: Vec<Modifier>,
    /// How it was asked for.
    pub shown: String,
}

/// What a key may do by its nature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Return and its kin: presses what has the focus, or the default button.
    Return,
    /// Presses what has the focus.
    Space,
    /// Delete and backspace.
    Erase,
    /// Moves the focus to what is not known beforehand.
    Tab,
    /// Arrows, home and end: moves the caret, the selection or the focus, or changes what is chosen.
    Move,
    /// Page up and page down: the same, but with Ctrl they turn pages instead of moving the caret.
    Page,
    /// Cancels.
    Escape,
    /// Does nothing by itself.
    Modifier,
    /// F4, which closes a window together with Alt.
    F4,
    /// Closes a window by itself.
    Close,
    /// Switches the computer off, suspends it, or ends the session.
    System,
    /// A character, where the symbol is one.
    Character(Option<char>),
    /// Any other.
    Other,
}

impl Key {
    /// By its symbol, as different names mean the same key.
    pub fn of(symbol: KeySymbol) -> Self {
        match symbol.0 {
            // Return, Linefeed, KP_Enter, ISO_Enter, 3270_Enter.
            0xff0d | 0xff0a | 0xff8d | 0xfe34 | 0xfd1e => Self::Return,
            // Space, no-break space, KP_Space.
            0x20 | 0xa0 | 0xff80 => Self::Space,
            // Delete, KP_Delete, KP_Decimal (which deletes without Num Lock), BackSpace, Clear, OSF and DEC relatives.
            0xffff | 0xff9f | 0xffae | 0xff08 | 0xff0b | 0x1005_ff03 | 0x1000_ff00 | 0x1005_ff08 => {
                Self::Erase
            }
            // Tab, KP_Tab, ISO_Left_Tab.
            0xff09 | 0xff89 | 0xfe20 => Self::Tab,
            // Prior and Next, and the same keys of the keypad.
            0xff55 | 0xff56 | 0xff9a | 0xff9b => Self::Page,
            // Home to Begin, and the same keys of the keypad.
            0xff50..=0xff58 | 0xff95..=0xff9d => Self::Move,
            0xff1b => Self::Escape,
            // Locks and shifts of all kinds.
            0xffe1..=0xffee | 0xff7e | 0xff7f | 0xfe01..=0xfe13 => Self::Modifier,
            // F4 and the one of the keypad.
            0xffc1 | 0xff94 => Self::F4,
            // XF86Close.
            0x1008_ff56 => Self::Close,
            // XF86Standby, PowerDown, PowerOff, Sleep, LogOff, Suspend, Hibernate, ClearGrab; the power switches of Sun; Terminate_Server.
            0x1008_ff10 | 0x1008_ff21 | 0x1008_ff2a | 0x1008_ff2f | 0x1008_ff61 | 0x1008_ffa7
            | 0x1008_ffa8 | 0x1008_fe21 | 0x1005_ff76 | 0x1005_ff7d | 0xfed5 => Self::System,
            latin @ (0x21..=0x7e | 0xa1..=0xff) => Self::Character(char::from_u32(latin)),
            digit @ 0xffb0..=0xffb9 => Self::Character(char::from_u32(digit - 0xffb0 + u32::from('0'))),
            // Other code points, and the old alphabets.
            unicode @ 0x0100_0100..=0x0110_ffff => Self::of_character(char::from_u32(unicode - 0x0100_0000)),
            0x01a1..=0x20ff => Self::Character(None),
            _ => Self::Other,
        }
    }

    fn of_character(character: Option<char>) -> Self {
        match character {
            Some(space) if space.is_whitespace() => Self::Space,
            other => Self::Character(other),
        }
    }
}

impl Stroke {
    /// A key that was asked for by its name.
    pub fn of(chord: &Chord, symbol: KeySymbol, shown: String) -> Self {
        Self { key: Key::of(symbol), modifiers: chord.modifiers.clone(), shown }
    }

    /// The keys that enter a text; several characters in a row that do the same count once.
    pub fn typing(text: &str) -> Vec<Self> {
        let mut strokes: Vec<Self> = Vec::new();
        for character in text.chars() {
            let (key, shown) = match character {
                '\n' | '\r' => (Key::Return, "return"),
                '\t' => (Key::Tab, "tab"),
                ' ' | '\u{a0}' => (Key::Space, "space"),
                _ => (Key::Character(Some(character)), "characters"),
            };
            let is_repeated = strokes.last().is_some_and(|last| {
                matches!((last.key, key), (Key::Character(_), Key::Character(_))) || last.key == key
            });
            if !is_repeated {
                strokes.push(Self { key, modifiers: Vec::new(), shown: shown.to_owned() });
            }
        }
        strokes
    }

    /// The keys that empty what has the focus.
    pub fn clearing() -> Vec<Self> {
        let all =
            Self { key: Key::Character(Some('a')), modifiers: vec![Modifier::Ctrl], shown: "ctrl+a".into() };
        let delete = Self { key: Key::Erase, modifiers: Vec::new(), shown: "delete".into() };
        vec![all, delete]
    }

    /// Whether it does no harm whatever has the focus: it only moves the focus or cancels.
    pub fn is_harmless_anywhere(&self) -> bool {
        matches!(self.key, Key::Tab | Key::Escape | Key::Modifier) && !self.is_command()
    }

    /// Whether it copies, cuts or pastes where it goes.
    fn uses_clipboard(&self) -> bool {
        let held = |modifier| self.modifiers.contains(&modifier);
        match self.key {
            Key::Character(Some(letter)) => {
                held(Modifier::Ctrl) && matches!(letter.to_ascii_lowercase(), 'c' | 'x' | 'v')
            }
            Key::Erase => held(Modifier::Shift),
            // Insert, with Ctrl to copy and with Shift to paste.
            Key::Other => held(Modifier::Ctrl) || held(Modifier::Shift),
            _ => false,
        }
    }

    /// Whether it may choose another option where it goes.
    pub(super) const fn chooses(&self) -> bool {
        matches!(self.key, Key::Move | Key::Page | Key::Return | Key::Character(_))
    }

    /// Whether a modifier is held that makes a command of a key.
    pub(super) fn is_command(&self) -> bool {
        self.modifiers.iter().any(|modifier| *modifier != Modifier::Shift)
    }

    pub(super) fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&modifier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_symbols() {
        for symbol in [0xff0d, 0xff8d, 0xfe34, 0xff0a] {
            assert_eq!(Key::of(KeySymbol(symbol)), Key::Return, "{symbol:x}");
        }
        for symbol in [0x20, 0xff80, 0xa0, 0x0100_2003] {
            assert_eq!(Key::of(KeySymbol(symbol)), Key::Space, "{symbol:x}");
        }
        for symbol in [0xffff, 0xff9f, 0xff08] {
            assert_eq!(Key::of(KeySymbol(symbol)), Key::Erase, "{symbol:x}");
        }
        assert_eq!(Key::of(KeySymbol(u32::from('d'))), Key::Character(Some('d')));
        assert_eq!(Key::of(KeySymbol(0x0100_0434)), Key::Character(Some('д')));
        assert_eq!(Key::of(KeySymbol(0x06c4)), Key::Character(None), "a Cyrillic letter of the old kind");
        assert_eq!(Key::of(KeySymbol(0xffbe)), Key::Other, "F1");
        for (symbol, name) in [(0x1008_ff2a, "PowerOff"), (0x1008_ff2f, "Sleep"), (0x1008_ff61, "LogOff")] {
            assert_eq!(Key::of(KeySymbol(symbol)), Key::System, "{name}");
        }
        assert_eq!(Key::of(KeySymbol(0xff54)), Key::Move, "down");
        assert_eq!(Key::of(KeySymbol(0xff9b)), Key::Page, "page down of the keypad");
    }

    #[test]
    fn a_text_is_typed_by_the_keys_in_it() {
        let keys: Vec<Key> = Stroke::typing("ab c\t \n\n").into_iter().map(|stroke| stroke.key).collect();
        let a = Key::Character(Some('a'));
        let c = Key::Character(Some('c'));
        assert_eq!(keys, [a, Key::Space, c, Key::Tab, Key::Space, Key::Return]);
    }
}
