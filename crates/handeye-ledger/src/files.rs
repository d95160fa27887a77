//! The files of one log: the one that is written, and those that were rotated, by their numbers.
//!
//! The file `audit.jsonl` with number 3 becomes `audit.jsonl.000003` when it is full, and the next one has number 4. Numbers are never used again.

use crate::fault::{Fault, Result};
use crate::place::folder_of;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How many digits a number has at least, so that names sort as numbers do.
const DIGITS: usize = 6;

/// One file of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) path: PathBuf,
    /// Its number by its name; `None` for the one that is written.
    pub(crate) number: Option<u64>,
}

/// The name of the file with this number, once it is rotated.
pub(crate) fn aside(path: &Path, number: u64) -> PathBuf {
    with_ending(path, &format!("{number:0DIGITS$}"))
}

/// The name of a new file before it takes the place of the full one.
pub(crate) fn incoming(path: &Path) -> PathBuf {
    with_ending(path, "new")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// The files that were rotated, the oldest first.
pub(crate) fn put_aside(path: &Path) -> Result<Vec<Part>> {
    let folder = folder_of(path);
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(Vec::new()) };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(fault) => return Err(Fault::io(folder, "listed")(fault)),
    };
    let mut parts = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Fault::io(folder, "listed"))?;
        let entry_name = entry.file_name();
        let number = entry_name.to_str().and_then(|entry| number_of(entry, name));
        if let Some(number) = number {
            parts.push(Part { path: entry.path(), number: Some(number) });
        }
    }
    parts.sort_by_key(|part| part.number);
    Ok(parts)
}

/// The number in a name, if it is written as [`aside`] writes it.
fn number_of(entry: &str, name: &str) -> Option<u64> {
    let ending = entry.strip_prefix(name)?.strip_prefix('.')?;
    let number: u64 = ending.parse().ok()?;
    (format!("{number:0DIGITS$}") == ending).then_some(number)
}

/// All files of the log, the oldest first. The last one is the one that is written, if there is one.
pub(crate) fn all(path: &Path) -> Result<Vec<Part>> {
    let mut parts = put_aside(path)?;
    match fs::symlink_metadata(path) {
        Ok(_) => parts.push(Part { path: path.to_owned(), number: None }),
        Err(fault) if fault.kind() == ErrorKind::NotFound => {}
        Err(fault) => return Err(Fault::io(path, "looked up")(fault)),
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        assert!(all(&path).expect("none").is_empty());
        for name in ["audit.jsonl", "audit.jsonl.000010", "audit.jsonl.000002", "audit.jsonl.1000000"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        for other in
            ["audit.jsonl.1", "audit.jsonl.new", "audit.jsonl.00000x", "other.jsonl.000001", "audit.jsonl."]
        {
            fs::write(folder.path().join(other), "").expect("written");
        }
        let numbers: Vec<_> = all(&path).expect("listed").into_iter().map(|part| part.number).collect();
        assert_eq!(numbers, [Some(2), Some(10), Some(1_000_000), None]);
        assert_eq!(aside(&path, 7).file_name().expect("a name"), "audit.jsonl.000007");
    }
}
