//! Scripts of the POSIX shell, each watched by a process of its own, so that nothing of it outlives it.
//!
//! ```text
//! handeye ──starts──▶ watcher (this very program, in a session of its own, a child subreaper)
//!    │  a socket: the script, how it ended       └─ /bin/sh, and whatever that starts, daemons included
//!    ├─ its end says that handeye is gone
//!    └─ reads both outputs, keeps the beginning of each and counts the rest
//! ```
//!
//! Whatever loses its parent becomes a child of the watcher, so that all of it is found by descent, in whatever session or process
//! group it is. A script that ends its watcher is ended by the mark in the environment that all its processes have.

mod environment;
mod runner;
mod watcher;

pub use runner::Shell;
pub use watcher::{SCRIPTS_ARGUMENT, scripts_main};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The shell.
const SHELL: &str = "/bin/sh";
/// Marks the processes of a script, with a value of its own for each.
const MARK: &str = "HANDEYE_SCRIPT";

/// What the watcher is given, as one line.
#[derive(Serialize, Deserialize)]
struct Order {
    source: String,
    directory: PathBuf,
    deadline_ms: u64,
}

/// What the watcher answers, as one line.
#[derive(Debug, Serialize, Deserialize)]
enum Report {
    /// The script was not started.
    NotStarted(String),
    /// It ended.
    Ended {
        exit_code: Option<i32>,
        signal: Option<i32>,
        timed_out: bool,
        /// How many processes it had left running, and were ended.
        left_running: usize,
        /// How many could not be ended.
        alive: usize,
        took_ms: u64,
    },
}
