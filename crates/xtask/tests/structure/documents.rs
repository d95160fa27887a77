//! What the documents say of the code exists, and what they list is complete.

use crate::{crates, name};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates that can be published; each package has its licences.
const PUBLISHED: [&str; 3] = ["handeye-core", "handeye-png", "handeye-query"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_decision_is_listed() {
    let index = read("docs/decisions/README.md");
    let files = fs::read_dir(root().join("docs/decisions")).expect("decisions");
    let files: BTreeSet<String> = files.map(|entry| name(&entry.expect("an entry").path())).collect();
    let listed: BTreeSet<String> =
        index.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect();
    let decisions: BTreeSet<String> = files.into_iter().filter(|file| file != "README.md").collect();
    assert_eq!(listed, decisions);
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
