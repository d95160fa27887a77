//! The folder that holds a desktop's sockets and state, and the folder of all desktops of one user.
//!
//! ```text
//! $XDG_RUNTIME_DIR/handeye/desktops/   or /tmp/handeye-UID/desktops/
//!   lock                  held while desktops are created, swept or removed
//!   desktop-1/
//!     lock                held by the supervisor for as long as it lives: proof that the desktop is not a leftover
//!     state.json          what `desktop status` shows
//!     Xauthority          the cookie without which the X server lets no client in
//!     log/                what each component wrote
//!     home/               the home folder of its programs, where it is isolated
//!     run/                the XDG_RUNTIME_DIR of the desktop, with the sockets of its buses
//! ```

use super::fault::io_error;
use super::options::{FOLDER_VARIABLE, check_name};
use super::processes::Process;
use handeye_core::{Error, ErrorCode, Result};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for another handeye process that creates or removes a desktop at the same moment.
const LOCK_DEADLINE: Duration = Duration::from_secs(10);
/// Socket paths end at 107 bytes; this leaves room for the longest name of a socket inside of a desktop's folder.
const LONGEST_BASE: usize = 60;

/// What is known about a running desktop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DesktopInfo {
    /// Its name.
    pub name: String,
    /// The X display, for example `:5`.
    pub display: String,
    /// Width of the screen, in pixels.
    pub width: u32,
    /// Height of the screen, in pixels.
    pub height: u32,
    /// Physical pixels for one logical pixel.
    pub scale: f64,
    /// Whether it outlives the process that started it.
    pub detached: bool,
    /// Process number of its supervisor.
    pub supervisor: i32,
    /// The folder with its sockets and logs.
    pub folder: PathBuf,
    /// Whether its programs run in a sandbox.
    #[serde(default)]
    pub isolated: bool,
    /// What a program needs in its environment to be a part of it.
    pub environment: BTreeMap<String, String>,
    /// The supervisor, distinguished from later processes with the same number.
    pub(super) process: Process,
}

/// The folder of all desktops of this user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Base(PathBuf);

impl Base {
    /// Where this user's desktops are: beside the desktop that this process works in, else in the session's
    /// runtime folder, else in a folder of the user's own below `/tmp`.
    pub(super) fn locate() -> Self {
        if let Some(current) = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from)
            && let Some(base) = current.parent()
            && base.ends_with("desktops")
            && base.is_absolute()
        {
            return Self(base.to_owned());
        }
        let user = rustix::process::getuid().as_raw();
        let session = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| {
            folder.is_absolute()
                && folder.as_os_str().len() + "/handeye/desktops".len() <= LONGEST_BASE
                && folder.metadata().is_ok_and(|found| found.is_dir() && found.uid() == user)
        });
        Self(match session {
            Some(folder) => folder.join("handeye/desktops"),
            None => PathBuf::from(format!("/tmp/handeye-{user}/desktops")),
        })
    }

    /// The base that holds `folder`.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        folder.parent().map(|base| Self(base.to_owned()))
    }

    /// The folder of the desktop `name`.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf> {
        check_name(name)?;
        Ok(self.0.join(name))
    }

    /// The folders of desktops that exist, alive or left over.
    pub(super) fn folders(&self) -> Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io_error("list", &self.0, &error)),
        };
        let mut folders: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        Ok(folders)
    }

    /// Makes the base, refuses one that belongs to another user, and locks it.
    pub(super) fn lock(&self) -> Result<File> {
        let deadline = Instant::now() + LOCK_DEADLINE;
        let path = self.0.join("lock");
        loop {
            if let Some(parent) = self.0.parent() {
                make_private(parent)?;
            }
            match make_private(&self.0).and_then(|()| open_lock(&path)) {
                // The process that removed the last desktop may have removed the file after it was opened.
                Ok(lock)
                    if try_lock(&lock, FlockOperation::NonBlockingLockExclusive) && is_at(&lock, &path) =>
                {
                    return Ok(lock);
                }
                Err(error) if Instant::now() >= deadline => return Err(error),
                _ if Instant::now() >= deadline => {
                    return Err(Error::new(
                        ErrorCode::Timeout,
                        format!("{} stays locked by another handeye process", path.display()),
                    )
                    .with_next("See which process holds it with `fuser`, or try again."));
                }
                _ => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Takes the base away when no desktop is left in it. The caller holds its lock.
    pub(super) fn remove_if_empty(&self, _held: &File) {
        if self.folders().is_ok_and(|folders| folders.is_empty()) {
            ignore_absent(fs::remove_file(self.0.join("lock")), &self.0);
            ignore_absent(fs::remove_dir(&self.0), &self.0);
            if let Some(parent) = self.0.parent() {
                ignore_absent(fs::remove_dir(parent), parent);
            }
        }
    }
}

/// Makes the folder of a new desktop, with everything that is in it from the beginning.
pub(super) fn create(folder: &Path) -> Result<()> {
    for path in [folder.to_owned(), runtime_folder(folder), log_folder(folder), home_folder(folder)] {
        DirBuilder::new().mode(0o700).create(&path).map_err(|error| io_error("create", &path, &error))?;
    }
    super::xauthority::write(&folder.join("Xauthority"))
}

/// The `XDG_RUNTIME_DIR` of the desktop.
pub(super) fn runtime_folder(folder: &Path) -> PathBuf {
    folder.join("run")
}

/// The home folder of the programs of an isolated desktop.
pub(super) fn home_folder(folder: &Path) -> PathBuf {
    folder.join("home")
}

/// Where the components write their messages.
pub(super) fn log_folder(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// Takes the supervisor's lock of a desktop; `None` when it is held, which shows that the desktop lives.
pub(super) fn lock_desktop(folder: &Path) -> Result<Option<File>> {
    let lock = open_lock(&folder.join("lock"))?;
    Ok(try_lock(&lock, FlockOperation::NonBlockingLockExclusive).then_some(lock))
}

/// Whether the supervisor of a desktop lives.
pub(super) fn is_alive(folder: &Path) -> bool {
    File::open(folder.join("lock")).is_ok_and(|lock| !try_lock(&lock, FlockOperation::NonBlockingLockShared))
}

/// Writes what `desktop status` shows, all at once.
pub(super) fn write_state(info: &DesktopInfo) -> Result<()> {
    let text = serde_json::to_string_pretty(info).map_err(Error::internal)?;
    let (fresh, path) = (info.folder.join("state.new"), info.folder.join("state.json"));
    fs::write(&fresh, text)
        .and_then(|()| fs::rename(&fresh, &path))
        .map_err(|error| io_error("write", &path, &error))
}

/// What the supervisor wrote about a desktop; `None` before it is up.
pub(super) fn read_state(folder: &Path) -> Option<DesktopInfo> {
    serde_json::from_slice(&fs::read(folder.join("state.json")).ok()?).ok()
}

/// A folder that only this user can enter. One that exists must be this user's own and no link.
pub(crate) fn make_private(path: &Path) -> Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(io_error("create", path, &error)),
    }
    let found = path.symlink_metadata().map_err(|error| io_error("examine", path, &error))?;
    if !found.is_dir() || found.uid() != rustix::process::getuid().as_raw() {
        return Err(Error::new(
            ErrorCode::Refused,
            format!("{} exists but is not a folder of this user, so it is not used", path.display()),
        )
        .with_next("Set XDG_RUNTIME_DIR to a folder of your own, or have that one removed."));
    }
    if found.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))
            .map_err(|error| io_error("protect", path, &error))?;
    }
    Ok(())
}

fn open_lock(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| io_error("open", path, &error))
}

fn try_lock(file: &File, operation: FlockOperation) -> bool {
    flock(file, operation).is_ok()
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.metadata()) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Clean-up goes on when a thing is gone already or stays in use; the latter is logged.
pub(super) fn ignore_absent(result: std::io::Result<()>, path: &Path) {
    if let Err(error) = result
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::debug!(path = %path.display(), %error, "not removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_anybody_can_enter_is_closed_and_a_link_is_refused() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let open = scratch.path().join("open");
        fs::create_dir(&open).expect("created");
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).expect("opened");
        make_private(&open).expect("its own folder is taken");
        assert_eq!(open.metadata().expect("there").permissions().mode() & 0o777, 0o700);
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(&open, &link).expect("linked");
        assert_eq!(make_private(&link).map_err(|error| error.code), Err(ErrorCode::Refused));
    }

    #[test]
    fn the_last_one_takes_the_base_away_and_the_next_one_makes_it_again() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let base = Base(scratch.path().join("handeye/desktops"));
        let lock = base.lock().expect("locked");
        let folder = base.folder("one").expect("a name");
        create(&folder).expect("created");
        assert_eq!(base.folders().expect("listed"), std::slice::from_ref(&folder));
        assert!(!is_alive(&folder));
        let supervisor = lock_desktop(&folder).expect("opened").expect("free");
        assert!(is_alive(&folder));
        drop(supervisor);
        fs::remove_dir_all(&folder).expect("removed");
        base.remove_if_empty(&lock);
        assert!(!scratch.path().join("handeye").exists());
        drop(lock);
        drop(base.lock().expect("locked again"));
    }
}
