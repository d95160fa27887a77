//! Reading a file that a parameter names.

use handeye_core::{Error, ErrorCode, Result};
use handeye_flow::file;
use handeye_picture::MAX_FILE_BYTES;
use handeye_shots::working_directory::WorkingDirectory;
use rustix::fs::{Mode, OFlags};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// What a file has to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    /// What it is called in an error.
    noun: &'static str,
    /// Most bytes that are read.
    largest: usize,
    /// What helps where it is larger.
    smaller: &'static str,
}

/// A picture.
pub(crate) const PICTURE: Expected =
    Expected { noun: "picture", largest: MAX_FILE_BYTES, smaller: "Scale the picture down first." };
/// A workflow.
pub(crate) const WORKFLOW: Expected =
    Expected { noun: "workflow", largest: file::MAX_BYTES, smaller: "Run it in parts." };

/// Reads the file that `parameter` names. A relative path counts from the working directory, as the paths of screenshots do.
///
/// # Errors
/// [`ErrorCode::Io`] if it cannot be read, [`ErrorCode::InvalidParameter`] if it is not a file, [`ErrorCode::TooLarge`] beyond
/// the largest size.
pub(crate) async fn read(
    here: WorkingDirectory,
    path: PathBuf,
    parameter: &'static str,
    expected: Expected,
) -> Result<Vec<u8>> {
    // Not in the line for the encoders: a file on a dead network drive would hold them up.
    tokio::task::spawn_blocking(move || read_now(&here, &path, parameter, expected))
        .await
        .map_err(|error| Error::internal(format!("the file's thread ended early: {error}")))?
}

fn read_now(here: &WorkingDirectory, path: &Path, parameter: &str, expected: Expected) -> Result<Vec<u8>> {
    let about = |error: &io::Error| unreadable(here, path, expected.noun, error);
    let path = &*here.absolute(path).map_err(|error| about(&error))?;
    // Looked at before it is opened: opening a device may set something off.
    check_kind(&std::fs::metadata(path).map_err(|error| about(&error))?, parameter, expected)?;
    // It may be another file by now: a pipe would wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| about(&error.into()))?;
    let file = File::from(opened);
    check_kind(&file.metadata().map_err(|error| about(&error))?, parameter, expected)?;
    let mut bytes = Vec::new();
    // It may grow meanwhile: the limit holds for what is read.
    file.take(expected.largest as u64 + 1).read_to_end(&mut bytes).map_err(|error| about(&error))?;
    Ok(bytes)
}

/// Refuses what is not a file, or is too large.
fn check_kind(metadata: &Metadata, parameter: &str, expected: Expected) -> Result<()> {
    let invalid = |why: &str| Error::invalid_parameter(parameter, why);
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Err(invalid("is a folder").with_next("Name a file in it."));
    }
    if kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device() {
        return Err(invalid("is a device or a pipe, not a file"));
    }
    if metadata.len() > expected.largest as u64 {
        let message = format!(
            "parameter '{parameter}': has {} bytes; at most {} are read",
            metadata.len(),
            expected.largest
        );
        return Err(Error::new(ErrorCode::TooLarge, message).with_next(expected.smaller));
    }
    Ok(())
}

fn unreadable(here: &WorkingDirectory, path: &Path, noun: &str, error: &io::Error) -> Error {
    let message = format!("the {noun} {} cannot be read: {error}", path.display());
    let relative = if path.is_relative() {
        let folder = here
            .folder()
            .map_or_else(|_| "the working directory".to_owned(), |folder| folder.display().to_string());
        format!("The path is relative: it counts from {folder}. ")
    } else {
        String::new()
    };
    Error::new(ErrorCode::Io, message).with_next(format!("{relative}Check the path."))
}
