//! What can fail in the audit log.

use std::io;
use std::path::{Path, PathBuf};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Fault>;

/// Why the audit log cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Somebody else could read, change or replace it. Nothing is written there.
    #[error("the audit log {}: {why}", place.display())]
    Unsafe {
        /// The file or folder.
        place: PathBuf,
        /// What is wrong with it, and what helps.
        why: String,
    },
    /// The system reports an error.
    #[error("the audit log {} cannot be {doing}: {error}", place.display())]
    Io {
        /// The file or folder.
        place: PathBuf,
        /// What was tried, as the end of a sentence.
        doing: &'static str,
        /// The error.
        error: io::Error,
    },
    /// Another process holds the lock.
    #[error("the audit log {}: another process held its lock for {held_ms} ms", place.display())]
    Busy {
        /// The file.
        place: PathBuf,
        /// How long the lock was waited for, in milliseconds.
        held_ms: u128,
    },
    /// The end of the file is not a record.
    #[error("the audit log {}: it does not end with a record, but with a line of more than {most} bytes", place.display())]
    Foreign {
        /// The file.
        place: PathBuf,
        /// The longest line that is read.
        most: u64,
    },
    /// A record cannot be written as JSON.
    #[error("a record of the audit log cannot be written as JSON: {0}")]
    Record(#[from] serde_json::Error),
    /// A record is longer than a line may be.
    #[error("a record of {length} bytes is too long for the audit log; at most {most} are written")]
    TooLong {
        /// Its length, in bytes.
        length: usize,
        /// The longest one that is written.
        most: usize,
    },
    /// More records wait than there is room for.
    #[error("more than {0} records wait for the audit log")]
    Full(usize),
}

impl Fault {
    /// Whether the place is not safe: then an action that cannot be recorded is refused in every mode, as somebody else may be the cause.
    pub const fn is_unsafe(&self) -> bool {
        matches!(self, Self::Unsafe { .. } | Self::Foreign { .. })
    }

    pub(crate) fn not_safe(place: &Path, why: impl Into<String>) -> Self {
        Self::Unsafe { place: place.to_owned(), why: why.into() }
    }

    /// Completes an error of the system.
    pub(crate) fn io(place: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { place: place.to_owned(), doing, error }
    }
}
