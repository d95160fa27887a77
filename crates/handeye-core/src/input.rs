//! Keys and buttons of the seat's keyboard and pointer.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A pointer button.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Button {
    /// The primary button.
    Left,
    /// The middle button.
    Middle,
    /// The context button.
    Right,
}

/// A modifier key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Modifier {
    /// Control.
    Ctrl,
    /// Shift.
    Shift,
    /// Alt (Option on macOS).
    Alt,
    /// The Super, Windows or Command key.
    Super,
}

/// The symbol of a key, by its number in X11 (keysym), whatever the platform: different names of a key have one symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeySymbol(pub u32);

/// A key with the modifiers that are held while it is pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// Modifiers, each at most once.
    pub modifiers: Vec<Modifier>,
    /// The key: one character (`a`, `é`, `+`) or a name (`return`, `f5`, `page_up`), lower case.
    pub key: String,
}

impl Chord {
    /// A key without modifiers.
    pub fn plain(key: impl Into<String>) -> Self {
        Self { modifiers: Vec::new(), key: key.into() }
    }

    /// Reads `ctrl+shift+s`. A lone `+` is the plus key, so is the last one of `ctrl++`.
    pub fn parse(text: &str) -> Result<Self> {
        let (prefix, key) = match text.strip_suffix('+') {
            Some("") => ("", "+"),
            Some(rest) if rest.ends_with('+') => (rest.trim_end_matches('+'), "+"),
            Some(_) => {
                return Err(Error::invalid_parameter(
                    "key",
                    format!("'{text}' ends with '+' but names no key"),
                ));
            }
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let mut chord =
            Self::plain(if key.chars().count() == 1 { key.to_owned() } else { key.to_lowercase() });
        for name in prefix.split('+').filter(|name| !name.is_empty()) {
            let modifier = Modifier::from_name(name).ok_or_else(|| {
                Error::invalid_parameter("key", format!("'{name}' in '{text}' is not a modifier"))
                    .with_next("Modifiers are ctrl, shift, alt (or opt) and super (or cmd).")
            })?;
            if !chord.modifiers.contains(&modifier) {
                chord.modifiers.push(modifier);
            }
        }
        if chord.key.is_empty() {
            return Err(Error::invalid_parameter("key", "is empty"));
        }
        Ok(chord)
    }
}

impl Modifier {
    /// The modifier that people call `name`: `ctrl`, `control`, `shift`, `alt`, `opt`, `option`, `super`, `meta`,
    /// `win`, `cmd`, `command`, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_lowercase().as_str() {
            "ctrl" | "control" => Self::Ctrl,
            "shift" => Self::Shift,
            "alt" | "opt" | "option" => Self::Alt,
            "super" | "meta" | "win" | "cmd" | "command" => Self::Super,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read_as_people_write_them() {
        let chord = Chord::parse("Ctrl+Shift+S").expect("valid");
        assert_eq!(chord, Chord { modifiers: vec![Modifier::Ctrl, Modifier::Shift], key: "S".into() });
        assert_eq!(Chord::parse("ctrl++").expect("valid").key, "+");
        assert_eq!(Chord::parse("+").expect("valid"), Chord::plain("+"));
        assert_eq!(Chord::parse("Page_Up").expect("valid"), Chord::plain("page_up"));
        assert!(Chord::parse("").is_err());
        assert!(Chord::parse("hyper+x").is_err());
        assert!(Chord::parse("ctrl+").is_err());
    }
}
