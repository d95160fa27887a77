//! The error when a picture's file cannot be written: what failed, where, and what to do.

use handeye_core::{Error, ErrorCode, SettingName, Text, text};
use std::io::{self, ErrorKind};
use std::path::Path;

/// The error of a picture that cannot be written to `path`.
pub fn cannot_write(path: &Path, error: &io::Error) -> Error {
    let why = reason(error);
    let all = SettingName::of("screenshot-dir").with_variable();
    let next: Text = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "Free some space there (`handeye clean` removes old screenshots), or name a place on another disk.".into()
        }
        ErrorKind::IsADirectory => "Add the name of a file to it.".into(),
        ErrorKind::InvalidInput => text![
            "Name a new file, a picture (which is replaced), or a real folder: a path, or ",
            all,
            " for all screenshots."
        ],
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            text!["Name a place that you may write to: a path, or ", all, " for all screenshots."]
        }
        _ => text!["Name another place: a path, or ", all, " for all screenshots."],
    };
    Error::new(ErrorCode::Io, format!("the picture could not be written to {}: {why}", path.display()))
        .with_next(next)
}

/// Why, in words. The system's own ones name neither file nor folder.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "this process may not write there".into(),
        ErrorKind::NotFound => "the folder is missing".into(),
        ErrorKind::StorageFull => "no space is left on that disk".into(),
        ErrorKind::QuotaExceeded => "the disk quota is used up".into(),
        ErrorKind::FileTooLarge => "the file would be larger than this process may write".into(),
        ErrorKind::IsADirectory => "that is a folder".into(),
        ErrorKind::NotADirectory => "a part of that path is a file, not a folder".into(),
        ErrorKind::ReadOnlyFilesystem => "that disk is read-only".into(),
        ErrorKind::InvalidFilename => "the name is too long".into(),
        ErrorKind::AlreadyExists => "something that is not a folder has that name".into(),
        _ => error.to_string(),
    }
}
