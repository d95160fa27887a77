//! A running application.

use crate::advice::Advice;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Names a source of trees, for example `atspi`. Each source of a desktop has a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(&'static str);

impl SourceId {
    /// The source called `name`.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// Identifies a running application: which source lists it, and what that source calls it
/// (for AT-SPI its unique name on the accessibility bus, such as `:1.42`, or its process where it is not on the bus). A key is never used again by its source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApplicationId {
    source: SourceId,
    key: Arc<str>,
}

impl ApplicationId {
    /// The application that `source` calls `key`.
    pub fn new(source: SourceId, key: impl Into<Arc<str>>) -> Self {
        Self { source, key: key.into() }
    }

    /// The source that lists it.
    pub const fn source(&self) -> SourceId {
        self.source
    }

    /// What the source calls it.
    pub const fn key(&self) -> &Arc<str> {
        &self.key
    }
}

/// A running process, by what the system itself reports of it: nothing that the process could choose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcessIdentity {
    /// Its number. The system gives it to another process after this one has ended.
    pub pid: u32,
    /// When it started, in a unit of the system: it distinguishes the process from a later one with the same number. `None` where that could not be
    /// read.
    pub started: Option<u64>,
    /// The file that it runs, where that may be read.
    pub executable: Option<Arc<str>>,
    /// Whether that path leads to that very file from here. It does not for a program in a sandbox, for one whose file was replaced since it
    /// started, and for one that gave itself another file system to have a path that is not its own.
    pub executable_is_here: bool,
    /// The sandbox that it runs in, by the name under which the sandbox was installed (on Linux the Flatpak id).
    pub sandbox: Option<Arc<str>>,
}

impl ProcessIdentity {
    /// A process of which nothing but its number is known.
    pub const fn unverified(pid: u32) -> Self {
        Self { pid, started: None, executable: None, executable_is_here: false, sandbox: None }
    }

    /// Whether both are one process, as far as both are known.
    pub fn is_same(&self, other: &Self) -> bool {
        let started_apart = matches!((self.started, other.started), (Some(one), Some(other)) if one != other);
        self.pid == other.pid && !started_apart
    }
}

/// Whether an application shows its accessibility tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum TreeAccess {
    /// It does.
    Available,
    /// It has windows but no tree, or an empty one.
    Missing {
        /// Why, as far as that is known.
        reason: String,
        /// What the user can do about it, for example the flag to start it with.
        advice: Advice,
    },
}

/// A running application that has a window or an accessibility tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// The source that lists it, and what that source calls it. Never made of a name that it gives itself.
    pub id: ApplicationId,
    /// The name it gives itself.
    pub name: String,
    /// The process behind its connection, or behind its windows where it has no tree; `None` where the system does not report it.
    pub process: Option<ProcessIdentity>,
    /// Desktop file id, `WM_CLASS` or executable name on Linux; the bundle id on macOS.
    pub bundle_id: Option<String>,
    /// Toolkit and version, for example `gtk 3.24.38`.
    pub toolkit: Option<String>,
    /// Whether its tree can be read.
    pub tree: TreeAccess,
}

impl Application {
    /// The number of its process, where that is known.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(|process| process.pid)
    }

    /// Whether two entries are one running application.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.process, &other.process) {
            (Some(one), Some(other)) => one.is_same(other),
            _ => self.id == other.id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_used_again_is_another_process() {
        let first = ProcessIdentity { started: Some(10), ..ProcessIdentity::unverified(7) };
        let later = ProcessIdentity { started: Some(11), ..ProcessIdentity::unverified(7) };
        assert!(!first.is_same(&later));
        assert!(first.is_same(&ProcessIdentity::unverified(7)), "where nothing more is known");
        assert!(!first.is_same(&ProcessIdentity::unverified(8)));
    }

    #[test]
    fn what_an_application_calls_itself_does_not_say_which_one_it_is() {
        let listed = |key: &str, name: &str| {
            let id = ApplicationId::new(SourceId::new("test"), key);
            Application { id, process: None, ..crate::testing::application(name, 7, "") }
        };
        assert!(!listed(":1.5", "Bank").is_same(&listed(":1.6", "Bank")), "it took the name of another one");
        assert!(listed(":1.5", "Bank").is_same(&listed(":1.5", "Bank (2)")), "it changed its name");
    }
}
