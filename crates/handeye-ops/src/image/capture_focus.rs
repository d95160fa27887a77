//! Whether a window is brought to the front before it is captured.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the window is brought to the front first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum CaptureFocus {
    /// Capture it as it is.
    #[default]
    Background,
    /// Bring it to the front, which takes the focus.
    Foreground,
}
