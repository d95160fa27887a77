//! How much disk the pictures of one caller use, and which of them make room for others.
//!
//! Counted is what this process wrote for the caller, as long as it is there. What handeye named is removed, the oldest first; what the
//! caller named is the user's from then on: it counts, and is never removed.

use super::temporary;
use handeye_core::{Error, ErrorCode, Result};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most files that are counted; the oldest are not counted beyond that.
const MOST_FILES: usize = 100_000;

/// The files of one caller.
#[derive(Debug, Default)]
pub struct Holdings(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    /// In the order in which they were written.
    files: VecDeque<File>,
    /// Bytes of pictures that are being written.
    reserved: u64,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    /// Device, number and the time of its content, as numbers are used again: another file that has its name by now is not this one.
    identity: (u64, u64, i64, i64),
    bytes: u64,
    /// Whether the caller chose its name.
    is_named: bool,
}

/// How much the pictures of one caller may use, and what they use.
#[derive(Debug, Clone)]
pub struct Room {
    /// What they use.
    pub holdings: Arc<Holdings>,
    /// How many bytes they may use.
    pub bytes: u64,
}

impl Room {
    /// How much the pictures of one caller may use if nobody says otherwise, in bytes.
    pub const USUAL: u64 = 500_000_000;

    /// Writes a file of so many bytes by `write`, which returns its path; then removes what it has no room for, but never that file.
    /// `named` is the path that the caller chose, if it did.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimitExceeded`] if there can be no room; nothing was written then. Those of `write`.
    pub(super) fn hold(
        &self,
        bytes: u64,
        named: Option<&Path>,
        write: impl FnOnce() -> Result<PathBuf>,
    ) -> Result<PathBuf> {
        let _reserved = self.reserve(bytes, named)?;
        let path = write()?;
        let Some(file) = File::at(&path, named.is_some()) else { return Ok(path) };
        for old in self.holdings.lock().take(file, self.bytes) {
            if let Err(error) = old.remove() {
                tracing::warn!(path = %old.path.display(), %error, "an old picture of this caller cannot be removed");
            }
        }
        Ok(path)
    }

    fn reserve(&self, bytes: u64, named: Option<&Path>) -> Result<Reserved<'_>> {
        if bytes > self.bytes {
            let message = format!(
                "the picture has {bytes} bytes, and all pictures of one caller together may have {}: it was not saved",
                self.bytes
            );
            return Err(too_much(message).with_next("Take a picture of a part, or as JPEG."));
        }
        let mut held = self.holdings.lock();
        let fits = |held: &Held| {
            let fixed = held.files.iter().filter(|file| file.is_named && Some(&*file.path) != named);
            let fixed: u64 = fixed.map(|file| file.bytes).sum();
            fixed.saturating_add(held.reserved).saturating_add(bytes) <= self.bytes
        };
        if !fits(&held) {
            held.files.retain(File::is_there);
            if !fits(&held) {
                let message = format!(
                    "the files that this caller named for its pictures and this one have more than {} bytes: it was not saved",
                    self.bytes
                );
                return Err(too_much(message).with_next(
                    "Remove some of these files. Only the user can change how much a caller may use.",
                ));
            }
        }
        held.reserved = held.reserved.saturating_add(bytes);
        Ok(Reserved { holdings: &self.holdings, bytes })
    }
}

impl Default for Room {
    fn default() -> Self {
        Self { holdings: Arc::default(), bytes: Self::USUAL }
    }
}

fn identity(about: &fs::Metadata) -> (u64, u64, i64, i64) {
    (about.dev(), about.ino(), about.mtime(), about.mtime_nsec())
}

fn too_much(message: String) -> Error {
    Error::new(ErrorCode::RateLimitExceeded, message)
}

/// Room for a file that is being written.
struct Reserved<'a> {
    holdings: &'a Holdings,
    bytes: u64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut held = self.holdings.lock();
        held.reserved = held.reserved.saturating_sub(self.bytes);
    }
}

impl Holdings {
    /// A poisoned lock is taken over: every change under it is one step.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Counts a new file. Returns the files of handeye's naming that have to go for it, the oldest first.
    fn take(&mut self, new: File, room: u64) -> Vec<File> {
        self.files.retain(|file| file.path != new.path);
        self.files.push_back(new);
        if self.files.len() > MOST_FILES {
            self.files.pop_front();
        }
        let used = |files: &VecDeque<File>| files.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
        let mut used_now = used(&self.files);
        if used_now > room {
            self.files.retain(File::is_there);
            used_now = used(&self.files);
        }
        let newest = self.files.len().saturating_sub(1);
        let mut gone = Vec::new();
        let mut kept = VecDeque::new();
        for (index, file) in std::mem::take(&mut self.files).into_iter().enumerate() {
            if used_now > room && !file.is_named && index != newest {
                used_now = used_now.saturating_sub(file.bytes);
                gone.push(file);
            } else {
                kept.push_back(file);
            }
        }
        self.files = kept;
        gone
    }
}

impl File {
    /// The file at a path; `None` for what is no file, such as a device.
    fn at(path: &Path, is_named: bool) -> Option<Self> {
        let about = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self { path: path.to_owned(), identity: identity(&about), bytes: about.len(), is_named })
    }

    fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|about| identity(&about) == self.identity)
    }

    fn remove(&self) -> io::Result<()> {
        if !self.is_there() {
            return Ok(());
        }
        if let Some(folder) = temporary::folder_of(&self.path) {
            return temporary::try_remove(folder);
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Room for so many bytes, and a folder.
    fn room(bytes: u64) -> (Room, tempfile::TempDir) {
        (Room { bytes, ..Room::default() }, tempfile::tempdir().expect("a folder"))
    }

    #[expect(clippy::unnecessary_wraps, reason = "as what writes pictures")]
    fn write(path: &Path, bytes: usize) -> Result<PathBuf> {
        fs::write(path, vec![0; bytes]).expect("written");
        Ok(path.to_owned())
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_oldest_of_this_caller_make_room_and_those_of_another_stay() {
        let (mine, folder) = room(30);
        let theirs = Room { holdings: Arc::default(), ..mine.clone() };
        let add = |room: &Room, name: &str| {
            let path = folder.path().join(name);
            room.hold(10, None, || write(&path, 10)).expect("room")
        };
        for (room, name) in [
            (&theirs, "a-theirs"),
            (&mine, "b"),
            (&mine, "c"),
            (&mine, "d"),
            (&mine, "e"),
            (&theirs, "f-theirs"),
        ] {
            add(room, name);
        }
        assert_eq!(names(folder.path()), ["a-theirs", "c", "d", "e", "f-theirs"]);
        // What is gone by itself uses no room, and what has taken its name stays.
        fs::remove_file(folder.path().join("c")).expect("mine");
        fs::write(folder.path().join("kept open"), "").expect("written");
        add(&mine, "g");
        assert_eq!(names(folder.path()), ["a-theirs", "d", "e", "f-theirs", "g", "kept open"]);
        fs::remove_file(folder.path().join("d")).expect("mine");
        fs::write(folder.path().join("other"), "another file").expect("written");
        fs::rename(folder.path().join("other"), folder.path().join("d")).expect("renamed");
        add(&mine, "h");
        add(&mine, "i");
        assert_eq!(fs::read_to_string(folder.path().join("d")).expect("it stays"), "another file");
    }

    #[test]
    fn a_picture_that_has_no_room_at_all_is_not_written() {
        let (room, folder) = room(30);
        let error = room.hold(31, None, || panic!("it is not written")).expect_err("too large");
        assert_eq!(error.code, ErrorCode::RateLimitExceeded);
        assert!(error.message.contains("31 bytes") && error.message.contains("30"), "{error}");
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_the_caller_named_counts_and_stays() {
        let (room, folder) = room(30);
        let add = |name: &str, bytes: usize| {
            let path = folder.path().join(name);
            room.hold(bytes as u64, Some(&path), || write(&path, bytes))
        };
        add("a", 15).expect("room");
        add("a", 20).expect("it takes its own place");
        let unnamed = folder.path().join("unnamed");
        room.hold(10, None, || write(&unnamed, 10)).expect("room");
        let error = add("b", 11).expect_err("no room");
        assert_eq!(error.code, ErrorCode::RateLimitExceeded);
        add("b", 10).expect("the one without a name makes room");
        assert_eq!(names(folder.path()), ["a", "b"]);
        fs::remove_file(folder.path().join("a")).expect("mine");
        add("c", 20).expect("the user made room");
        let failed = room.hold(10, None, || Err(Error::internal("no disk")));
        assert!(failed.is_err() && room.holdings.lock().reserved == 0);
        room.hold(30, Some(Path::new("/dev/null")), || Ok("/dev/null".into())).expect_err("files stay");
    }

    proptest! {
        #[test]
        fn never_more_than_the_room_and_the_newest_is_there(sizes in proptest::collection::vec(0_usize..60, 1..30)) {
            let (room, folder) = room(100);
            for (number, bytes) in sizes.into_iter().enumerate() {
                let path = folder.path().join(number.to_string());
                room.hold(bytes as u64, None, || write(&path, bytes)).expect("room");
                let used: u64 = names(folder.path()).iter().map(|name| fs::metadata(folder.path().join(name)).expect("there").len()).sum();
                prop_assert!(used <= 100 && path.exists());
            }
        }
    }
}
