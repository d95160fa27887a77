//! A new tool is one file and one line: a copy of the workspace gets both, is built, and has the tool everywhere
//! (docs/decisions/0072-one-file-and-one-line.md).

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Result;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the copy is built from.
const WORKSPACE: &[&str] =
    &[".cargo", "Cargo.lock", "Cargo.toml", "clippy.toml", "crates", "rust-toolchain.toml", "skills"];
/// The file, and what looks at the tool in the copy: where it is, and what it is there.
const ADDED: &[(&str, &str)] = &[
    ("count_apps.rs", "crates/handeye-ops/src/count_apps.rs"),
    ("gate.rs", "crates/handeye-service/tests/added_tool.rs"),
    ("faces.rs", "crates/handeye/tests/added_tool.rs"),
];
/// Where the line is.
const MODULES: &str = "crates/handeye-ops/src/lib.rs";
/// The line. The empty one before it keeps it from being sorted.
const LINE: &str = "\npub mod count_apps;\n";

#[test]
fn one_file_and_one_line_make_a_tool() {
    let profile = profile();
    let place = profile.parent().expect("a target folder").join("one-more");
    let copy = place.join("workspace");
    mirror(&copy).expect("a copy of the workspace");
    let target = place.join("target");
    if !target.exists() {
        seed(&profile, &target.join(profile.file_name().expect("a profile"))).expect("a target folder");
    }
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["test", "--offline", "--workspace", "--test", "added_tool"])
        .current_dir(&copy)
        .env("CARGO_TARGET_DIR", &target)
        .stdin(Stdio::null())
        .output()
        .expect("cargo runs");
    let printed = [built.stdout, built.stderr].map(|printed| String::from_utf8_lossy(&printed).into_owned());
    assert!(built.status.success(), "{}", printed.concat());
    // A filter that matches nothing would pass too.
    assert_eq!(printed[0].matches("test result: ok. ").count(), 2, "{}", printed[0]);
}

/// The folder of what this test was built with.
fn profile() -> PathBuf {
    let own = std::env::current_exe().expect("the path of this test");
    own.ancestors().nth(2).expect("target/debug/deps").to_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Makes the copy what the workspace is, with the tool. What is right already keeps its time, so that it is not built again.
fn mirror(copy: &Path) -> Result<()> {
    let root = root();
    let mut wanted: Vec<(PathBuf, PathBuf)> = Vec::new();
    for part in WORKSPACE {
        for path in files(&root.join(part))? {
            let relative = path.strip_prefix(&root).expect("below the root").to_owned();
            wanted.push((path, relative));
        }
    }
    let given = root.join("crates/xtask/tests/one_more");
    wanted.extend(ADDED.iter().map(|(file, place)| (given.join(file), place.into())));
    for (path, relative) in &wanted {
        if relative != Path::new(MODULES) {
            copied(path, &copy.join(relative))?;
        }
    }
    let modules = fs::read_to_string(root.join(MODULES))? + LINE;
    if fs::read_to_string(copy.join(MODULES)).ok().as_ref() != Some(&modules) {
        fs::write(copy.join(MODULES), modules)?;
    }
    let wanted: BTreeSet<PathBuf> = wanted.into_iter().map(|(_, relative)| copy.join(relative)).collect();
    for path in files(copy)? {
        if !wanted.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Gives the libraries that are built already to the copy: they are the same there. Libraries are replaced and never changed, so one
/// file serves both; what cargo notes about them is changed in its place, so there are two.
fn seed(profile: &Path, target: &Path) -> Result<()> {
    for part in [".fingerprint", "build"] {
        for path in files(&profile.join(part))? {
            copied(&path, &target.join(path.strip_prefix(profile).expect("below it")))?;
        }
    }
    let libraries = target.join("deps");
    fs::create_dir_all(&libraries)?;
    for entry in fs::read_dir(profile.join("deps"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "rlib" || kind == "rmeta" || kind == "so") {
            fs::hard_link(&path, libraries.join(path.file_name().expect("a file")))?;
        }
    }
    Ok(())
}

/// Copies a file with its time, unless the copy is of this time already.
fn copied(from: &Path, to: &Path) -> Result<()> {
    let time = fs::metadata(from)?.modified()?;
    if fs::metadata(to).and_then(|there| there.modified()).is_ok_and(|there| there == time) {
        return Ok(());
    }
    fs::create_dir_all(to.parent().expect("a folder"))?;
    fs::copy(from, to)?;
    File::options().write(true).open(to)?.set_modified(time)
}

/// The file itself, or all files below a folder.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut folders = vec![path.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}
