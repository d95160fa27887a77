//! Who set a value.

use super::lookup::SetBy;
use crate::configuration;
use serde_json::json;
use std::fmt;
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// This flag, without dashes.
    Flag(&'static str),
    /// This environment variable.
    Variable(String),
    /// A key in this line of a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The key, with its table.
        key: String,
    },
}

impl From<SetBy> for Origin {
    fn from(source: SetBy) -> Self {
        match source {
            SetBy::Variable(name) => Self::Variable(name.to_owned()),
            SetBy::File(entry) => Self::File {
                path: configuration::path().to_owned(),
                line: entry.line,
                key: entry.key.clone(),
            },
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Flag(flag) => write!(f, "--{flag}"),
            Self::Variable(name) => f.write_str(name),
            Self::File { path, line, key } => write!(f, "{key}, line {line} of {}", path.display()),
        }
    }
}

impl Origin {
    /// For programs.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Self::Default => json!({ "from": "default" }),
            Self::Flag(flag) => json!({ "from": "flag", "name": format!("--{flag}") }),
            Self::Variable(name) => json!({ "from": "variable", "name": name }),
            Self::File { path, line, key } => {
                json!({ "from": "file", "name": key, "path": path.display().to_string(), "line": line })
            }
        }
    }
}
