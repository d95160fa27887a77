//! One line of the log: how it is sealed with its hash, and how that is checked.
//!
//! The hash is that of the line without its last member, which is the hash itself: `{…}` becomes `{…,"hash":"…"}`. So no two programs have to
//! agree on how JSON is written, and no byte of a line can change without it.

use crate::fault::{Fault, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The hash that comes before the first record.
pub(crate) const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What stands between the members of a record and its hash.
const SEAL: &str = ",\"hash\":\"";

/// Longest line that is written, in bytes. Longer ones are not records of handeye.
pub(crate) const LONGEST: usize = 32 * 1024;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something is about to be done.
    Intent,
    /// It has ended, or was not begun.
    Outcome,
    /// Something about the log itself.
    Event,
}

/// The members of a record in their order, without the hash.
#[derive(Debug, Serialize)]
pub(crate) struct Unsealed<'a, F> {
    pub(crate) timestamp: String,
    /// The process that writes: a random text, which its first record explains.
    pub(crate) process: &'a str,
    /// Its place among the records of that process, from 0 on.
    pub(crate) seq: u64,
    pub(crate) kind: Kind,
    /// The number of the file, in its first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<u64>,
    /// The record of the intent that an outcome belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) intent: Option<u64>,
    #[serde(flatten)]
    pub(crate) fields: &'a F,
    /// The hash of the record before it of the same process.
    pub(crate) prev: &'a str,
    /// The hash of the whole line above it, whosever it is.
    pub(crate) above: &'a str,
}

/// The time now, in UTC, with milliseconds.
pub(crate) fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

/// The hash of some bytes, in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        if write!(text, "{byte:02x}").is_err() {
            debug_assert!(false);
        }
        text
    })
}

/// A line that is ready to be written, with its hash. It has no end of line.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) line: String,
    pub(crate) hash: String,
}

impl<F: Serialize> Unsealed<'_, F> {
    /// Seals the record.
    pub(crate) fn seal(&self) -> Result<Sealed> {
        let mut line = serde_json::to_string(self)?;
        let hash = hash(line.as_bytes());
        // It ends with the brace of the object.
        line.pop();
        line.push_str(SEAL);
        line.push_str(&hash);
        line.push_str("\"}");
        if line.len() > LONGEST {
            return Err(Fault::TooLong { length: line.len(), most: LONGEST });
        }
        Ok(Sealed { line, hash })
    }
}

/// What holds the records of a log together.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Chained {
    /// When it was written, by the clock of the machine. Nothing depends on it.
    pub timestamp: String,
    /// The process that wrote it.
    pub process: String,
    /// Its place among the records of that process.
    pub seq: u64,
    /// What it is.
    pub kind: Kind,
    /// The number of the file, in its first line.
    #[serde(default)]
    pub file: Option<u64>,
    /// The record of the intent that it is the outcome of.
    #[serde(default)]
    pub intent: Option<u64>,
    /// What happened, for a record about the log itself.
    #[serde(default)]
    pub event: Option<String>,
    /// The number of an older file that was removed, and the hash of its last line.
    #[serde(default)]
    pub removed: Option<Removed>,
    /// The hash of the record before it of the same process.
    pub prev: String,
    /// The hash of the whole line above it.
    pub above: String,
    /// Its own hash.
    pub hash: String,
}

/// An older file that was removed because only so many are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// Its number.
    pub file: u64,
    /// The hash of its last line.
    pub last: String,
}

impl Chained {
    /// Reads a line and checks its hash.
    ///
    /// # Errors
    /// What is wrong with it, as the end of the sentence "the line …".
    pub fn read(line: &[u8]) -> std::result::Result<Self, &'static str> {
        const UNSEALED: &str = "is not a whole record: it does not end with its hash";
        let text = std::str::from_utf8(line).map_err(|_| "is not text")?;
        let at = text.len().checked_sub(SEAL.len() + 66).ok_or(UNSEALED)?;
        let own =
            text.get(at..).and_then(|end| end.strip_prefix(SEAL)).and_then(|end| end.strip_suffix("\"}"));
        let own = own.ok_or(UNSEALED)?;
        let body = text.get(..at).ok_or(UNSEALED)?;
        if hash(format!("{body}}}").as_bytes()) != own {
            return Err("was changed: its hash does not fit");
        }
        serde_json::from_str(text).map_err(|_| "is sealed, but is not a record")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, json};

    fn sealed(fields: &Map<String, serde_json::Value>) -> Sealed {
        let process = "p";
        let unsealed = Unsealed {
            timestamp: now(),
            process,
            seq: 7,
            kind: Kind::Outcome,
            file: None,
            intent: Some(6),
            fields,
            prev: NOTHING,
            above: NOTHING,
        };
        unsealed.seal().expect("JSON")
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let fields = json!({ "tool": "ax_click", "args": { "query": "Löschen \"…\"\n" } });
        let written = sealed(fields.as_object().expect("an object"));
        let read = Chained::read(written.line.as_bytes()).expect("sound");
        assert_eq!((read.seq, read.kind, read.intent, read.hash), (7, Kind::Outcome, Some(6), written.hash));
        assert_eq!(read.timestamp.len(), "2026-03-19T10:30:00.000Z".len());
        assert!(read.timestamp.ends_with('Z'));
    }

    #[test]
    fn what_is_no_record_is_no_panic() {
        for line in ["", "{}", "ü", &"x".repeat(100), &"ü".repeat(70), &format!("{}ü{}", "x", "y".repeat(74))]
        {
            assert!(Chained::read(line.as_bytes()).is_err(), "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_byte_can_change(text in ".{0,40}", at in any::<prop::sample::Index>(), bit in 0..8_u8) {
            let fields = json!({ "tool": text });
            let mut line = sealed(fields.as_object().expect("an object")).line.into_bytes();
            let at = at.index(line.len());
            line[at] ^= 1 << bit;
            prop_assert!(Chained::read(&line).is_err());
        }

        #[test]
        fn any_bytes_are_read_or_refused(line in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(Chained::read(&line).is_err());
        }
    }
}
