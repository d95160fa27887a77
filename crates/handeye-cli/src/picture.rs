//! Pictures go to a file, or to standard output when it is asked for by `-`.

use crate::output::write_all;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::operation::Picture;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a picture went.
pub(crate) enum Saved {
    /// To a file.
    File(PathBuf),
    /// To standard output, which nothing else may use then.
    StandardOutput,
}

/// Writes the picture to `path`, or to a new file in the current directory that is named after `subject`.
pub(crate) fn save(picture: &Picture, path: Option<&Path>, subject: Option<&str>) -> Result<Saved> {
    if path == Some(Path::new("-")) {
        write_all(&picture.bytes).map_err(|error| failed(Path::new("standard output"), &error))?;
        return Ok(Saved::StandardOutput);
    }
    let path = path.map_or_else(|| default_name(subject, picture.mime_type), Path::to_owned);
    std::fs::write(&path, &picture.bytes).map_err(|error| failed(&path, &error))?;
    Ok(Saved::File(path))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(ErrorCode::Io, format!("the picture could not be written to {}: {error}", path.display()))
        .with_next("Name another place with --output PATH.")
}

/// `handeye-SUBJECT-TIME.png`: the time in milliseconds, so that a second one does not overwrite the first.
fn default_name(subject: Option<&str>, mime_type: &str) -> PathBuf {
    let subject: String = subject
        .unwrap_or("screen")
        .chars()
        .map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .take(40)
        .collect();
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let extension = mime_type.strip_prefix("image/").unwrap_or("png");
    PathBuf::from(format!("handeye-{subject}-{time}.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_an_application_stays_in_the_current_directory() {
        let name = default_name(Some("../../etc/passwd"), "image/png");
        assert_eq!(name.components().count(), 1);
        assert!(name.to_string_lossy().starts_with("handeye-------etc-passwd-"), "{name:?}");
    }
}
