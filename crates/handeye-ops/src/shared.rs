//! Parameters and answers that several operations share.

use clap::ValueEnum;
use handeye_act::effect::Effect;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a parameter need not be sent. Its default is then in no schema either.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Whether an action may take the focus and the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Leaves the user's focus, pointer and windows alone.
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
    /// Primary button, three times.
    Triple,
    /// No button: the pointer is moved there.
    Hover,
}

impl ClickType {
    /// What was done to an element, to begin a sentence with.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Single => "Clicked",
            Self::Double => "Double-clicked",
            Self::Right => "Right-clicked",
            Self::Triple => "Triple-clicked",
            Self::Hover => "Moved the pointer over",
        }
    }

    /// The same of a point.
    pub fn done_at(self, place: &str) -> String {
        match self {
            Self::Hover => format!("Moved the pointer to {place}"),
            click => format!("{} at {place}", click.done()),
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

/// Has the parameters `$input` read from the command line as `$line`, where its flags differ from the JSON.
/// `$input` is made from `$line` by `From`.
macro_rules! read_from_command_line {
    ($input:ty, $line:ty) => {
        impl clap::FromArgMatches for $input {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                <$line as clap::FromArgMatches>::from_arg_matches(matches).map(Self::from)
            }

            fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
                *self = <Self as clap::FromArgMatches>::from_arg_matches(matches)?;
                Ok(())
            }
        }

        impl clap::Args for $input {
            fn augment_args(command: clap::Command) -> clap::Command {
                <$line as clap::Args>::augment_args(command)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                <$line as clap::Args>::augment_args_for_update(command)
            }
        }
    };
}
pub(crate) use read_from_command_line;
