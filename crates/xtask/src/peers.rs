//! The programs that handeye is measured beside, in exact versions: a lock file has them, and what is installed must be the same.

use crate::failure::{Failure, Result};
use crate::setup::Benchmarks;
use crate::{process, workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The lock file: a name and a version a line.
const LOCK: &str = "tests/bench/peers.lock";
/// Cargo's lock file of the benchmarks.
const CARGO_LOCK: &str = "bench/Cargo.lock";
const HEADING: &str = "\
# The versions of the programs that handeye is measured beside. `cargo xtask bench` compares them with what is installed;
# with --update-lock it writes this file.
";

/// Where a peer is installed from, and what it is called there.
enum Source {
    Debian(&'static str),
    Python(&'static str),
    Node(&'static str),
    Crate(&'static str),
}

/// All of them, by the names that the page uses.
const PEERS: [(&str, Source); 13] = [
    ("pyatspi", Source::Debian("python3-pyatspi")),
    ("dogtail", Source::Debian("python3-dogtail")),
    ("xa11y", Source::Crate("xa11y")),
    ("scrot", Source::Debian("scrot")),
    ("maim", Source::Debian("maim")),
    ("python-mss", Source::Python("mss")),
    ("imagemagick", Source::Debian("imagemagick")),
    ("ffmpeg", Source::Debian("ffmpeg")),
    ("xdotool", Source::Debian("xdotool")),
    ("pixelmatch", Source::Node("pixelmatch")),
    ("cua-driver", Source::Python("cua-driver")),
    ("agent-eyes", Source::Python("agent-eyes")),
    ("a11y-computer-use", Source::Python("a11y-computer-use")),
];

/// Those of the README's table that are not installed, each with its reason.
const ABSENT: [(&str, &str); 2] = [
    ("computer-use-linux", "is a crate whose build takes minutes"),
    ("kwin-mcp", "requires KDE Plasma 6, and Debian 12 has 5.27"),
];

/// Makes sure that the peers are those of the lock file, or writes it. Returns what the page says of them.
pub(crate) fn pinned(benchmarks: &Benchmarks, update: bool) -> Result<String> {
    let installed = installed(benchmarks)?;
    let path = workspace::root().join(LOCK);
    if update {
        std::fs::write(&path, text(&installed)).map_err(Failure::io(format_args!("cannot write {LOCK}")))?;
    } else {
        let lock = std::fs::read_to_string(&path).map_err(Failure::io(format_args!("cannot read {LOCK}")))?;
        let found = differences(&versions(&lock), &installed);
        if !found.is_empty() {
            return Err(Failure::new(format!(
                "the peers are not those of {LOCK}:\n  {}\nInstall those, or write the file again with --update-lock.",
                found.join("\n  ")
            )));
        }
    }
    let shown: Vec<String> =
        PEERS.iter().filter_map(|(name, _)| Some(format!("{name} {}", installed.get(*name)?))).collect();
    let absent: Vec<String> = ABSENT.iter().map(|(name, reason)| format!("{name} {reason}")).collect();
    Ok(format!("{}. Not installed: {}.", shown.join(", "), absent.join("; ")))
}

/// The versions of those that are installed, by name.
fn installed(benchmarks: &Benchmarks) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for (name, source) in &PEERS {
        let version = match source {
            Source::Debian(package) => process::output_of(Command::new("dpkg-query").args([
                "--show",
                "--showformat",
                "${Version}",
                package,
            ])),
            Source::Python(package) => process::output_of(
                Command::new(&benchmarks.python)
                    .args(["-c", "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"])
                    .arg(package),
            ),
            Source::Node(package) => node_version(&benchmarks.node_modules.join(package))?,
            Source::Crate(package) => crate_version(package)?,
        };
        let version = version.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        found.extend(version.map(|version| ((*name).to_owned(), version)));
    }
    Ok(found)
}

fn node_version(folder: &Path) -> Result<Option<String>> {
    let path = folder.join("package.json");
    let text = std::fs::read_to_string(&path)
        .map_err(Failure::io(format_args!("cannot read {}", path.display())))?;
    let manifest: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(manifest["version"].as_str().map(str::to_owned))
}

/// The version that the benchmarks' own lock file of cargo has.
fn crate_version(name: &str) -> Result<Option<String>> {
    let path = workspace::root().join(CARGO_LOCK);
    let lock =
        std::fs::read_to_string(&path).map_err(Failure::io(format_args!("cannot read {CARGO_LOCK}")))?;
    let start = format!("name = \"{name}\"\nversion = \"");
    Ok(lock.split_once(&start).and_then(|(_, rest)| Some(rest.split_once('"')?.0.to_owned())))
}

fn text(installed: &BTreeMap<String, String>) -> String {
    let lines: Vec<String> = installed.iter().map(|(name, version)| format!("{name} {version}\n")).collect();
    format!("{HEADING}{}", lines.concat())
}

/// The versions in a lock file, by name.
fn versions(lock: &str) -> BTreeMap<String, String> {
    let lines = lock.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(name, version)| (name.into(), version.into()))
        .collect()
}

/// A line for each peer that is not the same in both.
fn differences(locked: &BTreeMap<String, String>, installed: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = locked.keys().chain(installed.keys()).collect();
    let shown = |version: Option<&String>| version.map_or("none", String::as_str).to_owned();
    names
        .into_iter()
        .map(|name| (name, locked.get(name), installed.get(name)))
        .filter(|(_, locked, installed)| locked != installed)
        .map(|(name, locked, installed)| {
            format!("{name}: {} in the file, {} installed", shown(locked), shown(installed))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_file_is_read_as_it_was_written() {
        let installed = versions("scrot 1.8.1-1\nmaim 5.7.4-2+b1\n");
        assert_eq!(installed.len(), 2);
        assert_eq!(versions(&text(&installed)), installed);
    }

    #[test]
    fn each_difference_is_named() {
        let locked = versions("# a comment\nmaim 5.7\nscrot 1.8\nxa11y 0.15.4\n");
        let installed = versions("ffmpeg 5.1\nmaim 5.7\nscrot 1.9\n");
        assert_eq!(
            differences(&locked, &installed),
            [
                "ffmpeg: none in the file, 5.1 installed",
                "scrot: 1.8 in the file, 1.9 installed",
                "xa11y: 0.15.4 in the file, none installed",
            ]
        );
        assert!(differences(&locked, &locked).is_empty());
    }
}
