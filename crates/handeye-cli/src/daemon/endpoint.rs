//! Where the daemon of a session listens, and who may change that: one socket and one lock beside it, in a folder that only
//! this user can enter.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long to wait for another process that starts or ends a daemon at the same moment.
const LOCK_DEADLINE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(2);

/// Where the daemon of a session listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    folder: PathBuf,
    name: String,
}

/// The right to make or remove the socket of a place. The file goes with it when nothing else is left in the folder.
#[derive(Debug)]
pub(super) struct Lock {
    _held: File,
}

impl Endpoint {
    /// The place `name` in a folder that only this user can enter.
    pub fn new(folder: impl Into<PathBuf>, name: impl Into<String>) -> Self {
        Self { folder: folder.into(), name: name.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of the socket in it.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.name))
    }

    /// Takes the lock. Blocks for some milliseconds, five seconds at most.
    pub(super) fn lock(&self) -> io::Result<Lock> {
        let deadline = Instant::now() + LOCK_DEADLINE;
        let path = self.lock_file();
        loop {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .mode(0o600)
                .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
                .open(&path)?;
            // The last holder may have removed the file after it was opened here.
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() && is_at(&file, &path) {
                return Ok(Lock { _held: file });
            }
            if Instant::now() >= deadline {
                return Err(io::Error::new(ErrorKind::TimedOut, format!("{} stays locked", path.display())));
            }
            std::thread::sleep(POLL);
        }
    }

    /// Listens, in place of an earlier listener that is dead.
    pub(super) fn listen(&self, _lock: &Lock) -> io::Result<UnixListener> {
        let socket = self.socket();
        match fs::remove_file(&socket) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&socket)?;
        fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
        Ok(listener)
    }

    /// Takes the socket away if it is still the one with this number, and then what nobody else needs of the folder.
    pub(super) fn remove(&self, number: u64, lock: Lock) {
        let socket = self.socket();
        if number_of(&socket).is_ok_and(|found| found == number) {
            report("socket", fs::remove_file(&socket));
            report("lock", fs::remove_file(self.lock_file()));
        }
        drop(lock);
        // Fails while another session's daemon is there, or something else of handeye: that is how it is found out.
        let above = self.folder.parent().filter(|above| is_own_folder(above));
        for folder in std::iter::once(self.folder.as_path()).chain(above) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }

    /// The number of the socket, which distinguishes it from a later one.
    pub(super) fn number(&self) -> io::Result<u64> {
        number_of(&self.socket())
    }
}

/// Whether a folder is one that handeye has made.
fn is_own_folder(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("handeye"))
}

fn number_of(path: &Path) -> io::Result<u64> {
    Ok(fs::symlink_metadata(path)?.ino())
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

fn report(what: &str, removed: io::Result<()>) {
    if let Err(error) = removed {
        tracing::debug!(what, %error, "not removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(scratch: &tempfile::TempDir) -> Endpoint {
        let folder = scratch.path().join("handeye/daemon");
        fs::create_dir_all(&folder).expect("made");
        Endpoint::new(folder, "abc")
    }

    #[test]
    fn the_socket_is_for_its_owner_and_the_last_one_takes_the_folders_away() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let endpoint = endpoint(&scratch);
        let lock = endpoint.lock().expect("locked");
        let stale = endpoint.listen(&lock).expect("listens");
        drop(stale);
        let listener = endpoint.listen(&lock).expect("takes over what is dead");
        let mode = fs::metadata(endpoint.socket()).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let number = endpoint.number().expect("a number");
        endpoint.remove(number + 1, lock);
        assert!(endpoint.socket().exists(), "the socket of another one stays");
        drop(listener);
        endpoint.remove(number, endpoint.lock().expect("locked"));
        assert!(!scratch.path().join("handeye").exists());
    }

    #[test]
    fn a_lock_that_is_a_link_is_not_followed() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let endpoint = endpoint(&scratch);
        std::os::unix::fs::symlink(scratch.path().join("elsewhere"), endpoint.lock_file()).expect("linked");
        assert!(endpoint.lock().is_err());
        assert!(!scratch.path().join("elsewhere").exists());
    }

    #[test]
    fn ten_at_once_hold_the_lock_one_after_the_other() {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let endpoint = endpoint(&scratch);
        let holders = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| {
                    let lock = endpoint.lock().expect("locked");
                    assert_eq!(holders.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                    std::thread::sleep(Duration::from_millis(3));
                    holders.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    // Some of them take the file away.
                    fs::remove_file(endpoint.lock_file()).expect("held, so it is there");
                    drop(lock);
                });
            }
        });
    }
}
