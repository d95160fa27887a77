//! The one error of this program: a sentence for the person who runs it.

use std::fmt;

/// A result whose error is a [`Failure`].
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// What went wrong and what to do about it, in words.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure with its message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Turns an I/O error into a failure that says what was tried.
    pub(crate) fn io(tried: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self(format!("{tried}: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
