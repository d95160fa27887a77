//! Appends records to the log, beside other processes that do the same.
//!
//! A record is written under a lock of the file that has a deadline, and is one write. A full file is rotated under the same lock; a process that waits
//! for it finds out that the file has another name by now, and opens the new one.

use crate::fault::{Fault, Result};
use crate::files::{aside, incoming, put_aside};
use crate::line::{self, Kind, Removed, Sealed, Unsealed};
use crate::place::{How, Identity, Opened, folder_of, open_own, prepare_folder};
use crate::tail::{self, Tail};
use rustix::fs::{fstat, lstat};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the lock is waited for. Another process holds it for as long as one write takes.
const LOCK: Duration = Duration::from_secs(2);
/// Time between two attempts to take it.
const ATTEMPTS: Duration = Duration::from_micros(200);

/// Where the log is, and how large it may become.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Settings {
    /// The file.
    pub path: PathBuf,
    /// The size, in bytes, from which on it is rotated and a new one begins.
    pub largest: u64,
    /// How many files that were rotated are kept; `None` for all.
    pub kept: Option<usize>,
}

impl Settings {
    /// The size at which a file is rotated where nothing else is configured, in bytes.
    pub const LARGEST: u64 = 16 * 1024 * 1024;
    /// The smallest such size, in bytes: that of several records.
    pub const SMALLEST: u64 = 64 * 1024;

    /// The log at this place, all of which is kept.
    pub const fn at(path: PathBuf) -> Self {
        Self { path, largest: Self::LARGEST, kept: None }
    }
}

/// The log, as one process writes it. Every method blocks.
#[derive(Debug)]
pub struct Log {
    settings: Settings,
    process: String,
    /// The number and the hash of the last record of this process.
    seq: u64,
    prev: String,
    /// Whether the chain of this process has begun.
    begun: bool,
    /// How many records were lost since one could be written.
    lost: u64,
    current: Option<Current>,
}

/// The file that is written.
#[derive(Debug)]
struct Current {
    file: File,
    identity: Identity,
    number: Option<u64>,
    /// How it ended when this process has written to it last.
    tail: Option<Tail>,
}

/// What one record is made of.
struct Draft<'a, F> {
    kind: Kind,
    intent: Option<u64>,
    fields: &'a F,
}

/// Where a record stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Its number among those of this process.
    pub seq: u64,
    /// The whole line.
    pub line: String,
}

impl Log {
    /// The log of these settings. Nothing is opened before the first record.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            process: uuid::Uuid::new_v4().simple().to_string(),
            seq: 0,
            prev: line::NOTHING.to_owned(),
            begun: false,
            lost: 0,
            current: None,
        }
    }

    /// How many records were lost since one could be written.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Records that something is about to be done. A `durable` record is on the disk when this returns.
    ///
    /// # Errors
    /// If the place is not safe, or the record could not be written.
    pub fn intent(&mut self, fields: &impl Serialize, durable: bool) -> Result<Placed> {
        self.record(&Draft { kind: Kind::Intent, intent: None, fields }, durable)
    }

    /// Records how what was begun with the record `intent` has ended; without a number, what was not begun at all.
    ///
    /// # Errors
    /// As [`intent`](Self::intent).
    pub fn outcome(&mut self, intent: Option<u64>, fields: &impl Serialize, durable: bool) -> Result<Placed> {
        self.record(&Draft { kind: Kind::Outcome, intent, fields }, durable)
    }

    /// Ends the chain of this process, if it has begun.
    ///
    /// # Errors
    /// As [`intent`](Self::intent).
    pub fn end(&mut self) -> Result<()> {
        if self.begun {
            self.event(&json!({ "event": "ends" }))?;
            self.begun = false;
        }
        Ok(())
    }

    fn record<F: Serialize>(&mut self, draft: &Draft<'_, F>, durable: bool) -> Result<Placed> {
        let placed = self.begin().and_then(|()| self.append(draft));
        let placed = placed.inspect_err(|_| self.lost += 1)?;
        if durable && let Some(current) = &self.current {
            current.file.sync_data().map_err(Fault::io(&self.settings.path, "flushed to the disk"))?;
        }
        Ok(placed)
    }

    /// Records who this is before the first record, and how many were lost before the next one.
    fn begin(&mut self) -> Result<()> {
        if !self.begun {
            let executable = std::env::current_exe().ok();
            self.event(&json!({
                "event": "begins",
                "pid": std::process::id(),
                "started": line::now(),
                "user": rustix::process::geteuid().as_raw(),
                "executable": executable.as_deref().map(Path::to_string_lossy),
                "version": env!("CARGO_PKG_VERSION"),
            }))?;
            self.begun = true;
        }
        if self.lost > 0 {
            self.event(&json!({ "event": "lost", "records": self.lost }))?;
            self.lost = 0;
        }
        Ok(())
    }

    fn event(&mut self, fields: &serde_json::Value) -> Result<Placed> {
        self.append(&Draft { kind: Kind::Event, intent: None, fields })
    }

    /// Writes a record under the lock.
    fn append<F: Serialize>(&mut self, draft: &Draft<'_, F>) -> Result<Placed> {
        let mut current = self.locked()?;
        let written = self.write(&mut current, draft);
        if let Err(error) = current.file.unlock() {
            // Closing the file releases it too.
            tracing::debug!(%error, "the audit log was not unlocked");
            return written;
        }
        self.current = Some(current);
        written
    }

    /// The file that has the name of the log now, with its lock.
    fn locked(&mut self) -> Result<Current> {
        let started = Instant::now();
        loop {
            let current = match self.current.take() {
                Some(current) => current,
                None => self.open()?,
            };
            lock(&current.file, &self.settings.path, started)?;
            let here = match lstat(&self.settings.path) {
                Ok(about) => Some(about),
                Err(rustix::io::Errno::NOENT) => None,
                Err(fault) => return Err(Fault::io(&self.settings.path, "looked up")(fault.into())),
            };
            let is_current = here.as_ref().is_some_and(|about| Identity::of(about) == current.identity);
            if is_current {
                if here.is_some_and(|about| about.st_nlink > 1) {
                    self.take_up_rotation(&current)?;
                }
                return Ok(current);
            }
            if started.elapsed() > LOCK {
                return Err(self.busy(started));
            }
            // It was rotated or removed. Its lock goes with it.
        }
    }

    fn busy(&self, started: Instant) -> Fault {
        Fault::Busy { place: self.settings.path.clone(), held_ms: started.elapsed().as_millis() }
    }

    fn open(&self) -> Result<Current> {
        prepare_folder(folder_of(&self.settings.path))?;
        let Opened { file, identity } = open_own(&self.settings.path, How::Append)?;
        Ok(Current { file, identity, number: None, tail: None })
    }

    /// A file with a second name was being rotated when the process that did it ended. Any other second name is somebody's trick.
    fn take_up_rotation(&self, current: &Current) -> Result<()> {
        let path = &self.settings.path;
        let number = tail::number(&current.file, path)?;
        let second = number.map(|number| aside(path, number));
        let is_ours = second.as_ref().is_some_and(|second| {
            lstat(second).is_ok_and(|about| Identity::of(&about) == current.identity && about.st_nlink == 2)
        });
        match second.filter(|_| is_ours) {
            Some(second) => fs::remove_file(&second).map_err(Fault::io(&second, "removed")),
            None => Err(Fault::not_safe(path, "it has another name somewhere else")),
        }
    }

    fn write<F: Serialize>(&mut self, current: &mut Current, draft: &Draft<'_, F>) -> Result<Placed> {
        let path = self.settings.path.clone();
        let size = size_of(&current.file, &path)?;
        let mut tail = match current.tail.take() {
            Some(tail) if tail.size == size => tail,
            _ => Tail::of(&current.file, size, &path)?,
        };
        if let Some(bytes) = tail.torn {
            let torn = json!({ "event": "torn", "bytes": bytes });
            let torn = Draft { kind: Kind::Event, intent: None, fields: &torn };
            self.put(current, &mut tail, &torn, None)?;
        }
        let first = if tail.size == 0 { Some(self.first_of(current, &mut tail)?) } else { None };
        let length = self.seal(draft, first, &tail.above)?.line.len() as u64;
        let is_full = tail.size > 0 && tail.size + length > self.settings.largest;
        if is_full && let Some(placed) = self.rotate(current, &mut tail, draft) {
            current.tail = Some(tail);
            return Ok(placed);
        }
        let placed = self.put(current, &mut tail, draft, first)?;
        current.tail = Some(tail);
        Ok(placed)
    }

    /// The number of a file without a record; the end of the file before it goes into `tail`.
    fn first_of(&self, current: &mut Current, tail: &mut Tail) -> Result<u64> {
        let path = &self.settings.path;
        let number = match put_aside(path)?.pop() {
            Some(last) => {
                let before = open_own(&last.path, How::Read)?;
                let size = size_of(&before.file, &last.path)?;
                tail.above = Tail::of(&before.file, size, &last.path)?.above;
                last.number.unwrap_or_default() + 1
            }
            None => 1,
        };
        current.number = Some(number);
        Ok(number)
    }

    fn seal<F: Serialize>(&self, draft: &Draft<'_, F>, file: Option<u64>, above: &str) -> Result<Sealed> {
        let Draft { kind, intent, fields } = *draft;
        let unsealed = Unsealed {
            timestamp: line::now(),
            process: &self.process,
            seq: self.seq,
            kind,
            file,
            intent,
            fields,
            prev: &self.prev,
            above,
        };
        unsealed.seal()
    }

    /// Writes a record to the end of a file. What was written of one that failed is taken away again.
    fn put<F: Serialize>(
        &mut self,
        current: &mut Current,
        tail: &mut Tail,
        draft: &Draft<'_, F>,
        first: Option<u64>,
    ) -> Result<Placed> {
        let sealed = self.seal(draft, first, &tail.above)?;
        let mut bytes = Vec::with_capacity(sealed.line.len() + 2);
        if tail.torn.is_some() {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(sealed.line.as_bytes());
        bytes.push(b'\n');
        if let Err(error) = current.file.write_all(&bytes) {
            if let Err(error) = current.file.set_len(tail.size) {
                // The next process finds a torn line, and says so.
                tracing::debug!(%error, "a part of a record is left in the audit log");
            }
            return Err(Fault::io(&self.settings.path, "written")(error));
        }
        *tail = Tail {
            size: tail.size + bytes.len() as u64,
            above: line::hash(sealed.line.as_bytes()),
            torn: None,
        };
        Ok(self.advance(sealed))
    }

    fn advance(&mut self, sealed: Sealed) -> Placed {
        let placed = Placed { seq: self.seq, line: sealed.line };
        self.seq += 1;
        self.prev = sealed.hash;
        placed
    }

    /// Rotates the file and begins a new one with this record; `None` if that cannot be done. Then the record goes where there is room: a
    /// file that is too large is better than none.
    fn rotate<F: Serialize>(
        &mut self,
        current: &mut Current,
        tail: &mut Tail,
        draft: &Draft<'_, F>,
    ) -> Option<Placed> {
        match self.begin_file(current, tail, draft) {
            Ok(placed) => {
                if let Err(error) = self.remove_oldest(current, tail) {
                    tracing::warn!(%error, "old files of the audit log were not removed");
                }
                Some(placed)
            }
            Err(error) => {
                tracing::warn!(%error, "the audit log was not rotated; it grows");
                None
            }
        }
    }

    fn begin_file<F: Serialize>(
        &mut self,
        current: &mut Current,
        tail: &mut Tail,
        draft: &Draft<'_, F>,
    ) -> Result<Placed> {
        let path = self.settings.path.clone();
        let known = match current.number {
            Some(number) => Some(number),
            None => tail::number(&current.file, &path)?,
        };
        let number = match known {
            Some(number) => number,
            None => put_aside(&path)?.pop().and_then(|part| part.number).unwrap_or_default() + 1,
        };
        let new = incoming(&path);
        remove_if_there(&new)?;
        let Opened { mut file, identity } = open_own(&new, How::CreateNew)?;
        let started = Instant::now();
        lock(&file, &new, started)?;
        let sealed = self.seal(draft, Some(number + 1), &tail.above)?;
        let above = line::hash(sealed.line.as_bytes());
        let bytes = format!("{}\n", sealed.line);
        let written = file.write_all(bytes.as_bytes()).and_then(|()| file.sync_data());
        let moved = written.map_err(Fault::io(&new, "written")).and_then(|()| {
            let old = aside(&path, number);
            fs::hard_link(&path, &old).map_err(Fault::io(&old, "made"))?;
            fs::rename(&new, &path).map_err(|error| {
                // The full file stays where it is, with one name.
                let back = fs::remove_file(&old).map_err(Fault::io(&old, "removed"));
                back.err().unwrap_or_else(|| Fault::io(&path, "replaced")(error))
            })
        });
        if let Err(fault) = moved {
            remove_if_there(&new)?;
            return Err(fault);
        }
        sync_folder(&path);
        *current = Current { file, identity, number: Some(number + 1), tail: None };
        *tail = Tail { size: bytes.len() as u64, above, torn: None };
        Ok(self.advance(sealed))
    }

    /// Removes the oldest files where only so many are kept. Each is recorded first, so that its absence proves nothing.
    fn remove_oldest(&mut self, current: &mut Current, tail: &mut Tail) -> Result<()> {
        let Some(kept) = self.settings.kept else { return Ok(()) };
        let parts = put_aside(&self.settings.path)?;
        for part in parts.iter().take(parts.len().saturating_sub(kept)) {
            let opened = open_own(&part.path, How::Read)?;
            let last = Tail::of(&opened.file, size_of(&opened.file, &part.path)?, &part.path)?.above;
            let removed = Removed { file: part.number.unwrap_or_default(), last };
            let removed = json!({ "event": "removed", "removed": removed });
            self.put(current, tail, &Draft { kind: Kind::Event, intent: None, fields: &removed }, None)?;
            fs::remove_file(&part.path).map_err(Fault::io(&part.path, "removed"))?;
        }
        Ok(())
    }
}

fn size_of(file: &File, path: &Path) -> Result<u64> {
    let about = fstat(file).map_err(|fault| Fault::io(path, "looked up")(fault.into()))?;
    Ok(u64::try_from(about.st_size).unwrap_or_default())
}

fn lock(file: &File, path: &Path, started: Instant) -> Result<()> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK => sleep(ATTEMPTS),
            Err(TryLockError::WouldBlock) => {
                return Err(Fault::Busy { place: path.to_owned(), held_ms: started.elapsed().as_millis() });
            }
            Err(TryLockError::Error(fault)) => return Err(Fault::io(path, "locked")(fault)),
        }
    }
}

fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(fault) if fault.kind() != ErrorKind::NotFound => Err(Fault::io(path, "removed")(fault)),
        _ => Ok(()),
    }
}

/// Has the names of a folder written to the disk. A file system that cannot do that has nothing to lose.
fn sync_folder(path: &Path) {
    let synced = File::open(folder_of(path)).and_then(|folder: File| -> io::Result<()> { folder.sync_all() });
    if let Err(error) = synced {
        tracing::debug!(%error, "the folder of the audit log was not flushed");
    }
}
