//! Who looks for what a tree does not have.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Who is asked, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only the reader of text, on this machine: no picture leaves it.
    Text,
    /// The models after it too.
    Models,
}

/// Whether a search in a tree that finds nothing goes on in the picture of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Fallback {
    /// It ends.
    #[default]
    Off,
    /// The text in the picture is read on this machine.
    Text,
    /// Models are asked after that: a picture of the window leaves the machine.
    Models,
}

impl Fallback {
    /// The spellings, in the order of the variants.
    pub const NAMES: [&'static str; 3] = ["off", "text", "models"];

    /// Who is asked; `None` for nobody.
    pub const fn reach(self) -> Option<Reach> {
        match self {
            Self::Off => None,
            Self::Text => Some(Reach::Text),
            Self::Models => Some(Reach::Models),
        }
    }
}

impl FromStr for Fallback {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name.trim().to_lowercase().as_str() {
            "off" => Ok(Self::Off),
            "text" => Ok(Self::Text),
            "models" => Ok(Self::Models),
            _ => Err(format!("must be one of {}", Self::NAMES.join(", "))),
        }
    }
}
