//! Whether a person is asked at all.

use handeye_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Whether a person is asked before something may be destroyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Confirm {
    /// Where the client can ask one; elsewhere the answer says that nobody was asked.
    #[default]
    Auto,
    /// Always: where nobody can be asked, or nothing shows that a person answers, it is not done. What does not describe itself
    /// counts as risky too.
    Always,
    /// Never.
    Never,
}

impl Confirm {
    /// The spellings, in the order of the variants.
    pub const NAMES: [&'static str; 3] = ["auto", "always", "never"];

    /// Its spelling.
    pub const fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl FromStr for Confirm {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name.to_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => {
                Err(Error::invalid_parameter("confirm", format!("must be one of {}", Self::NAMES.join(", "))))
            }
        }
    }
}
