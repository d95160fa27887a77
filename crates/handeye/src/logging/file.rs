//! The log file of servers: appended to by as many of them as run, bounded in size, and private to the user.
//!
//! A user who names the file may name one in a folder that other users share. So a file is created for its owner alone, no link
//! is followed, and a file of another user is not written to.

use rustix::fs::{FileType, FlockOperation, Mode, OFlags, fchmod, flock, fstat, open, stat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{DirBuilder, File, rename};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The size, in bytes, at which a file is rotated.
const LARGEST: u64 = 4 * 1024 * 1024;
/// How many rotated files are kept: `.1` is the newest.
const KEPT: usize = 3;

/// How long the lock of a full file is waited for, in the thread that writes.
const LOCK: Duration = Duration::from_millis(100);

/// The log file of servers.
pub(super) struct LogFile {
    path: PathBuf,
    /// `None` where the file is not a regular one, such as `/dev/null`, and cannot grow.
    largest: Option<u64>,
    file: File,
}

impl LogFile {
    /// Opens or creates the file and the folders that it is in.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        Self::with_limit(path, LARGEST)
    }

    fn with_limit(path: PathBuf, largest: u64) -> io::Result<Self> {
        let describe =
            |fault: io::Error| io::Error::new(fault.kind(), format!("log file {}: {fault}", path.display()));
        if let Some(folder) = path.parent() {
            create_folders(folder).map_err(describe)?;
        }
        let (file, is_regular) = open_own(&path).map_err(describe)?;
        Ok(Self { path, largest: is_regular.then_some(largest), file })
    }

    /// Writes a record, after the file was rotated if it has no room for it.
    ///
    /// Other processes write the same file. So a record is one write to its end, the size is the file's own, and a process that
    /// finds it full holds a lock while it rotates the file; the others find out and open the new one.
    fn append(&mut self, record: &[u8]) -> io::Result<()> {
        if let Some(largest) = self.largest {
            let now = fstat(&self.file)?;
            let size = u64::try_from(now.st_size).unwrap_or(0);
            let removed = now.st_nlink == 0;
            if removed || (size > 0 && size + record.len() as u64 > largest) {
                self.make_room()?;
            }
        }
        self.file.write_all(record)
    }

    fn make_room(&mut self) -> io::Result<()> {
        if !self.lock()? {
            // A process that is stopped while it holds the lock must not cost the records of the others.
            return Ok(());
        }
        let opened = self.put_aside().and_then(|()| open_own(&self.path));
        match opened {
            // The lock goes with the old file.
            Ok((file, _)) => self.file = file,
            Err(fault) => {
                flock(&self.file, FlockOperation::Unlock)?;
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Waits a moment for the lock of the file, while another process rotates it; whether the lock was taken.
    fn lock(&self) -> io::Result<bool> {
        let end = Instant::now() + LOCK;
        loop {
            match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(true),
                Err(Errno::WOULDBLOCK) if Instant::now() < end => std::thread::sleep(LOCK / 50),
                Err(Errno::WOULDBLOCK) => return Ok(false),
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    /// Makes the file the first of those that are kept, if another process has not done so.
    fn put_aside(&self) -> io::Result<()> {
        let mine = fstat(&self.file)?;
        let is_current = stat(&self.path)
            .is_ok_and(|current| current.st_ino == mine.st_ino && current.st_dev == mine.st_dev);
        if is_current {
            for number in (1..KEPT).rev() {
                match rename(self.aside(number), self.aside(number + 1)) {
                    Err(fault) if fault.kind() != io::ErrorKind::NotFound => return Err(fault),
                    _ => {}
                }
            }
            rename(&self.path, self.aside(1))?;
        }
        Ok(())
    }

    fn aside(&self, number: usize) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

impl Write for LogFile {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        self.append(record)?;
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Makes the folders that are missing, for this user alone.
fn create_folders(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Opens a file that belongs to this user, for appending; whether it is a regular file.
fn open_own(path: &Path) -> io::Result<(File, bool)> {
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why.to_owned()));
    let flags = OFlags::WRONLY
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::CLOEXEC
        | OFlags::NOCTTY
        // /dev/stdout is a link: a log there would end up in the protocol.
        | OFlags::NOFOLLOW
        // A pipe without a reader must not hold the server up.
        | OFlags::NONBLOCK;
    let file = match open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => File::from(file),
        Err(Errno::LOOP) => return refused("it is a link, and links are not followed"),
        Err(fault) => return Err(fault.into()),
    };
    let about = fstat(&file)?;
    match FileType::from_raw_mode(about.st_mode) {
        FileType::CharacterDevice => Ok((file, false)),
        FileType::RegularFile if about.st_uid != geteuid().as_raw() => refused("it belongs to another user"),
        FileType::RegularFile if about.st_nlink > 1 => refused("it has another name somewhere else"),
        FileType::RegularFile => {
            // It may be there from before, with the rights of another time.
            fchmod(&file, Mode::RUSR | Mode::WUSR)?;
            Ok((file, true))
        }
        _ => refused("it is not a file"),
    }
}

/// Reports a fault of the log itself on standard error. There is nowhere left to report that this fails.
pub(super) fn complain(what: &str) {
    if writeln!(io::stderr(), "handeye: {what}").is_err() {
        tracing::debug!("standard error is closed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn the_folder_is_made_and_the_file_is_for_its_owner_alone() {
        let folder = folder();
        let path = folder.path().join("a/b/server.log");
        let mut log = LogFile::open(path.clone()).expect("opens");
        log.write_all(b"one\n").expect("writes");
        drop(log);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("mine");
        LogFile::open(path.clone()).expect("opens").write_all(b"two\n").expect("writes");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "one\ntwo\n");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn no_link_is_followed() {
        let folder = folder();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "mine").expect("writes");
        let taken = folder.path().join("handeye-mcp.log");
        symlink(&victim, &taken).expect("a link");
        assert!(LogFile::open(taken.clone()).is_err());
        assert_eq!(std::fs::read_to_string(&victim).expect("readable"), "mine");

        std::fs::remove_file(&taken).expect("mine");
        std::fs::hard_link(&victim, &taken).expect("a second name");
        assert!(LogFile::open(taken).is_err());
    }

    #[test]
    fn standard_output_is_no_log_file_and_a_pipe_holds_nobody_up() {
        assert!(LogFile::open("/dev/stdout".into()).is_err());
        assert!(LogFile::open("/proc/self/fd/1".into()).is_err());
        let folder = folder();
        let pipe = folder.path().join("pipe");
        let status = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(status.success());
        assert!(LogFile::open(pipe).is_err());
        assert!(LogFile::open(folder.path().to_owned()).is_err());
        LogFile::open("/dev/null".into()).expect("a device").write_all(b"gone").expect("takes all");
    }

    #[test]
    fn a_full_file_is_put_aside_and_the_oldest_one_goes() {
        let folder = folder();
        let path = folder.path().join("server.log");
        let mut log = LogFile::with_limit(path.clone(), 100).expect("opens");
        for number in 0..100 {
            log.write_all(format!("record number {number:04}\n").as_bytes()).expect("writes");
        }
        assert_eq!(names(folder.path()), ["server.log", "server.log.1", "server.log.2", "server.log.3"]);
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("readable");
        assert!(text("server.log").ends_with("record number 0099\n"));
        assert!(text("server.log.1").lines().all(|line| line < "record number 0099"));
        for name in names(folder.path()) {
            assert!(text(&name).len() <= 100, "{name}");
        }
    }

    #[test]
    fn a_record_above_the_limit_has_a_file_of_its_own() {
        let folder = folder();
        let path = folder.path().join("server.log");
        let mut log = LogFile::with_limit(path, 10).expect("opens");
        for _ in 0..3 {
            log.write_all(b"longer than ten bytes\n").expect("writes");
        }
        assert_eq!(names(folder.path()), ["server.log", "server.log.1", "server.log.2"]);
    }

    #[test]
    fn a_file_that_was_removed_is_made_anew() {
        let folder = folder();
        let path = folder.path().join("server.log");
        let mut log = LogFile::open(path.clone()).expect("opens");
        log.write_all(b"one\n").expect("writes");
        std::fs::remove_file(&path).expect("mine");
        log.write_all(b"two\n").expect("writes");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "two\n");
    }

    /// As several servers do: each has opened the file by itself, and a lock belongs to what was opened.
    #[test]
    fn several_writers_share_a_file_and_tear_no_record() {
        let folder = folder();
        let path = folder.path().join("server.log");
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let path = path.clone();
                std::thread::spawn(move || {
                    let mut log = LogFile::with_limit(path, 4_000).expect("opens");
                    for number in 0..500 {
                        log.write_all(format!("writer {writer} record {number:04} end\n").as_bytes())
                            .expect("writes");
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().expect("no panic");
        }
        assert!(names(folder.path()).len() <= 1 + KEPT, "{:?}", names(folder.path()));
        for name in names(folder.path()) {
            let text = std::fs::read_to_string(folder.path().join(&name)).expect("readable");
            assert!(text.len() < 8_000, "{name}: {}", text.len());
            for line in text.lines() {
                assert!(
                    line.starts_with("writer ") && line.ends_with(" end") && line.len() == 24,
                    "{name}: {line:?}"
                );
            }
        }
    }
}
