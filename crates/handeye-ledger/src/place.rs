//! Opens a file of the log, if nobody else can read, change or replace it.

use crate::fault::{Fault, Result};
use rustix::fs::{Access, FileType, Mode, OFlags, Stat, access, fstat, open};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// To append to it; it is created if it is missing.
    Append,
    /// To append to it; it must not exist yet.
    CreateNew,
    /// To append to it; it must exist.
    Existing,
    /// To read it.
    Read,
}

/// A file that was opened, and what the system reports of it.
pub(crate) struct Opened {
    pub(crate) file: File,
    pub(crate) identity: Identity,
}

/// What distinguishes a file from every other one, whatever its name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the types differ between systems")]
    pub(crate) fn of(about: &Stat) -> Self {
        Self { device: about.st_dev as u64, inode: about.st_ino as u64 }
    }
}

/// Makes sure that there is a folder in which nobody else can replace files. Missing ones are made, for this user alone.
pub(crate) fn prepare_folder(folder: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Fault::io(folder, "made"))?;
    check_folder(folder)
}

fn check_folder(folder: &Path) -> Result<()> {
    let about = std::fs::metadata(folder).map_err(Fault::io(folder, "looked up"))?;
    if ![geteuid().as_raw(), 0].contains(&about.uid()) {
        return Err(Fault::not_safe(folder, "the folder belongs to another user"));
    }
    let is_sticky = about.mode() & 0o1000 != 0;
    if about.mode() & 0o022 != 0 && !is_sticky {
        return Err(Fault::not_safe(
            folder,
            "other users may write to the folder; take that right away with chmod go-w",
        ));
    }
    Ok(())
}

/// Whether the log at this place can be written. Nothing is made.
///
/// # Errors
/// What is wrong with the file or its folder.
pub fn check(path: &Path) -> Result<()> {
    match open_own(path, How::Existing) {
        Ok(_) => check_folder(folder_of(path)),
        Err(Fault::Io { error, .. }) if error.kind() == ErrorKind::NotFound => {
            // The nearest folder that is there: the others are made.
            let folders = folder_of(path).ancestors();
            let there =
                folders.filter(|folder| !folder.as_os_str().is_empty()).find(|folder| folder.exists());
            let there = there.unwrap_or(Path::new("."));
            access(there, Access::WRITE_OK | Access::EXEC_OK)
                .map_err(|fault| Fault::io(there, "written to")(fault.into()))?;
            if there == folder_of(path) { check_folder(there) } else { Ok(()) }
        }
        Err(fault) => Err(fault),
    }
}

/// The folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Opens a file that is this user's alone.
pub(crate) fn open_own(path: &Path, how: How) -> Result<Opened> {
    let access = match how {
        How::Append => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE,
        How::CreateNew => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL,
        How::Existing => OFlags::RDWR | OFlags::APPEND,
        How::Read => OFlags::RDONLY,
    };
    // A pipe without a writer must hold nobody up.
    let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = match open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) => return Err(Fault::not_safe(path, "it is a link, and links are not followed")),
        // A folder, or a pipe without a reader.
        Err(Errno::ISDIR | Errno::NXIO) => return Err(Fault::not_safe(path, "it is not a file")),
        Err(fault) => return Err(Fault::io(path, "opened")(fault.into())),
    };
    let about = fstat(&file).map_err(|fault| Fault::io(path, "looked up")(fault.into()))?;
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(Fault::not_safe(path, "it is not a file"));
    }
    if about.st_uid != geteuid().as_raw() {
        return Err(Fault::not_safe(path, "it belongs to another user"));
    }
    if about.st_mode & 0o077 != 0 {
        return Err(Fault::not_safe(
            path,
            "other users may read or write it; take these rights away with chmod 600",
        ));
    }
    Ok(Opened { file, identity: Identity::of(&about) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn refused(path: &Path) -> String {
        let fault = open_own(path, How::Append).err().expect("refused");
        assert!(fault.is_unsafe(), "{fault}");
        fault.to_string()
    }

    #[test]
    fn only_a_file_of_this_user_alone_is_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        let victim = folder.path().join("victim");
        fs::write(&victim, "mine").expect("written");
        symlink(&victim, &path).expect("a link");
        assert!(refused(&path).contains("it is a link"));
        assert_eq!(fs::read_to_string(&victim).expect("there"), "mine");
        fs::remove_file(&path).expect("mine");
        assert!(refused(folder.path()).contains("not a file"));
        assert!(refused(Path::new("/dev/null")).contains("not a file"));
        for mode in [0o644, 0o620, 0o606] {
            fs::set_permissions(&victim, Permissions::from_mode(mode)).expect("mine");
            assert!(refused(&victim).contains("chmod 600"), "{mode:o}");
        }
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        assert!(refused(&pipe).contains("not a file"));
        let made = open_own(&path, How::Append).expect("a new file");
        assert_eq!(made.file.metadata().expect("open").mode() & 0o777, 0o600);
        assert!(open_own(&path, How::CreateNew).is_err());
    }

    #[test]
    fn a_folder_in_which_others_replace_files_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        prepare_folder(&inner).expect("made");
        assert_eq!(fs::metadata(&inner).expect("there").mode() & 0o777, 0o700);
        fs::set_permissions(&inner, Permissions::from_mode(0o777)).expect("mine");
        assert!(prepare_folder(&inner).expect_err("refused").is_unsafe());
        fs::set_permissions(&inner, Permissions::from_mode(0o1777)).expect("mine");
        prepare_folder(&inner).expect("as /tmp is");
    }

    #[test]
    fn a_file_of_another_user_is_refused() {
        if !geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("mine");
        std::os::unix::fs::chown(&path, Some(65534), None).expect("root may");
        assert!(refused(&path).contains("another user"));
        std::os::unix::fs::chown(folder.path(), Some(65534), None).expect("root may");
        assert!(prepare_folder(folder.path()).expect_err("refused").is_unsafe());
    }
}
