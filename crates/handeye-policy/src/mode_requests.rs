//! How a user tightens the mode of the servers that run: by a file in which each request has a number. A server takes over those that came
//! after it began; one that is started later has the mode that it is configured with.

use handeye_core::{Error, ErrorCode, Result, SecurityMode};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Name of the file in the folder of this user's processes.
const FILE: &str = "mode";
/// Most bytes of it.
const MAX_BYTES: u64 = 64;

/// The requests of a user for a tighter mode, as one process follows them.
#[derive(Debug)]
pub struct ModeRequests {
    path: PathBuf,
    /// The number of the last one that was taken over.
    last: AtomicU64,
}

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Nothing was ever asked for.
    Nothing,
    /// The last request.
    Mode(u64, SecurityMode),
    /// It is no such file. Somebody wanted something tighter, or wants that nobody can.
    Unreadable,
}

impl ModeRequests {
    /// Follows the requests in this folder from now on.
    pub fn from_now(folder: &Path) -> Self {
        let path = folder.join(FILE);
        let last = match read(&path) {
            Asked::Mode(number, _) => number,
            Asked::Nothing | Asked::Unreadable => 0,
        };
        Self { path, last: AtomicU64::new(last) }
    }

    /// The mode that was asked for since the last time; `None` if none was. What cannot be read asks for the tightest one.
    pub fn asked_for(&self) -> Option<SecurityMode> {
        match read(&self.path) {
            Asked::Nothing => None,
            Asked::Mode(number, mode) => {
                (self.last.fetch_max(number, Ordering::Relaxed) < number).then_some(mode)
            }
            // Reported once.
            Asked::Unreadable => {
                (self.last.swap(u64::MAX, Ordering::Relaxed) != u64::MAX).then_some(SecurityMode::Sandboxed)
            }
        }
    }

    /// Asks every process that follows the requests in this folder for a mode at least as tight as this.
    ///
    /// # Errors
    /// [`ErrorCode::Io`] if the file cannot be written.
    pub fn ask(folder: &Path, mode: SecurityMode) -> Result<()> {
        let path = folder.join(FILE);
        let number = match read(&path) {
            Asked::Mode(number, _) => number + 1,
            Asked::Nothing | Asked::Unreadable => 1,
        };
        let fault = |error: &dyn std::fmt::Display| {
            Error::new(ErrorCode::Io, format!("{} cannot be written: {error}", path.display()))
        };
        let beside = folder.join(format!("{FILE}.{}", std::process::id()));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            rustix::fs::open(&beside, flags, Mode::RUSR | Mode::WUSR).map_err(|error| fault(&error))?;
        let written = File::from(file).write_all(format!("{number} {mode}\n").as_bytes());
        written.and_then(|()| std::fs::rename(&beside, &path)).map_err(|error| fault(&error))
    }
}

fn read(path: &Path) -> Asked {
    let user = rustix::process::geteuid().as_raw();
    // A folder of somebody else has no request of this user.
    let folder = path.parent().and_then(|folder| folder.symlink_metadata().ok());
    if folder.is_none_or(|about| about.uid() != user) {
        return Asked::Nothing;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Asked::Nothing,
        Err(_) => return Asked::Unreadable,
    };
    let is_own = |file: &File| {
        file.metadata().is_ok_and(|about| about.is_file() && about.uid() == user && about.mode() & 0o022 == 0)
    };
    let mut text = String::new();
    if !is_own(&file) || file.take(MAX_BYTES).read_to_string(&mut text).is_err() {
        return Asked::Unreadable;
    }
    let parsed = text
        .trim()
        .split_once(' ')
        .and_then(|(number, mode)| Some((number.parse().ok()?, mode.parse::<SecurityMode>().ok()?)));
    parsed.map_or(Asked::Unreadable, |(number, mode)| Asked::Mode(number, mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_over_once_and_by_those_that_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let before = ModeRequests::from_now(folder.path());
        assert_eq!(before.asked_for(), None);
        ModeRequests::ask(folder.path(), SecurityMode::Safe).expect("written");
        let after = ModeRequests::from_now(folder.path());
        assert_eq!((before.asked_for(), before.asked_for()), (Some(SecurityMode::Safe), None));
        assert_eq!(after.asked_for(), None, "it began later");
        ModeRequests::ask(folder.path(), SecurityMode::Sandboxed).expect("written");
        assert_eq!(
            (before.asked_for(), after.asked_for()),
            (Some(SecurityMode::Sandboxed), Some(SecurityMode::Sandboxed))
        );
    }

    #[test]
    fn what_cannot_be_read_asks_for_the_tightest() {
        for content in ["", "nonsense", "1", "x safe", "1 nromal", "\u{0}"] {
            let folder = tempfile::tempdir().expect("a folder");
            let requests = ModeRequests::from_now(folder.path());
            std::fs::write(folder.path().join(FILE), content).expect("written");
            assert_eq!(requests.asked_for(), Some(SecurityMode::Sandboxed), "{content:?}");
            assert_eq!(requests.asked_for(), None, "reported once");
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("/dev/null", folder.path().join(FILE)).expect("a link");
        assert_eq!(ModeRequests::from_now(folder.path()).asked_for(), Some(SecurityMode::Sandboxed));
    }
}
