//! What the documents say of the code exists, and what they list is complete.

use crate::{crates, name};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that can be published; each package has its licences.
const PUBLISHED: [&str; 3] = ["handeye-core", "handeye-png", "handeye-query"];

/// Most words of the page that shows the architecture.
const WORDS: usize = 1_500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a crate has a module of that name, at any depth; `name/` is one with modules of its own.
fn has_module(folder: &Path, name: &str) -> bool {
    let (plain, is_folder) = name.strip_suffix('/').map_or((name, false), |plain| (plain, true));
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).any(|path| {
        let is_it = path.file_stem().is_some_and(|stem| stem == plain) && path.is_dir() >= is_folder;
        is_it || (path.is_dir() && has_module(&path, name))
    })
}

#[test]
fn the_map_of_the_code_names_every_crate_and_modules_that_exist() {
    let map = read("docs/explanation/code-map.md");
    let mut named = BTreeSet::new();
    let mut missing = Vec::new();
    for row in map.lines().filter(|line| line.starts_with("| `")) {
        let (place, subject) = row[2..].split_once(" | ").expect("two cells");
        let place = quoted(place).next().expect("a place");
        let source = root().join("crates").join(place);
        assert!(source.is_dir(), "there is no {place}");
        named.insert(place.trim_end_matches("/src").to_owned());
        missing.extend(
            quoted(subject)
                .filter(|module| !has_module(&source, module))
                .map(|module| format!("{place}: {module}")),
        );
    }
    assert!(missing.is_empty(), "modules that do not exist:\n{}", missing.join("\n"));
    let all: BTreeSet<String> = crates().iter().map(|path| name(path)).collect();
    assert_eq!(named, all);
}

#[test]
fn the_page_of_the_architecture_names_every_crate_and_is_short() {
    let page = read("ARCHITECTURE.md");
    for path in crates() {
        assert!(page.contains(&name(&path)), "{} is missing in ARCHITECTURE.md", name(&path));
    }
    let words = page.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    assert!(words <= WORDS, "ARCHITECTURE.md has {words} words");
}

#[test]
fn every_decision_is_listed() {
    let index = read("docs/decisions/README.md");
    let files = fs::read_dir(root().join("docs/decisions")).expect("decisions");
    let files: BTreeSet<String> = files.map(|entry| name(&entry.expect("an entry").path())).collect();
    let listed: BTreeSet<String> =
        index.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect();
    let decisions: BTreeSet<String> = files.into_iter().filter(|file| file != "README.md").collect();
    let differing: Vec<&String> = listed.symmetric_difference(&decisions).collect();
    assert!(differing.is_empty(), "listed or there, but not both: {differing:?}");
}

#[test]
fn published_crates_have_their_licences() {
    for package in PUBLISHED {
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let path = format!("crates/{package}/{licence}");
            assert_eq!(read(&path), read(licence), "{path}");
        }
    }
}

#[test]
fn each_crate_says_what_it_is() {
    let description = |path: &PathBuf| {
        let manifest = fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = manifest.parse().expect("TOML");
        let description = manifest["package"].get("description")?.as_str().map(str::to_owned);
        // The product has the description of the workspace.
        description.or_else(|| (name(path) != "handeye").then(|| "of the workspace".to_owned()))
    };
    let described: Vec<String> = crates().iter().filter_map(description).collect();
    let distinct: BTreeSet<&String> = described.iter().collect();
    assert!(
        distinct.len() == described.len() && !distinct.contains(&"of the workspace".to_owned()),
        "{described:?}"
    );
}

#[test]
fn documents_refer_to_nothing_outside_of_the_repository() {
    let mut folders: Vec<PathBuf> =
        ["crates", "docs", "tests", "skills"].map(|folder| root().join(folder)).into();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path)
                // Not spelled out here, or this file would be found.
                && ["research", "spec"].iter().any(|part| text.contains(&format!("shared/{part}")))
            {
                found.push(path);
            }
        }
    }
    assert!(found.is_empty(), "{found:?}");
}
