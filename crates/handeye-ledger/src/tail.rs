//! The end of a file: its last line, or what a crash has left of one.

use crate::fault::{Fault, Result};
use crate::line::{self, LONGEST};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// How much of a file is read for its last line, in bytes.
const REACH: u64 = 4 * LONGEST as u64;

/// How a file ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tail {
    /// Its size, in bytes.
    pub(crate) size: u64,
    /// The hash of its last line; that of nothing if it has none.
    pub(crate) above: String,
    /// How many bytes its last line has if it does not end: a write was cut off.
    pub(crate) torn: Option<u64>,
}

impl Tail {
    /// How a file of this size ends.
    pub(crate) fn of(file: &File, size: u64, path: &Path) -> Result<Self> {
        if size == 0 {
            return Ok(Self { size, above: line::NOTHING.to_owned(), torn: None });
        }
        let reach = size.min(REACH);
        let mut bytes = vec![0; usize::try_from(reach).unwrap_or_default()];
        file.read_exact_at(&mut bytes, size - reach).map_err(Fault::io(path, "read"))?;
        let is_torn = bytes.last() != Some(&b'\n');
        let end = if is_torn { bytes.len() } else { bytes.len() - 1 };
        let start = match bytes[..end].iter().rposition(|byte| *byte == b'\n') {
            Some(at) => at + 1,
            None if reach == size => 0,
            None => return Err(Fault::Foreign { place: path.to_owned(), most: REACH }),
        };
        let last = &bytes[start..end];
        Ok(Self { size, above: line::hash(last), torn: is_torn.then_some(last.len() as u64) })
    }
}

/// The number of a file, which its first line has.
pub(crate) fn number(file: &File, path: &Path) -> Result<Option<u64>> {
    let mut bytes = vec![0; LONGEST];
    let mut read = 0;
    while read < bytes.len() {
        let more = file.read_at(&mut bytes[read..], read as u64).map_err(Fault::io(path, "read"))?;
        if more == 0 {
            break;
        }
        read += more;
        if bytes[..read].contains(&b'\n') {
            break;
        }
    }
    let first = bytes[..read].split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(line::Chained::read(first).ok().and_then(|record| record.file))
}
