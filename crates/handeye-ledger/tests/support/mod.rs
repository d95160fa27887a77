//! A log in a scratch folder, and what is in it.
#![allow(dead_code, reason = "not every test uses all of it")]

use handeye_ledger::{Log, Settings};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Scratch {
    folder: tempfile::TempDir,
    pub(crate) settings: Settings,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        Self::rotated_at(Settings::LARGEST)
    }

    pub(crate) fn rotated_at(largest: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings { largest, ..Settings::at(folder.path().join("audit.jsonl")) };
        Self { folder, settings }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.settings.path
    }

    pub(crate) fn log(&self) -> Log {
        Log::new(self.settings.clone())
    }

    /// The files of the log, the oldest first.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        // The one without a number is the newest.
        files.sort_by_key(|file| (file == self.path(), file.clone()));
        files
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let name = |file: &PathBuf| file.file_name().expect("a name").to_string_lossy().into_owned();
        self.files().iter().map(name).collect()
    }

    /// All lines, in the order in which they were written.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let text: String = self.files().iter().map(|file| fs::read_to_string(file).expect("text")).collect();
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// One action, from its beginning to its end.
pub(crate) fn act(log: &mut Log, what: &str) {
    let begun = log.intent(&json!({ "tool": what }), false).expect("written");
    log.outcome(Some(begun.seq), &json!({ "tool": what, "result": "success" }), false).expect("written");
}
