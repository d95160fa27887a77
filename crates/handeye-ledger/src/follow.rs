//! Follows a log while it is written, over every file that begins meanwhile.

use crate::fault::{Fault, Result};
use crate::files::{aside, put_aside};
use crate::line::LONGEST;
use crate::place::{How, Identity, open_own};
use crate::read::Record;
use crate::tail;
use rustix::fs::stat;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Most bytes that are read of a file at once.
const PART: usize = 256 * 1024;

/// What was appended to a log since it was looked at last.
pub struct Follower {
    path: PathBuf,
    current: Option<Current>,
    /// The number of the file that was followed last, or of the newest one that was there at first.
    before: u64,
}

struct Current {
    file: File,
    identity: Identity,
    /// How much of it was read.
    offset: u64,
    /// What its first line has: none as long as nothing is written to it.
    number: Option<u64>,
}

impl Follower {
    /// Follows from the end that the log has now.
    ///
    /// # Errors
    /// If the file cannot be read, or is not safe.
    pub fn new(path: PathBuf) -> Result<Self> {
        let before = put_aside(&path)?.pop().and_then(|part| part.number).unwrap_or_default();
        let mut follower = Self { path, current: None, before };
        if let Some(mut current) = open_if_there(&follower.path)? {
            current.offset = current.file.metadata().map_err(Fault::io(&follower.path, "looked up"))?.len();
            follower.take_up(Some(current));
        }
        Ok(follower)
    }

    /// The records that were appended since. Empty if there are none yet.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn appended(&mut self) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        if self.current.is_none() {
            let next = self.next()?;
            self.take_up(next);
        }
        while let Some(current) = &mut self.current {
            // Looked up first: what is written afterwards goes to the next file.
            let was_current = stat(&self.path).is_ok_and(|about| Identity::of(&about) == current.identity);
            current.read(&self.path, &mut records)?;
            self.before = current.number.unwrap_or(self.before);
            if was_current {
                break;
            }
            let next = self.next()?;
            self.take_up(next);
        }
        Ok(records)
    }

    fn take_up(&mut self, current: Option<Current>) {
        self.before = current.as_ref().and_then(|current| current.number).unwrap_or(self.before);
        self.current = current;
    }

    /// The file after the one that was followed last: the one that is written, unless that was rotated meanwhile too.
    fn next(&self) -> Result<Option<Current>> {
        let newest = open_if_there(&self.path)?;
        let next = self.before + 1;
        if newest.as_ref().and_then(|newest| newest.number) > Some(next)
            && let Some(aside) = open_if_there(&aside(&self.path, next))?
        {
            return Ok(Some(aside));
        }
        Ok(newest)
    }
}

impl Current {
    /// Reads the lines that are complete by now.
    fn read(&mut self, path: &Path, records: &mut Vec<Record>) -> Result<()> {
        let mut bytes = vec![0; PART];
        loop {
            let count = self.file.read_at(&mut bytes, self.offset).map_err(Fault::io(path, "read"))?;
            let end = bytes[..count].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
            let end = match end {
                Some(end) => end,
                // No line is that long: it is skipped.
                None if count == PART && PART > LONGEST => count,
                None => return Ok(()),
            };
            if self.number.is_none() {
                self.number = tail::number(&self.file, path)?;
            }
            records.extend(bytes[..end].split(|byte| *byte == b'\n').filter_map(Record::of));
            self.offset += end as u64;
        }
    }
}

fn open_if_there(path: &Path) -> Result<Option<Current>> {
    match open_own(path, How::Read) {
        Ok(opened) => {
            let number = tail::number(&opened.file, path)?;
            Ok(Some(Current { file: opened.file, identity: opened.identity, offset: 0, number }))
        }
        Err(Fault::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}
