//! Which build of handeye a process runs.

use std::fmt;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// A build: the version and the very file that runs. Two processes of one build understand each other in all details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Build(String);

impl Build {
    /// That of this process, which runs this file.
    pub(super) fn of(file: &Metadata) -> Self {
        let (device, number, size) = (file.dev(), file.ino(), file.size());
        let (seconds, nanoseconds) = (file.mtime(), file.mtime_nsec());
        Self(format!(
            "{}-{device:x}.{number:x}.{size:x}.{seconds:x}.{nanoseconds:x}",
            env!("CARGO_PKG_VERSION")
        ))
    }

    /// Whether a process says that it is of this build.
    pub(super) fn is(&self, reported: &str) -> bool {
        self.0 == reported
    }
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
