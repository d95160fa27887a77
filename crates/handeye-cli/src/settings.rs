//! The settings that come from a flag or the environment, in one table: the code, the help and the documentation
//! read it.

use std::env;

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The flag that sets it, without dashes, if there is one. It wins over the environment.
    pub flag: Option<&'static str>,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// Names from the systems that handeye replaces; used when `variable` is not set.
    pub aliases: &'static [&'static str],
    /// What holds when nobody says otherwise.
    pub default: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
}

/// How much is logged to standard error.
pub const LOG_LEVEL: Setting = Setting {
    flag: None,
    variable: "HANDEYE_LOG_LEVEL",
    aliases: &["AXTERMINATOR_LOG_LEVEL"],
    default: "warn",
    help: "What is logged to standard error: error, warn, info, debug, trace, or a tracing filter",
};

/// How answers are printed.
pub const FORMAT: Setting = Setting {
    flag: Some("format"),
    variable: "HANDEYE_FORMAT",
    aliases: &[],
    default: "text",
    help: "How the answer is printed: text for people, json for programs, quiet for the exit code alone",
};

/// How long a command may take.
pub const TIMEOUT: Setting = Setting {
    flag: Some("timeout"),
    variable: "HANDEYE_TIMEOUT",
    aliases: &[],
    default: "the command's own deadline",
    help: "Give up after this many seconds",
};

/// Whether colours are used on a terminal.
pub const NO_COLOR: Setting = Setting {
    flag: None,
    variable: "NO_COLOR",
    aliases: &[],
    default: "unset",
    help: "When set to anything, nothing is coloured; a pipe never is",
};

/// Every setting, in the order of the documentation.
pub const ALL: &[Setting] = &[FORMAT, TIMEOUT, LOG_LEVEL, NO_COLOR];

impl Setting {
    /// What the environment says: the variable, else the first alias that is set and not empty.
    pub fn from_environment(&self) -> Option<String> {
        std::iter::once(&self.variable)
            .chain(self.aliases)
            .filter_map(|name| env::var(name).ok())
            .find(|value| !value.is_empty())
    }
}
