//! Where pictures are kept and how they reach a client.

use crate::working_directory::WorkingDirectory;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// Where pictures are kept and how they reach a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Where relative paths begin.
    pub working_directory: WorkingDirectory,
    /// The folder for screenshots, absolute or relative to the working directory.
    pub directory: PathBuf,
    /// What an answer carries.
    pub responses: Responses,
    /// How much that folder may hold.
    pub keep: Keep,
    /// How long the folder of a [`Destination::Temporary`](super::Destination::Temporary) lives; `None` for as long as
    /// nothing else removes it.
    pub temporary_life: Option<Duration>,
}

impl Delivery {
    /// The name of the folder for screenshots, in the working directory (viewpoint-screenshots, decision 1).
    pub const DIRECTORY: &'static str = ".handeye-screenshots";
    /// How long temporary folders live (mcp-screenshot-mac, requirement 4.2).
    pub const TEMPORARY_LIFE: Duration = Duration::from_secs(600);
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            working_directory: WorkingDirectory::default(),
            directory: Self::DIRECTORY.into(),
            responses: Responses::default(),
            keep: Keep::default(),
            temporary_life: Some(Self::TEMPORARY_LIFE),
        }
    }
}

/// What an answer carries of a picture (viewpoint-screenshots, decision 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Responses {
    /// The path of the saved file.
    #[default]
    File,
    /// The path and the picture itself, scaled to what a model takes.
    Inline,
    /// A confirmation, neither path nor picture.
    Omit,
}

impl FromStr for Responses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "file" => Ok(Self::File),
            "inline" => Ok(Self::Inline),
            "omit" => Ok(Self::Omit),
            _ => Err(format!("'{text}' is not file, inline or omit")),
        }
    }
}

/// How much a folder for screenshots may hold; the oldest ones are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Keep {
    /// Everything.
    #[default]
    All,
    /// This many pictures, at least one.
    Count(usize),
    /// Pictures of this many bytes, and the newest in any case.
    Bytes(u64),
}

impl FromStr for Keep {
    type Err = String;

    /// Reads `all`, a count such as `100`, or a size such as `500MB` (decimal) or `2GiB` (binary).
    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || {
            format!(
                "'{text}' is neither all, nor a count such as 100, nor a size such as 500MB; both are at least 1"
            )
        };
        let trimmed = text.trim();
        if trimmed.eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(digits);
        let number: u64 = number.parse().ok().filter(|number| *number > 0).ok_or_else(malformed)?;
        let unit = unit.trim_start();
        if unit.is_empty() {
            return usize::try_from(number).map(Self::Count).map_err(|_| malformed());
        }
        let bytes = number.checked_mul(bytes_of(unit).ok_or_else(malformed)?).ok_or_else(malformed)?;
        Ok(Self::Bytes(bytes))
    }
}

/// How many bytes a unit has.
fn bytes_of(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_defaults_are_those_of_the_specifications() {
        let delivery = Delivery::default();
        assert_eq!(delivery.directory, PathBuf::from(".handeye-screenshots"));
        assert_eq!(delivery.responses, Responses::File);
        assert_eq!(delivery.keep, Keep::All);
        assert_eq!(delivery.temporary_life, Some(Duration::from_secs(600)));
    }

    #[test]
    fn keep_is_all_a_count_or_a_size() {
        for (text, keep) in [
            ("all", Keep::All),
            ("100", Keep::Count(100)),
            (" 7 ", Keep::Count(7)),
            ("500MB", Keep::Bytes(500_000_000)),
            ("500 mb", Keep::Bytes(500_000_000)),
            ("64K", Keep::Bytes(64_000)),
            ("2GiB", Keep::Bytes(2 << 30)),
            ("1b", Keep::Bytes(1)),
        ] {
            assert_eq!(text.parse(), Ok(keep), "{text}");
        }
        for bad in
            ["", "0", "0MB", "-1", "1.5GB", "MB", "10 apples", "99999999999999999999", "99999999999TiB"]
        {
            assert!(bad.parse::<Keep>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,24}") {
            let read = text.parse::<Keep>();
            if let Ok(Keep::Count(count)) = read {
                prop_assert!(count > 0);
            }
        }
    }
}
