//! Where a rule is written.

use std::fmt;
use std::path::PathBuf;

/// Where a rule is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// In this line of this file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// In this variable, or under this key of the configuration file.
    Variable(String),
}

impl Source {
    /// The file or the variable.
    pub fn name(&self) -> &str {
        match self {
            // A path that is no text has been refused.
            Self::File { path, .. } => path.to_str().unwrap_or("security.toml"),
            Self::Variable(name) => name,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "line {line} of {}", path.display()),
            Self::Variable(name) => f.write_str(name),
        }
    }
}
