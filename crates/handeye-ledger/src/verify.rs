//! Checks a log from its oldest file to its last line.

use crate::fault::Result;
use crate::line::{self, Chained, Kind};
use crate::read::{Opened, lines, open_all};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Most actions without an end that a report lists; all are counted.
const LISTED: usize = 100;

/// The first place where a log is not what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1 on.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// An action that was begun and whose end is not recorded: its process was killed, or is still at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The file of the record.
    pub file: PathBuf,
    /// Its line, from 1 on.
    pub line: u64,
    /// The process that wrote it.
    pub process: String,
    /// Its number among the records of that process.
    pub seq: u64,
}

/// What a check has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The files that were read, the oldest first.
    pub files: Vec<PathBuf>,
    /// How many records are sound.
    pub records: u64,
    /// How many processes wrote them.
    pub processes: usize,
    /// How many of these have not ended their chain: they run, or were killed.
    pub open: usize,
    /// The hash of the last sound line. Kept elsewhere, it shows later whether this log goes on from here.
    pub head: Option<String>,
    /// Lines that a crash cut off, and that the next record accounts for: file and line.
    pub torn: Vec<(PathBuf, u64)>,
    /// How many older files were removed because only so many are kept.
    pub removed: u64,
    /// Whether the line with the hash that was asked for is there; `None` if none was.
    pub contains: Option<bool>,
    /// Actions without an end, the oldest first; not all if they are many.
    pub unfinished: Vec<Unfinished>,
    /// How many there are.
    pub unfinished_count: usize,
    /// The first place where the log is broken; what comes after it was not read.
    pub broken: Option<Broken>,
}

impl Report {
    /// Whether everything in the log is as it was written.
    pub fn is_sound(&self) -> bool {
        self.broken.is_none() && self.contains != Some(false)
    }
}

/// Checks the log at `path`; and, if `wanted` names the hash of a line, whether that is in it.
///
/// # Errors
/// If a file cannot be read, or is not safe.
pub fn verify(path: &Path, wanted: Option<&str>) -> Result<Report> {
    let opened = open_all(path)?;
    let mut check = Check::default();
    check.report.contains = wanted.map(|_| false);
    let mut expected = None;
    for (at, part) in opened.iter().enumerate() {
        check.report.files.push(part.path.clone());
        let is_last = at + 1 == opened.len();
        let mut number = 0;
        for text in lines(part)? {
            let text = text?;
            number += 1;
            let place = Place { part, line: number, is_first: number == 1, expected_file: expected };
            if let Err((line, reason)) = check.line(&place, &text.bytes, text.ends) {
                return Ok(check.broken(&part.path, line, reason));
            }
            if wanted.is_some() && check.report.head.as_deref() == wanted {
                check.report.contains = Some(true);
            }
        }
        let is_empty = number == 0;
        if is_empty && (part.number.is_some() || opened.len() > 1) {
            return Ok(check.broken(&part.path, 0, "is empty: its records are missing"));
        }
        if is_last && part.number.is_some() {
            return Ok(check.broken(path, 0, "is missing, and an older file is there"));
        }
        if let Some((line, reason)) = check.cut.take() {
            return Ok(check.broken(&part.path, line, reason));
        }
        expected = check.file.map(|number| number + 1);
    }
    Ok(check.end(path))
}

/// Where a line stands.
struct Place<'a> {
    part: &'a Opened,
    line: u64,
    /// Whether it is the first line of its file.
    is_first: bool,
    /// The number of the file, if that is known.
    expected_file: Option<u64>,
}

/// What is known of the records of one process.
struct Chain {
    next: u64,
    prev: String,
    /// Where the actions are that have not ended.
    begun: BTreeMap<u64, (PathBuf, u64)>,
    ended: bool,
}

#[derive(Default)]
struct Check {
    report: Report,
    chains: HashMap<String, Chain>,
    /// The hash of the line above; `None` before the first.
    above: Option<String>,
    /// The number of the file that is read.
    file: Option<u64>,
    /// The line before, if it is none: a write that was cut off, if the next record says so.
    cut: Option<(u64, &'static str)>,
    /// The number and the end of the file that came before the oldest one.
    before: Option<(u64, String)>,
    removed: BTreeMap<u64, String>,
}

impl Check {
    /// Checks a line; the line that is at fault and what is wrong with it otherwise.
    fn line(
        &mut self,
        place: &Place<'_>,
        bytes: &[u8],
        ends: bool,
    ) -> std::result::Result<(), (u64, String)> {
        let own = line::hash(bytes);
        let cut = self.cut.take();
        let record = match Chained::read(bytes) {
            Ok(record) if ends => record,
            Ok(_) => return Err((place.line, "does not end: it was cut off".to_owned())),
            Err(reason) if cut.is_none() => {
                self.cut = Some((place.line, reason));
                self.above = Some(own);
                return Ok(());
            }
            Err(reason) => return Err((place.line - 1, reason.to_owned())),
        };
        if let Some((line, reason)) = cut {
            let accounts_for_it = record.event.as_deref() == Some("torn");
            if !accounts_for_it || self.above.as_ref() != Some(&record.above) {
                return Err((line, reason.to_owned()));
            }
            self.report.torn.push((place.part.path.clone(), line));
        }
        self.in_order(place, &record).map_err(|reason| (place.line, reason))?;
        self.report.head = Some(own.clone());
        self.above = Some(own);
        self.report.records += 1;
        if let Some(removed) = record.removed {
            self.removed.insert(removed.file, removed.last);
        }
        Ok(())
    }

    /// Checks that a record stands where it was written.
    fn in_order(&mut self, place: &Place<'_>, record: &Chained) -> std::result::Result<(), String> {
        self.file_of(place, record)?;
        if self.above.as_ref().is_some_and(|above| *above != record.above) {
            return Err(
                "does not follow the line above it: a line was removed, inserted, moved or repeated".into()
            );
        }
        self.chain(place, record)
    }

    /// Checks that the first line of a file has the number of the file, and no other line has one.
    fn file_of(&mut self, place: &Place<'_>, record: &Chained) -> std::result::Result<(), String> {
        if !place.is_first {
            return match record.file {
                None => Ok(()),
                Some(_) => Err("is the first line of a file, and stands inside of one".to_owned()),
            };
        }
        let number = record.file.ok_or("is not the first line of a file: what stood above it is missing")?;
        if place.part.number.is_some_and(|named| named != number) {
            return Err(format!("is the beginning of file number {number}, which has another name"));
        }
        if let Some(expected) = place.expected_file.filter(|expected| *expected != number) {
            return Err(format!("is the beginning of file number {number}: number {expected} is missing"));
        }
        if self.above.is_none() && (number > 1 || record.above != line::NOTHING) {
            self.before = Some((number.saturating_sub(1), record.above.clone()));
        }
        self.file = Some(number);
        Ok(())
    }

    fn chain(&mut self, place: &Place<'_>, record: &Chained) -> std::result::Result<(), String> {
        let begins = record.event.as_deref() == Some("begins");
        let chain = match self.chains.get_mut(&record.process) {
            Some(chain) => chain,
            None if record.seq == 0 && (!begins || record.prev != line::NOTHING) => {
                return Err("is the first record of its process, and does not name it".to_owned());
            }
            None if record.seq > 0 && self.before.is_none() => {
                return Err(format!("is record {} of its process: those before it are missing", record.seq));
            }
            None => {
                let chain = Chain {
                    next: record.seq,
                    prev: record.prev.clone(),
                    begun: BTreeMap::new(),
                    ended: false,
                };
                self.chains.entry(record.process.clone()).or_insert(chain)
            }
        };
        if record.seq != chain.next {
            return Err(format!("is record {} of its process, where {} comes next", record.seq, chain.next));
        }
        if record.prev != chain.prev {
            return Err("does not follow the record before it of its process".to_owned());
        }
        match (record.kind, record.intent) {
            (Kind::Intent, _) => {
                chain.begun.insert(record.seq, (place.part.path.clone(), place.line));
            }
            // Its first record may be in a file that was removed.
            (Kind::Outcome, Some(intent))
                if chain.begun.remove(&intent).is_none() && self.before.is_none() =>
            {
                return Err(format!("ends an action that record {intent} of its process has not begun"));
            }
            _ => {}
        }
        chain.ended = record.event.as_deref() == Some("ends");
        chain.next = record.seq + 1;
        chain.prev.clone_from(&record.hash);
        Ok(())
    }

    fn broken(mut self, file: &Path, line: u64, reason: impl Into<String>) -> Report {
        self.report.broken = Some(Broken { file: file.to_owned(), line, reason: reason.into() });
        self.finish()
    }

    fn end(mut self, path: &Path) -> Report {
        if let Some((number, last)) = self.before.take() {
            if self.removed.get(&number) != Some(&last) {
                let first = self.report.files.first().cloned().unwrap_or_else(|| path.to_owned());
                let reason = format!("follows file number {number}, which is missing");
                return self.broken(&first, 1, reason);
            }
            self.report.removed = number;
        }
        self.finish()
    }

    fn finish(mut self) -> Report {
        self.report.processes = self.chains.len();
        self.report.open = self.chains.values().filter(|chain| !chain.ended).count();
        let mut unfinished: Vec<Unfinished> = Vec::new();
        for (process, chain) in self.chains {
            unfinished.extend(chain.begun.into_iter().map(|(seq, (file, line))| Unfinished {
                file,
                line,
                process: process.clone(),
                seq,
            }));
        }
        let order = |path: &PathBuf| self.report.files.iter().position(|file| file == path);
        unfinished.sort_by_key(|one| (order(&one.file), one.line));
        self.report.unfinished_count = unfinished.len();
        unfinished.truncate(LISTED);
        self.report.unfinished = unfinished;
        self.report
    }
}
