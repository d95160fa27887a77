//! Processes and those below them, as `/proc` shows them.

use crate::Result;
use std::collections::BTreeMap;
use std::path::Path;

/// The process and all that descend from it, itself first.
pub fn family(root: u32) -> Result<Vec<u32>> {
    let mut below: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let path = entry?.path();
        let number = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok());
        // One that has ended meanwhile has no parent any more.
        if let Some((number, parent)) = number.zip(parent(&path)) {
            below.entry(parent).or_default().push(number);
        }
    }
    let mut found = vec![root];
    let mut place = 0;
    while let Some(process) = found.get(place) {
        found.extend(below.remove(process).unwrap_or_default());
        place += 1;
    }
    Ok(found)
}

/// How long the processes that descend from `root`, and itself, have had a processor so far, in hundredths of a second.
pub fn worked(root: u32) -> Result<u64> {
    let of = |process: &u32| -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The 14th and 15th field; the name in parentheses may contain anything, and is the second.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
    };
    // A process that has ended meanwhile is left out.
    Ok(family(root)?.iter().filter_map(of).sum())
}

/// The name of the program that a process runs, at most 15 bytes of it.
pub fn program(process: u32) -> Option<String> {
    Some(std::fs::read_to_string(format!("/proc/{process}/comm")).ok()?.trim().to_owned())
}

fn parent(folder: &Path) -> Option<u32> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name before it is in parentheses, and can contain spaces and parentheses itself.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted() {
        let own = std::process::id();
        let before = worked(own).expect("/proc");
        let begun = std::time::Instant::now();
        while worked(own).expect("/proc") == before {
            assert!(begun.elapsed().as_secs() < 60, "the work of this loop is not counted");
        }
    }

    #[test]
    fn a_child_is_in_the_family() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a process");
        let found = family(std::process::id()).expect("/proc");
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        assert_eq!(found.first(), Some(&std::process::id()));
        assert!(found.contains(&child.id()), "{found:?}");
    }
}
