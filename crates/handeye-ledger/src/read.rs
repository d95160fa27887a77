//! Reads the records of a log.

use crate::fault::{Fault, Result};
use crate::files;
use crate::line::LONGEST;
use crate::place::{How, open_own};
use serde_json::Value;
use std::collections::VecDeque;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the lock of the log is waited for. Without it what is read may end in the middle of a line.
const LOCK: Duration = Duration::from_secs(2);

/// A file of the log, and how much of it was there when all of them were opened.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) number: Option<u64>,
    file: File,
    size: u64,
}

/// Opens all files of a log at one moment: nothing is rotated meanwhile, and no line is half written.
pub(crate) fn open_all(path: &Path) -> Result<Vec<Opened>> {
    let deadline = Instant::now() + LOCK;
    loop {
        let current = match open_own(path, How::Read) {
            Ok(current) => Some(current),
            Err(Fault::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(fault) => return Err(fault),
        };
        if let Some(current) = &current {
            lock_shared(&current.file, path, deadline)?;
        }
        let mut opened = Vec::new();
        let mut is_whole = true;
        for part in files::all(path)? {
            let own = open_own(&part.path, How::Read)?;
            if part.number.is_none() {
                is_whole = current.as_ref().is_some_and(|current| current.identity == own.identity);
            } else if current.as_ref().is_some_and(|current| current.identity == own.identity) {
                // A process ended while it rotated the file: it has two names.
                continue;
            }
            let size = own.file.metadata().map_err(Fault::io(&part.path, "looked up"))?.len();
            opened.push(Opened { path: part.path, number: part.number, file: own.file, size });
        }
        // Otherwise it was rotated before the lock was taken.
        if is_whole || Instant::now() > deadline {
            return Ok(opened);
        }
    }
}

fn lock_shared(file: &File, path: &Path, deadline: Instant) -> Result<()> {
    loop {
        match file.try_lock_shared() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(Duration::from_millis(1)),
            Err(TryLockError::WouldBlock) => {
                return Err(Fault::Busy { place: path.to_owned(), held_ms: LOCK.as_millis() });
            }
            Err(TryLockError::Error(error)) => return Err(Fault::io(path, "locked")(error)),
        }
    }
}

/// A line of a file, without its end.
pub(crate) struct Line {
    pub(crate) bytes: Vec<u8>,
    /// Whether it ends: the last one of a file may not.
    pub(crate) ends: bool,
}

/// The lines of a file, as far as it went when it was opened. What is longer than a record comes in parts, none of which is a record.
pub(crate) fn lines(part: &Opened) -> Result<impl Iterator<Item = Result<Line>> + use<>> {
    let file = part.file.try_clone().map_err(Fault::io(&part.path, "read"))?;
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(part.size));
    let path = part.path.clone();
    Ok(std::iter::from_fn(move || {
        let mut bytes = Vec::new();
        match (&mut reader).take(2 * LONGEST as u64).read_until(b'\n', &mut bytes) {
            Ok(0) => None,
            Ok(_) => {
                let ends = bytes.last() == Some(&b'\n');
                if ends {
                    bytes.pop();
                }
                Some(Ok(Line { bytes, ends }))
            }
            Err(error) => Some(Err(Fault::io(&path, "read")(error))),
        }
    }))
}

/// Which records are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// A part of the name or of the executable of the application, in any case.
    pub application: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// What they are: `intent`, `outcome` or `event`; `None` for all.
    pub kind: Option<String>,
    /// The time from which on they were written, as records have it.
    pub since: Option<String>,
}

impl Filter {
    /// Whether a record is wanted.
    pub fn wants(&self, record: &Value) -> bool {
        let text = |value: &Value| value.as_str().map(str::to_owned).unwrap_or_default();
        let is = |name: &str, wanted: &Option<String>| {
            wanted.as_ref().is_none_or(|wanted| record[name].as_str() == Some(wanted))
        };
        let is_of_application = self.application.as_ref().is_none_or(|wanted| {
            let target = &record["target"];
            let names =
                [&target["application"], &target["executable"], &target["owner"], &record["args"]["app"]];
            let wanted = wanted.to_lowercase();
            names.into_iter().any(|name| text(name).to_lowercase().contains(&wanted))
        });
        let is_late = self.since.as_ref().is_none_or(|since| text(&record["timestamp"]) >= *since);
        is_of_application && is_late && is("tool", &self.tool) && is("kind", &self.kind)
    }
}

/// A record as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its line.
    pub line: String,
    /// Its fields.
    pub fields: Value,
}

impl Record {
    /// The record of a line; `None` if it is none. Whether its hash fits is not checked.
    pub fn of(line: &[u8]) -> Option<Self> {
        let line = String::from_utf8(line.to_owned()).ok()?;
        let fields: Value = serde_json::from_str(&line).ok()?;
        fields.is_object().then_some(Self { line, fields })
    }
}

/// The newest `most` records that are wanted, the oldest of them first, and how many lines are not records.
///
/// # Errors
/// If a file cannot be read, or is not safe.
pub fn read(path: &Path, filter: &Filter, most: usize) -> Result<(Vec<Record>, u64)> {
    let mut kept = VecDeque::new();
    let mut unreadable = 0;
    for part in open_all(path)? {
        for line in lines(&part)? {
            let Some(record) = Record::of(&line?.bytes) else {
                unreadable += 1;
                continue;
            };
            if filter.wants(&record.fields) {
                kept.push_back(record);
                if kept.len() > most {
                    kept.pop_front();
                }
            }
        }
    }
    Ok((kept.into(), unreadable))
}
