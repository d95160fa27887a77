//! A secret in a file that its user alone can read.

use super::{LONGEST, unread};
use handeye_core::{Result, SecretPlace};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The first line of the file.
///
/// # Errors
/// If it is a link, not a file, another user's, or readable for others; then its content is not read.
pub(super) fn read(path: &Path) -> Result<String> {
    let fault = |why: &str| unread(&SecretPlace::File(path.to_owned()), why);
    let place = match path.strip_prefix("~") {
        Ok(rest) => std::env::home_dir().ok_or_else(|| fault("there is no home folder"))?.join(rest),
        Err(_) => PathBuf::from(path),
    };
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = match open(&place, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) => return Err(fault("it is a link")),
        Err(Errno::NOENT) => return Err(fault("there is no such file")),
        Err(error) => return Err(fault(&error.to_string())),
    };
    let about = file.metadata().map_err(|error| fault(&error.to_string()))?;
    if !about.is_file() {
        return Err(fault("it is not a file"));
    }
    if about.uid() != geteuid().as_raw() {
        return Err(fault("it belongs to another user"));
    }
    if about.mode() & 0o077 != 0 {
        return Err(fault("others may read or write it: chmod 600"));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST as u64 + 1).read_to_end(&mut bytes).map_err(|error| fault(&error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fault("it is not UTF-8"))?;
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if lines.any(|line| !line.trim().is_empty()) {
        return Err(fault("it has more than one line"));
    }
    Ok(first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_file_of_the_user_alone_is_read_and_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bank");
        write(&path, "hunter2 \n\n").expect("written");
        let allow = |mode| set_permissions(&path, Permissions::from_mode(mode)).expect("changed");
        allow(0o600);
        assert_eq!(read(&path).as_deref(), Ok("hunter2 "));
        for mode in [0o640, 0o604, 0o660, 0o602] {
            allow(mode);
            let error = read(&path).expect_err("others");
            assert!(error.message.contains("chmod 600") && !error.message.contains("hunter2"), "{error}");
        }
        allow(0o600);
        let link = folder.path().join("link");
        symlink(&path, &link).expect("a link");
        assert!(read(&link).expect_err("a link").message.contains("it is a link"));
        assert!(read(folder.path()).expect_err("a folder").message.contains("not a file"));
        write(&path, "one\ntwo\n").expect("written");
        assert!(read(&path).expect_err("two lines").message.contains("more than one line"));
        assert!(read(&folder.path().join("none")).expect_err("none").message.contains("no such file"));
    }
}
