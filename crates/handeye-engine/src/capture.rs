//! How the tools that capture windows of an application are configured.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// How long a look-up with its captures may take (`PEEKABOO_CLI_TIMEOUT` of Peekaboo 1.0.0-beta.17).
pub const DEADLINE: Duration = Duration::from_secs(30);

/// How `image` and `list` are configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureSettings {
    /// How long a look-up with its captures may take.
    pub deadline: Duration,
    /// Where `image` saves pictures when a call names no path: a folder or a file. `None` for the folder for screenshots.
    pub save_path: Option<PathBuf>,
}

impl Default for CaptureSettings {
    fn default() -> Self {
        Self { deadline: DEADLINE, save_path: None }
    }
}
