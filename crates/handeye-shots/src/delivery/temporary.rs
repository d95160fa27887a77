//! Temporary folders for one picture each: `mcp-screenshot-UUID` below the system's temporary folder, removed when
//! their time is over (mcp-screenshot-mac, requirement 4).
//!
//! Each contains a file with that time, so that any process of the same user can tidy up after one that crashed.

use super::draft::Draft;
use super::fault::cannot_write;
use super::place::FILE_MODE;
use super::settings::Delivery;
use handeye_core::Result;
use handeye_picture::Format;
use jiff::Timestamp;
use rustix::process::geteuid;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use uuid::Uuid;

const BEGINNING: &str = "mcp-screenshot-";
/// The file that says whose folder it is and how long it lives: milliseconds since 1970, or [`FOREVER`].
const MARKER: &str = ".handeye-expires";
const FOREVER: &str = "never";
/// A marker is a number. Anything longer is not a marker.
const LONGEST_MARKER: u64 = 32;
/// How many entries of the temporary folder are looked at in one go.
const MOST_ENTRIES: usize = 50_000;

/// Saves a picture in a temporary folder of its own and returns its path.
pub(super) fn save(delivery: &Delivery, bytes: &[u8], format: Format) -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("{BEGINNING}{}", Uuid::new_v4()));
    let path = folder.join(format!("window.{}", format.extension()));
    DirBuilder::new().mode(0o700).create(&folder).map_err(|error| cannot_write(&folder, &error))?;
    fill(&folder, &path, bytes, delivery.temporary_life).map_err(|error| {
        remove(&folder);
        cannot_write(&path, &error)
    })?;
    Ok(path)
}

/// The temporary folder that has this picture, if one has.
pub(super) fn folder_of(picture: &Path) -> Option<&Path> {
    let folder = picture.parent()?;
    let name = folder.file_name()?.to_str()?;
    let is_temporary =
        folder.parent()? == std::env::temp_dir() && Uuid::try_parse(name.strip_prefix(BEGINNING)?).is_ok();
    is_temporary.then_some(folder)
}

fn fill(folder: &Path, picture: &Path, bytes: &[u8], life: Option<Duration>) -> io::Result<()> {
    let expires = life.and_then(|life| Timestamp::now().checked_add(life).ok());
    let expires = expires.map_or_else(|| FOREVER.to_owned(), |at| at.as_millisecond().to_string());
    Draft::write(folder, expires.as_bytes(), FILE_MODE)?.replace(&folder.join(MARKER))?;
    Draft::write(folder, bytes, FILE_MODE)?.replace(picture)
}

/// How long a temporary folder still lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    /// So long; zero when its time is over.
    Time(Duration),
    /// Until another program removes it.
    Forever,
}

/// Removes this user's temporary folders whose time is over. Returns when the next one's is.
pub(super) fn remove_expired() -> Option<Duration> {
    let mut next = None;
    for (folder, left) in folders() {
        match left {
            Left::Time(Duration::ZERO) => remove(&folder),
            Left::Time(left) => next = Some(next.map_or(left, |next: Duration| next.min(left))),
            Left::Forever => {}
        }
    }
    next
}

/// This user's temporary folders whose time is over.
pub(super) fn expired() -> impl Iterator<Item = PathBuf> {
    folders().filter(|(_, left)| *left == Left::Time(Duration::ZERO)).map(|(folder, _)| folder)
}

/// This user's temporary folders. A folder that cannot be read does not count.
fn folders() -> impl Iterator<Item = (PathBuf, Left)> {
    let now = Timestamp::now();
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten();
    entries.take(MOST_ENTRIES).flatten().filter_map(move |entry| {
        let name = entry.file_name();
        Uuid::try_parse(name.to_str()?.strip_prefix(BEGINNING)?).ok()?;
        let metadata = fs::symlink_metadata(entry.path()).ok()?;
        (metadata.is_dir() && metadata.uid() == geteuid().as_raw())
            .then(|| left(&entry.path(), &metadata, now))
            .flatten()
            .map(|left| (entry.path(), left))
    })
}

/// How long a folder lives, by its marker. A process that died before it wrote one left an empty folder.
fn left(folder: &Path, metadata: &fs::Metadata, now: Timestamp) -> Option<Left> {
    let marker = folder.join(MARKER);
    let expires = match fs::symlink_metadata(&marker) {
        Ok(found) if found.is_file() && found.len() <= LONGEST_MARKER => {
            let text = fs::read_to_string(&marker).ok()?;
            if text == FOREVER {
                return Some(Left::Forever);
            }
            Timestamp::from_millisecond(text.parse().ok()?).ok()?
        }
        Err(error) if error.kind() == ErrorKind::NotFound && is_empty(folder) => {
            let made = Timestamp::from_second(metadata.mtime()).ok()?;
            made.checked_add(Delivery::TEMPORARY_LIFE).ok()?
        }
        _ => return None,
    };
    let left = expires.duration_since(now);
    Some(Left::Time(Duration::try_from(left).unwrap_or_default()))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Removes a temporary folder and what is in it. A fault is only logged (requirement 4.4).
pub(super) fn remove(folder: &Path) {
    if let Err(error) = try_remove(folder) {
        tracing::warn!(path = %folder.display(), %error, "a temporary folder cannot be removed");
    }
}

/// The same, with the fault.
pub(super) fn try_remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_marker_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let metadata = || fs::symlink_metadata(folder.path()).expect("a folder");
        let now = Timestamp::now();
        let parsed = |text: &str| {
            fs::write(folder.path().join(MARKER), text).expect("written");
            left(folder.path(), &metadata(), now)
        };
        let at = |seconds: i64| (now.as_millisecond() + seconds * 1_000).to_string();
        assert_eq!(parsed(&at(-5)), Some(Left::Time(Duration::ZERO)));
        assert!(matches!(parsed(&at(60)), Some(Left::Time(left)) if left > Duration::from_secs(58)));
        assert_eq!(parsed("never"), Some(Left::Forever));
        for other in ["", "soon", "12 ", &"9".repeat(40)] {
            assert_eq!(parsed(other), None, "{other}");
        }
        fs::remove_file(folder.path().join(MARKER)).expect("removed");
        let later = now.checked_add(Duration::from_secs(700)).expect("in range");
        assert!(matches!(left(folder.path(), &metadata(), now), Some(Left::Time(left)) if !left.is_zero()));
        assert_eq!(
            left(folder.path(), &metadata(), later),
            Some(Left::Time(Duration::ZERO)),
            "empty and old"
        );
        fs::write(folder.path().join("work"), "of somebody").expect("written");
        assert_eq!(left(folder.path(), &metadata(), later), None, "no marker, not empty");
    }
}
