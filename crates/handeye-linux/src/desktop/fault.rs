//! Errors of the private desktop.

use handeye_core::{Error, ErrorCode};
use std::path::Path;

/// An error about a file of the desktop.
pub(super) fn io_error(what: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorCode::Io, format!("cannot {what} {}: {error}", path.display()))
}
