//! Parameters and answers that several operations share.

use crate::effect::Effect;
use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether an action may take the focus and the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Leaves focus, pointer and windows alone.
    #[default]
    Background,
    /// Activates the window and uses the real pointer and keyboard.
    Focus,
}

/// A kind of click.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum ClickType {
    /// Primary button, once.
    #[default]
    Single,
    /// Primary button, twice.
    Double,
    /// Context button.
    Right,
}

impl ClickType {
    /// What was done, to begin a sentence with.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Single => "Clicked",
            Self::Double => "Double-clicked",
            Self::Right => "Right-clicked",
        }
    }
}

/// What every action answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActionOutput {
    /// What really changed.
    pub effect: Effect,
    /// Reference of the element that it was done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_ref: Option<String>,
    /// How a dead reference was found again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub healed: Option<String>,
}
