//! Files that appear whole or not at all: written under a hidden name beside their place, then renamed.
//!
//! A process that is killed in between leaves its draft. The next process that tidies the folder recognizes it by its name, and by
//! the lock that only a living maker holds.

use super::place;
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use tempfile::NamedTempFile;

const BEGINNING: &str = ".handeye-";
const END: &str = ".part";
/// How many entries of a folder are looked at for drafts that were left there.
const MOST_ENTRIES: usize = 20_000;
/// How often a draft is created again because another process, tidying up, took it for a leftover.
const ATTEMPTS: usize = 8;

/// A file that has its content and not yet its name. Dropping it removes it.
pub(super) struct Draft(NamedTempFile);

impl Draft {
    /// Writes a draft into `folder`, which has to be there. `mode` is masked by the process's umask.
    pub(super) fn write(folder: &Path, bytes: &[u8], mode: u32) -> io::Result<Self> {
        let mut file = create_locked(folder, mode)?;
        file.write_all(bytes)?;
        Ok(Self(file))
    }

    /// Gives it the permissions of the file that it is going to replace.
    pub(super) fn with_permissions(self, permissions: Permissions) -> io::Result<Self> {
        self.0.as_file().set_permissions(permissions)?;
        Ok(self)
    }

    /// Gives it its name in a folder that only this process knows; what has the name already is replaced.
    pub(super) fn replace(self, path: &Path) -> io::Result<()> {
        self.0.persist(path).map(drop).map_err(|fault| fault.error)
    }

    /// Gives it a name that nothing has yet; whether the name was free.
    pub(super) fn name_if_free(self, path: &Path) -> io::Result<bool> {
        match self.0.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(fault) if fault.error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(fault) => Err(fault.error),
        }
    }

    /// Takes the place of the picture `old` at `path`; whether that was still there. Whatever else took its place meanwhile
    /// stays: the two names are exchanged, and back again where the wrong file came out.
    pub(super) fn take_place_of(self, old: &File, path: &Path) -> io::Result<bool> {
        let exchange = || renameat_with(CWD, self.0.path(), CWD, path, RenameFlags::EXCHANGE);
        match exchange() {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(false),
            // A file system that cannot exchange names.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let still_there = is_at(old, path) && place::may_be_replaced(old).is_ok();
                return if still_there { self.replace(path).map(|()| true) } else { Ok(false) };
            }
            Err(error) => return Err(error.into()),
        }
        if is_at(old, self.0.path()) && place::may_be_replaced(old).is_ok() {
            // The old picture goes with the draft's name.
            return Ok(true);
        }
        if let Err(error) = exchange() {
            // What came out must not go with the draft.
            let kept = self.0.keep().map_err(|fault| fault.error)?.1;
            let why = format!("the file that was there is now {}: {error}", kept.display());
            return Err(io::Error::other(why));
        }
        Ok(false)
    }

    /// Gives it the first of `names` that nothing has yet, and returns that; `None` when all are taken.
    pub(super) fn name_first_free<Name: AsRef<Path>>(
        self,
        folder: &Path,
        names: impl Iterator<Item = Name>,
    ) -> io::Result<Option<Name>> {
        let mut draft = self.0;
        for name in names {
            match draft.persist_noclobber(folder.join(&name)) {
                Ok(_) => return Ok(Some(name)),
                Err(fault) if fault.error.kind() == ErrorKind::AlreadyExists => draft = fault.file,
                Err(fault) => return Err(fault.error),
            }
        }
        Ok(None)
    }
}

/// Whether a path leads to this open file, and not by a link.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// A new hidden file, locked for as long as it is open.
fn create_locked(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    for _ in 0..ATTEMPTS {
        let file = tempfile::Builder::new()
            .prefix(BEGINNING)
            .suffix(END)
            .rand_bytes(12)
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)?;
        match file.as_file().try_lock() {
            // Between creation and lock another process may have taken it for a leftover and removed it.
            Ok(()) if file.as_file().metadata()?.nlink() > 0 => return Ok(file),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            // A file system without locks: no process can lock it in order to remove it either.
            Err(TryLockError::Error(_)) => return Ok(file),
        }
    }
    Err(io::Error::other("another process removed the file each time it was created"))
}

/// Removes the drafts in `folder` whose makers are dead; returns how many. What cannot be removed is logged.
pub(super) fn remove_abandoned(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let drafts = entries.take(MOST_ENTRIES).flatten().filter(|entry| {
        let name = entry.file_name();
        let is_draft = name.to_str().is_some_and(|name| name.starts_with(BEGINNING) && name.ends_with(END));
        is_draft && entry.file_type().is_ok_and(|kind| kind.is_file())
    });
    drafts.filter(|entry| remove_if_abandoned(&entry.path())).count()
}

fn remove_if_abandoned(draft: &Path) -> bool {
    // Whatever takes its place meanwhile: neither is a link followed nor a pipe waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let removed = OpenOptions::new().write(true).custom_flags(flags).open(draft).and_then(|file| match file
        .try_lock()
    {
        Ok(()) => fs::remove_file(draft).map(|()| true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    });
    removed.unwrap_or_else(|error| {
        tracing::warn!(path = %draft.display(), %error, "a file that a dead process left cannot be removed");
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_draft_that_is_not_named_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let draft = Draft::write(folder.path(), b"half", 0o600).expect("written");
        assert_eq!(names(folder.path()).len(), 1);
        drop(draft);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_taken_name_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |draft: Draft| {
            let names = ["a", "b"].map(str::to_owned).into_iter();
            draft.name_first_free(folder.path(), names).expect("no fault")
        };
        let draft = |text: &str| Draft::write(folder.path(), text.as_bytes(), 0o600).expect("written");
        assert_eq!(place(draft("1")).as_deref(), Some("a"));
        assert_eq!(place(draft("2")).as_deref(), Some("b"));
        assert_eq!(place(draft("3")), None);
        assert_eq!(fs::read(folder.path().join("a")).expect("a file"), b"1");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn only_the_picture_that_was_looked_at_is_replaced() {
        const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n old";
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.png");
        let draft = || Draft::write(folder.path(), b"new", 0o600).expect("written");
        let look = || File::open(&path).expect("there");

        fs::write(&path, PICTURE).expect("written");
        assert!(draft().take_place_of(&look(), &path).expect("no fault"));
        assert_eq!(fs::read(&path).expect("a file"), b"new");

        fs::write(&path, PICTURE).expect("written");
        let old = look();
        fs::remove_file(&path).expect("removed");
        assert!(!draft().take_place_of(&old, &path).expect("no fault"), "it is gone");
        fs::write(&path, "a letter").expect("written");
        assert!(!draft().take_place_of(&old, &path).expect("no fault"), "another file has its name");
        assert_eq!(fs::read(&path).expect("a file"), b"a letter");
        assert!(!draft().name_if_free(&path).expect("no fault"));
        assert!(!draft().take_place_of(&look(), &path).expect("no fault"), "its content is another one");
        assert_eq!(fs::read(&path).expect("a file"), b"a letter");

        fs::remove_file(&path).expect("removed");
        std::os::unix::fs::symlink("b.png", &path).expect("a link");
        assert!(!draft().take_place_of(&old, &path).expect("no fault"), "a link has its name");
        assert!(fs::symlink_metadata(&path).expect("there").is_symlink());
        assert_eq!(names(folder.path()), ["a.png"], "no draft is left");
    }

    #[test]
    fn only_drafts_of_the_dead_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let living = Draft::write(folder.path(), b"x", 0o600).expect("written");
        for name in [".handeye-abandoned.part", ".handeye-notes.txt", "picture.part"] {
            fs::write(folder.path().join(name), "x").expect("written");
        }
        std::os::unix::fs::symlink("picture.part", folder.path().join(".handeye-link.part")).expect("a link");
        assert_eq!(remove_abandoned(folder.path()), 1);
        let left = names(folder.path());
        assert_eq!(left.len(), 4, "{left:?}");
        assert!(!left.contains(&".handeye-abandoned.part".to_owned()));
        living.replace(&folder.path().join("done")).expect("the living one goes on");
        assert_eq!(remove_abandoned(&folder.path().join("missing")), 0);
    }
}
