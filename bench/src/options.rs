//! What to measure, how often, and where everything is.

use crate::Result;
use std::path::PathBuf;

/// What to measure, how often, and where everything is.
pub struct Options {
    /// Rounds of every comparison.
    pub rounds: usize,
    /// The handeye binary.
    pub handeye: PathBuf,
    /// The xa11y probe.
    pub xa11y: PathBuf,
    /// `tests/bench`.
    pub scripts: PathBuf,
    /// Python with `mss`.
    pub python: PathBuf,
    /// Node.
    pub node: PathBuf,
    /// The folder with its packages.
    pub node_modules: PathBuf,
    /// Where the report goes.
    pub output: PathBuf,
    /// The command to print in the report.
    pub command: String,
    /// The commit that is measured.
    pub commit: String,
    /// The versions of the peers, for the report.
    pub peers: String,
    only: Vec<String>,
    applications: Vec<String>,
    words: Vec<String>,
}

impl Options {
    /// Reads `--name value` pairs.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let value = |name: &str| {
            words.iter().position(|word| *word == name).and_then(|place| words.get(place + 1)).copied()
        };
        let path = |name: &str| value(name).map(PathBuf::from).ok_or(format!("{name} is missing"));
        let list = |name: &str| {
            value(name).map(|text| text.split(',').map(str::to_owned).collect()).unwrap_or_default()
        };
        Ok(Self {
            rounds: value("--rounds").map_or(Ok(11), str::parse)?,
            handeye: path("--handeye")?,
            xa11y: path("--xa11y")?,
            scripts: path("--scripts")?,
            python: path("--python")?,
            node: path("--node")?,
            node_modules: path("--node-modules")?,
            output: path("--output")?,
            command: value("--command").unwrap_or("cargo xtask bench").to_owned(),
            commit: value("--commit").unwrap_or("unknown").to_owned(),
            peers: value("--peers").unwrap_or("unknown").to_owned(),
            only: list("--only"),
            applications: list("--applications"),
            words: words.iter().copied().map(str::to_owned).collect(),
        })
    }

    /// The words that these options were read from, for another process.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether a section is to be measured.
    pub fn wants(&self, section: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == section)
    }

    /// Whether an application is to be started.
    pub fn wants_application(&self, key: &str) -> bool {
        self.applications.is_empty() || self.applications.iter().any(|name| name == key)
    }
}
