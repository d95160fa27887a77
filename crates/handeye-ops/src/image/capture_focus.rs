//! Whether a window is brought to the front before it is captured.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;

/// Whether the window is brought to the front first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum CaptureFocus {
    /// Capture it as it is.
    #[default]
    Background,
    /// Bring it to the front, which takes the focus.
    Foreground,
}
