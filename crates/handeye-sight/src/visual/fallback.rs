//! Who looks for what a tree does not have.

use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::Duration;

/// Who is asked, and how long the first of them may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Whether models are asked after the reader of text on this machine. Otherwise no picture leaves it.
    pub models: bool,
    /// How long reading may take, with the wait for its turn. A model's time is limited by who asks it.
    pub reading: Duration,
}

impl Effort {
    /// Of a call that was made to look.
    pub const WHOLE: Self = Self { models: true, reading: Duration::from_secs(40) };
    /// How long reading may take in a call that missed an element: many of them only have a typing error.
    const BRIEFLY: Duration = Duration::from_secs(6);
}

/// Whether a search in a tree that finds nothing goes on in the picture of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Fallback {
    /// It ends.
    #[default]
    Off,
    /// The text in the picture is read on this machine.
    Text,
    /// Models are asked after that, the client's own too: a picture of the window leaves the machine.
    Models,
}

impl Fallback {
    /// The spellings, in the order of the variants.
    pub const NAMES: [&'static str; 3] = ["off", "text", "models"];

    /// Who is asked; `None` for nobody.
    pub const fn effort(self) -> Option<Effort> {
        match self {
            Self::Off => None,
            Self::Text => Some(Effort { models: false, reading: Effort::BRIEFLY }),
            Self::Models => Some(Effort { models: true, reading: Effort::BRIEFLY }),
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
