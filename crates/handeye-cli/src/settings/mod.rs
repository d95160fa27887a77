//! The settings that come from a flag, the environment or the configuration file, in one table: the code, the help and the
//! documentation read it.

mod table;

use crate::configuration::{self, Entry};
use handeye_core::{Error, Result};
use std::env;
use std::ffi::OsStr;

pub use table::*;

/// What the value of a key in the configuration file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A string; `~/` at its beginning is the home directory.
    Path,
    /// A number.
    Number,
    /// A number, or a string with a unit.
    NumberOrText,
    /// `true` or `false`.
    Switch,
    /// Strings.
    List,
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The flag that sets it, without dashes, if there is one. It wins over everything else.
    pub flag: Option<&'static str>,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// Names from the systems that handeye replaces; used when `variable` is not set.
    pub aliases: &'static [&'static str],
    /// The key that sets it in the configuration file, with its table, if there is one; it comes last. Keys of providers have
    /// none: a secret belongs into no file of settings.
    pub key: Option<&'static str>,
    /// What the value of that key is.
    pub kind: Kind,
    /// What holds when nobody says otherwise.
    pub default: &'static str,
    /// What it does, in one sentence.
    pub help: &'static str,
}

/// Reads the configuration file, for the rest of the life of this process. Call it once, before the first setting is read.
///
/// # Errors
/// A file that cannot be read, is no TOML, or has a key that is unknown or of the wrong type; each is named with its line.
pub fn load() -> Result<()> {
    configuration::load()
}

/// Whether a variable is a setting of single calls, and so none of a process that serves the calls of others: all but those
/// that say what is logged, and where the configuration file is.
pub fn is_of_calls(variable: &OsStr) -> bool {
    let Some(name) = variable.to_str() else { return false };
    let of_process = [LOG_LEVEL, LOG_FILE, CONSOLE_LOGGING, CONFIG];
    let is_provider =
        name.starts_with("HANDEYE_") && (name.ends_with("_BASE_URL") || name.ends_with("_API_KEY"));
    let is_named = |setting: &Setting| setting.variable == name || setting.aliases.contains(&name);
    is_provider || (ALL.iter().any(is_named) && !of_process.iter().any(is_named))
}

/// The value of an environment variable: by its aliases too where it is one of the settings, else what the configuration
/// file says in its place.
pub fn variable(name: &str) -> Option<String> {
    match ALL.iter().find(|setting| setting.variable == name) {
        Some(setting) => setting.value(),
        None => from_variable(name).or_else(|| Some(configuration::entry(name)?.text.clone())),
    }
}

fn from_variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Who set a setting.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// This environment variable.
    Variable(&'static str),
    /// The configuration file.
    File(&'static Entry),
}

impl Source {
    /// The name under which it was set: that of the variable or of the key.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Variable(name) => name,
            Self::File(entry) => &entry.key,
        }
    }

    /// The error of a value that cannot be used; `why` completes the sentence.
    pub fn fault(&self, why: impl std::fmt::Display) -> Error {
        let next = match self {
            Self::Variable(_) => "Change this environment variable, or unset it.".to_owned(),
            Self::File(entry) => {
                format!("Change line {} of {}.", entry.line, configuration::path().display())
            }
        };
        Error::invalid_parameter(self.name(), why).with_next(next)
    }
}

impl Setting {
    /// What is set without a flag: by the variable, else by the first alias that is set and not empty, else in the
    /// configuration file.
    pub fn value(&self) -> Option<String> {
        self.found().map(|(_, value)| value)
    }

    /// [`Setting::value`], and who set it.
    pub fn found(&self) -> Option<(Source, String)> {
        let in_file = || {
            let entry = configuration::entry(self.variable)?;
            Some((Source::File(entry), entry.text.clone()))
        };
        self.found_in_environment().or_else(in_file)
    }

    /// What the environment alone says: for a command, whose log is not that of a server.
    pub fn from_environment(&self) -> Option<String> {
        self.found_in_environment().map(|(_, value)| value)
    }

    fn found_in_environment(&self) -> Option<(Source, String)> {
        std::iter::once(&self.variable)
            .chain(self.aliases)
            .find_map(|name| Some((Source::Variable(name), from_variable(name)?)))
    }

    /// What is set without a flag, parsed.
    ///
    /// # Errors
    /// A value that `parse` rejects; the error names who set it.
    pub fn parsed<T>(&self, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>> {
        let Some((source, text)) = self.found() else { return Ok(None) };
        parse(&text).map(Some).map_err(|why| source.fault(why))
    }
}

/// Reads a switch, in any of the usual spellings.
pub fn switch(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("'{text}' is neither true nor false")),
    }
}

/// Reads names that are separated by commas.
pub fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn flags_variables_and_keys_name_one_setting_each() {
        for names in [
            ALL.iter().map(|setting| setting.variable).collect::<Vec<_>>(),
            ALL.iter().filter_map(|setting| setting.flag).collect(),
            ALL.iter().filter_map(|setting| setting.key).collect(),
        ] {
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{names:?}");
        }
    }

    #[test]
    fn every_setting_but_a_secret_has_a_key() {
        for setting in ALL {
            let secret = setting.variable.ends_with("_API_KEY");
            let is_the_file = setting.variable == CONFIG.variable;
            assert_eq!(setting.key.is_none(), secret || is_the_file, "{}", setting.variable);
        }
    }

    #[test]
    fn switches_and_lists_are_read_as_people_write_them() {
        assert_eq!((switch("Yes"), switch(" off ")), (Ok(true), Ok(false)));
        assert!(switch("maybe").is_err() && switch("").is_err());
        assert_eq!(list(" a, b,,c ,"), ["a", "b", "c"]);
        assert!(list(" , ").is_empty());
    }
}
