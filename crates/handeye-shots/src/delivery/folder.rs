//! The folder for screenshots: names that never collide, and how much it may hold.
//!
//! Whatever is removed here has a name that only handeye gives; everything else in the folder is left alone.

use super::draft::Draft;
use super::fault::cannot_write;
use super::name::{self, Taken};
use super::place::{FILE_MODE, make_folder, refuse_foreign};
use super::settings::{Delivery, Keep};
use handeye_core::{Error, ErrorCode, Result, SettingName, text};
use handeye_picture::Format;
use jiff::Timestamp;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};

/// How many pictures of one millisecond there can be.
const MOST_OF_A_MILLISECOND: u32 = 10_000;
/// How many entries of the folder are looked at in one go.
const MOST_ENTRIES: usize = 100_000;
/// How many pictures are removed in one go; the rest with the next picture.
const MOST_REMOVED: usize = 1_000;

/// A picture in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) path: PathBuf,
    pub(super) taken: Taken,
}

impl Stored {
    /// How many bytes it has; 0 if that cannot be determined.
    pub(super) fn bytes(&self) -> u64 {
        fs::symlink_metadata(&self.path).map_or(0, |metadata| metadata.len())
    }
}

/// Saves a picture under a new name, then removes the oldest ones beyond [`Delivery::keep`]. Returns the absolute path.
pub(super) fn save(delivery: &Delivery, bytes: &[u8], format: Format) -> Result<PathBuf> {
    let folder = directory(delivery)?;
    let failed = |error: io::Error| cannot_write(&folder, &error);
    let ignored = delivery.directory.as_os_str() == Delivery::DIRECTORY;
    let name = match write_new(&folder, ignored, bytes, format) {
        // The folder was removed in between: once is bad luck.
        Err(error) if error.kind() == ErrorKind::NotFound => write_new(&folder, ignored, bytes, format),
        written => written,
    }
    .map_err(failed)?;
    let path = folder.join(name);
    prune(&folder, delivery.keep, &path);
    Ok(path)
}

/// The folder, absolute.
pub(super) fn directory(delivery: &Delivery) -> Result<PathBuf> {
    delivery.working_directory.absolute(&delivery.directory).map_err(|error| {
        let shown = delivery.directory.display();
        Error::new(ErrorCode::Io, format!("the folder {shown} for screenshots cannot be found: {error}"))
            .with_next(text![
                "The working directory may be gone. Give an absolute path with ",
                SettingName::of("screenshot-dir"),
                "."
            ])
    })
}

/// Makes the folder if it is missing and the file in it. With `ignored`, a new folder is hidden from git.
fn write_new(folder: &Path, ignored: bool, bytes: &[u8], format: Format) -> io::Result<String> {
    refuse_foreign(folder)?;
    if !folder.is_dir() {
        make_folder(folder)?;
        if ignored {
            hide_from_git(folder);
        }
    }
    let draft = Draft::write(folder, bytes, FILE_MODE)?;
    let at = next_time();
    let names = (1..=MOST_OF_A_MILLISECOND).map(|number| name::name(Taken { at, number }, format));
    draft
        .name_first_free(folder, names)?
        .ok_or_else(|| io::Error::other("too many pictures were taken in this millisecond"))
}

/// Has git ignore a folder that the user did not ask for: pictures of a screen may hold secrets, and a user of a repository
/// adds all that is new there. A fault is only logged: the picture matters more.
fn hide_from_git(folder: &Path) {
    let written = Draft::write(folder, b"*\n", FILE_MODE)
        .and_then(|draft| draft.name_first_free(folder, std::iter::once(".gitignore".to_owned())));
    if let Err(error) = written {
        tracing::warn!(path = %folder.display(), %error, "the screenshots cannot be hidden from git");
    }
}

/// The time for the next name: now, or the next millisecond that this process has given to no picture. So the name of
/// a picture that was pruned is not used again.
fn next_time() -> Timestamp {
    static LAST: AtomicI64 = AtomicI64::new(i64::MIN);
    let now = Timestamp::now();
    let next = |last: i64| now.as_millisecond().max(last.saturating_add(1));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
    Timestamp::from_millisecond(next(last.unwrap_or_else(|last| last))).unwrap_or(now)
}

/// The pictures in the folder that handeye named, in no order. Links and folders of such a name do not count.
pub(super) fn pictures(folder: &Path) -> io::Result<Vec<Stored>> {
    let stored = fs::read_dir(folder)?.take(MOST_ENTRIES).flatten().filter_map(|entry| {
        let taken = name::parse(entry.file_name().to_str()?)?;
        entry.file_type().ok()?.is_file().then(|| Stored { path: entry.path(), taken })
    });
    Ok(stored.collect())
}

/// Removes the oldest pictures beyond `keep`, but never `new`. A fault is only logged: the new picture is saved.
fn prune(folder: &Path, keep: Keep, new: &Path) {
    if keep == Keep::All {
        return;
    }
    let pruned = pictures(folder).map(|pictures| beyond(pictures, keep, Stored::bytes));
    match pruned {
        Ok(old) => old.iter().filter(|old| old.path != new).take(MOST_REMOVED).for_each(|old| {
            if let Err(error) = remove(&old.path) {
                tracing::warn!(path = %old.path.display(), %error, "an old screenshot cannot be removed");
            }
        }),
        Err(error) => {
            tracing::warn!(path = %folder.display(), %error, "old screenshots cannot be looked for");
        }
    }
}

/// Removes a file; another process may have done so already.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The pictures that `keep` has no room for, the oldest first.
fn beyond(mut pictures: Vec<Stored>, keep: Keep, bytes: impl Fn(&Stored) -> u64) -> Vec<Stored> {
    pictures.sort_unstable_by_key(|picture| std::cmp::Reverse(picture.taken));
    let kept = match keep {
        Keep::All => pictures.len(),
        Keep::Count(count) => count,
        Keep::Bytes(room) => {
            let mut used = 0_u64;
            pictures
                .iter()
                .take_while(|picture| {
                    used = used.saturating_add(bytes(picture));
                    used <= room
                })
                .count()
        }
    };
    let mut old = pictures.split_off(kept.clamp(pictures.len().min(1), pictures.len()));
    old.reverse();
    old
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stored(millisecond: i64) -> Stored {
        let taken = Taken { at: Timestamp::from_millisecond(millisecond).expect("in range"), number: 1 };
        Stored { path: name::name(taken, Format::Png).into(), taken }
    }

    fn times(pictures: &[Stored]) -> Vec<i64> {
        pictures.iter().map(|picture| picture.taken.at.as_millisecond()).collect()
    }

    #[test]
    fn the_oldest_go_first() {
        const NONE: [i64; 0] = [];
        let all = || [3, 1, 4, 2].map(stored).to_vec();
        assert_eq!(times(&beyond(all(), Keep::All, |_| 10)), NONE);
        assert_eq!(times(&beyond(all(), Keep::Count(3), |_| 10)), [1]);
        assert_eq!(times(&beyond(all(), Keep::Count(9), |_| 10)), NONE);
        assert_eq!(times(&beyond(all(), Keep::Bytes(25), |_| 10)), [1, 2]);
        assert_eq!(times(&beyond(all(), Keep::Bytes(5), |_| 10)), [1, 2, 3], "the newest stays in any case");
        assert_eq!(times(&beyond(Vec::new(), Keep::Bytes(5), |_| 10)), NONE);
    }

    proptest! {
        #[test]
        fn what_is_kept_is_newer_and_fits(
            milliseconds in proptest::collection::hash_set(0_i64..1_000_000, 0..40),
            room in 1_u64..2_000,
        ) {
            let all: Vec<Stored> = milliseconds.iter().map(|at| stored(*at)).collect();
            let size = |picture: &Stored| picture.taken.at.as_millisecond().unsigned_abs() % 100;
            let old = beyond(all.clone(), Keep::Bytes(room), size);
            let kept: Vec<&Stored> = all.iter().filter(|picture| !old.contains(picture)).collect();
            prop_assert!(kept.iter().all(|kept| old.iter().all(|old| old.taken < kept.taken)));
            prop_assert!(kept.len() <= 1 || kept.iter().map(|kept| size(kept)).sum::<u64>() <= room);
            prop_assert_eq!(kept.is_empty(), all.is_empty());
        }
    }

    #[test]
    fn pictures_never_share_a_name_and_others_are_left_alone() {
        let base = tempfile::tempdir().expect("a folder");
        let directory = base.path().join("made/when needed");
        let delivery = Delivery { directory: directory.clone(), keep: Keep::Count(3), ..Delivery::default() };
        fs::create_dir_all(&directory).expect("made");
        for other in ["page-notes.png", "page-2026-01-13T15-30-45-123Z.txt", "photo.png"] {
            fs::write(directory.join(other), "mine").expect("written");
        }
        std::os::unix::fs::symlink("photo.png", directory.join("page-2020-01-13T15-30-45-123Z.png"))
            .expect("a link");
        let paths: Vec<PathBuf> = std::thread::scope(|scope| {
            let save = || save(&delivery, b"picture", Format::Png).expect("saved");
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(save)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let mut unique = paths.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), 8, "{paths:?}");
        let last = save(&delivery, b"picture", Format::Jpeg).expect("saved");
        assert!(last.is_absolute() && last.exists());
        assert_eq!(pictures(&directory).expect("a list").len(), 3);
        assert_eq!(fs::read_dir(&directory).expect("a folder").count(), 3 + 4);
    }

    #[test]
    fn a_folder_that_cannot_be_is_an_error_that_helps() {
        let base = tempfile::tempdir().expect("a folder");
        fs::write(base.path().join("file"), "x").expect("written");
        std::os::unix::fs::symlink("nothing", base.path().join("dangling")).expect("a link");
        for place in ["file", "file/below", "dangling", "/proc/nowhere"] {
            let delivery = Delivery { directory: base.path().join(place), ..Delivery::default() };
            let error = save(&delivery, b"picture", Format::Png).expect_err(place);
            assert_eq!(error.code, ErrorCode::Io, "{place}");
            assert!(error.message.contains(place), "{error}");
            assert!(error.next.expect("advice").contains("--screenshot-dir"), "{place}");
        }
        assert_eq!(fs::read_dir(base.path()).expect("a folder").count(), 2, "nothing was left");
    }
}
