//! `handeye clean`: removes what handeye has saved without being asked to keep it.

use super::place::refuse_foreign;
use super::settings::Delivery;
use super::{draft, folder, temporary};
use handeye_core::{Error, ErrorCode, Result, SettingName, text};
use jiff::Timestamp;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

/// Something that handeye has left on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// A picture in the folder for screenshots, or a temporary folder whose time is over.
    pub path: PathBuf,
    /// How many bytes it has; 0 for a folder.
    pub bytes: u64,
}

/// What was cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cleaned {
    /// What is gone, or would be; the oldest pictures first.
    pub removed: Vec<Trace>,
    /// What could not be removed, and why.
    pub failed: Vec<(PathBuf, String)>,
}

/// Removes the pictures in the folder for screenshots that handeye named, or those among them that are older than
/// `older_than`, and temporary folders whose time is over. With `dry_run` it only lists them. Other files are left alone.
pub fn clean(delivery: &Delivery, older_than: Option<Duration>, dry_run: bool) -> Result<Cleaned> {
    let directory = folder::directory(delivery)?;
    // The creator of a link must not choose where pictures are removed.
    let listed = refuse_foreign(&directory).and_then(|()| folder::pictures(&directory));
    let mut pictures = match listed {
        Ok(pictures) => pictures,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let message =
                format!("the folder {} for screenshots cannot be read: {error}", directory.display());
            return Err(Error::new(ErrorCode::Io, message).with_next(text![
                "Name the right one with ",
                SettingName::of("screenshot-dir"),
                "."
            ]));
        }
    };
    let latest = older_than.map(|age| Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN));
    pictures.retain(|picture| latest.is_none_or(|latest| picture.taken.at < latest));
    pictures.sort_unstable_by_key(|picture| picture.taken);
    let mut cleaned = Cleaned::default();
    for picture in pictures {
        let trace = Trace { bytes: picture.bytes(), path: picture.path };
        cleaned.take(trace, dry_run, |path| folder::remove(path));
    }
    for path in temporary::expired() {
        cleaned.take(Trace { path, bytes: 0 }, dry_run, |path| temporary::try_remove(path));
    }
    if !dry_run {
        draft::remove_abandoned(&directory);
    }
    Ok(cleaned)
}

impl Cleaned {
    fn take(&mut self, trace: Trace, dry_run: bool, remove: impl Fn(&PathBuf) -> io::Result<()>) {
        match if dry_run { Ok(()) } else { remove(&trace.path) } {
            Ok(()) => self.removed.push(trace),
            Err(error) => self.failed.push((trace.path, error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::name::{self, Taken};
    use handeye_picture::Format;
    use std::fs;

    #[test]
    fn only_own_pictures_go_and_only_old_ones_if_asked() {
        let base = tempfile::tempdir().expect("a folder");
        let delivery = Delivery { directory: base.path().to_owned(), ..Delivery::default() };
        let at =
            |hours: u64| Timestamp::now().checked_sub(Duration::from_secs(3600 * hours)).expect("in range");
        let names = [30, 20, 1].map(|hours| name::name(Taken { at: at(hours), number: 1 }, Format::Png));
        for name in names.iter().map(String::as_str).chain(["mine.png", "page-1.png", ".handeye-dead.part"]) {
            fs::write(base.path().join(name), "12345").expect("written");
        }
        let gone = |cleaned: &Cleaned| -> Vec<String> {
            let here = cleaned.removed.iter().filter(|trace| trace.path.starts_with(base.path()));
            here.map(|trace| trace.path.file_name().unwrap_or_default().to_string_lossy().into_owned())
                .collect()
        };
        let day = Some(Duration::from_secs(24 * 3600));
        let dry = clean(&delivery, day, true).expect("cleaned");
        assert_eq!(gone(&dry), names[..1]);
        assert_eq!(dry.removed[0].bytes, 5);
        assert_eq!(fs::read_dir(base.path()).expect("a folder").count(), 6, "a dry run removes nothing");
        assert_eq!(gone(&clean(&delivery, day, false).expect("cleaned")), names[..1]);
        assert_eq!(gone(&clean(&delivery, None, false).expect("cleaned")), names[1..]);
        assert!(gone(&clean(&delivery, None, false).expect("cleaned")).is_empty());
        let mut left: Vec<_> =
            fs::read_dir(base.path()).expect("a folder").flatten().map(|e| e.file_name()).collect();
        left.sort();
        assert_eq!(left, ["mine.png", "page-1.png"]);
    }

    #[test]
    fn a_missing_folder_is_clean_and_a_file_is_an_error() {
        let base = tempfile::tempdir().expect("a folder");
        let of = |name: &str| Delivery { directory: base.path().join(name), ..Delivery::default() };
        assert!(clean(&of("missing"), None, true).expect("clean").failed.is_empty());
        fs::write(base.path().join("file"), "x").expect("written");
        assert_eq!(clean(&of("file"), None, true).expect_err("no folder").code, ErrorCode::Io);
    }
}
