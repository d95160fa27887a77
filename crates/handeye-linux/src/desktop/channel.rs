//! The messages between the process that asked for a desktop and its supervisor: one JSON object a line,
//! over a socket whose end shows each side that the other one is gone.

use super::options::Plan;
use handeye_core::Error;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// No message is longer: environments and errors are small.
pub(super) const LONGEST_MESSAGE: usize = 1024 * 1024;

/// From the asking process to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Comes first: what to build.
    Build(Plan),
    /// Deliver a signal to the command.
    Signal {
        /// Its number.
        number: i32,
        /// Whether a terminal sent it to the whole process group, and so to the command too.
        from_terminal: bool,
    },
    /// End the desktop.
    Stop,
}

/// From the supervisor to the asking process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// The desktop is ready; its state file is written.
    Ready,
    /// It could not be built.
    Failed(Error),
}

/// Where the asking process listens until its supervisor has called.
pub(super) fn socket(folder: &Path) -> PathBuf {
    folder.join("control")
}

/// One line.
pub(super) fn encode(message: &impl Serialize) -> handeye_core::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message).map_err(Error::internal)?;
    line.push(b'\n');
    Ok(line)
}
