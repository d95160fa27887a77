//! What is set: by a variable, by an alias of it, or in the configuration file.

use super::abouts;
use super::foreign;
use super::setting::{About, Setting};
use super::table::{
    ALLOWED_APPS, CONCURRENCY, CONFIG, CONSOLE_LOGGING, DENIED_APPS, LOG_FILE, LOG_LEVEL, PICTURE_LIMIT,
    QUESTION_RATE_LIMIT, RATE_LIMIT_RPM, RATE_LIMIT_RPS, SCRIPT_RATE_LIMIT, SECURITY_FILE, SECURITY_MODE,
    VLM_RATE_LIMIT,
};
use super::value::Value;
use crate::configuration::{self, Entry};
use handeye_core::{Error, Result};
use std::env;
use std::ffi::OsStr;

/// Reads the configuration file, for the rest of the life of this process. Call it once, before the first setting is read.
///
/// # Errors
/// A file that cannot be read, is not TOML, or has a key that is unknown or of the wrong type; each is named with its line. A provider
/// of the specification that there is not here.
pub fn load() -> Result<()> {
    configuration::load()?;
    foreign::check_environment()
}

/// Whether a variable is a setting of single calls, and so none of a process that serves the calls of others: all but those
/// that say what is logged, and where the configuration file is.
pub fn is_of_calls(variable: &OsStr) -> bool {
    let Some(name) = variable.to_str() else { return false };
    let of_process = [
        LOG_LEVEL.about,
        LOG_FILE.about,
        CONSOLE_LOGGING.about,
        CONFIG.about,
        // What may be done is settled for a process, and no call brings another one with it.
        SECURITY_MODE.about,
        SECURITY_FILE.about,
        ALLOWED_APPS.about,
        DENIED_APPS.about,
        RATE_LIMIT_RPS.about,
        RATE_LIMIT_RPM.about,
        CONCURRENCY.about,
        VLM_RATE_LIMIT.about,
        SCRIPT_RATE_LIMIT.about,
        QUESTION_RATE_LIMIT.about,
        PICTURE_LIMIT.about,
    ];
    let is_provider =
        name.starts_with("HANDEYE_") && (name.ends_with("_BASE_URL") || name.ends_with("_API_KEY"));
    let is_named = |setting: &About| setting.variable == name || setting.aliases.contains(&name);
    is_provider || (abouts().any(is_named) && !of_process.iter().any(is_named))
}

/// The value of an environment variable: by its aliases too where it is one of the settings, else what the configuration
/// file says in its place.
pub fn variable(name: &str) -> Option<String> {
    match abouts().find(|setting| setting.variable == name) {
        Some(setting) => setting.text(),
        None => from_variable(name).or_else(|| Some(configuration::entry(name)?.value.as_text()?.to_owned())),
    }
}

fn from_variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Who set a setting.
#[derive(Debug, Clone, Copy)]
pub enum SetBy {
    /// This environment variable.
    Variable(&'static str),
    /// The configuration file.
    File(&'static Entry),
}

impl SetBy {
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

impl About {
    /// What is set without a flag, where that is a text.
    fn text(&self) -> Option<String> {
        self.found().and_then(|(_, value)| Some(value.as_text()?.to_owned()))
    }

    /// What is set without a flag and who set it: the variable, else the first alias that is set and not empty, else the
    /// configuration file.
    fn found(&self) -> Option<(SetBy, Value)> {
        self.every().next()
    }

    /// All that is set without a flag, and who set it. The first one holds.
    pub fn every(&self) -> impl Iterator<Item = (SetBy, Value)> {
        let variable = self.variable;
        let in_file = std::iter::once_with(move || {
            let entry = configuration::entry(variable)?;
            Some((SetBy::File(entry), entry.value.clone()))
        });
        let in_environment = self.every_in_environment().map(|(source, text)| (source, Value::Text(text)));
        in_environment.chain(in_file.flatten())
    }

    /// What the environment alone says: for a command, whose log is not that of a server.
    pub fn from_environment(&self) -> Option<String> {
        self.every_in_environment().next().map(|(_, value)| value)
    }

    fn every_in_environment(&self) -> impl Iterator<Item = (SetBy, String)> + use<> {
        std::iter::once(self.variable)
            .chain(self.aliases.iter().copied())
            .filter_map(|name| Some((SetBy::Variable(name), from_variable(name)?)))
    }
}

impl<T> Setting<T> {
    /// What is set without a flag.
    ///
    /// # Errors
    /// A value that is none; the error names who set it.
    pub fn configured(&self) -> Result<Option<T>> {
        Ok(self.found()?.map(|(_, value)| value))
    }

    /// [`Setting::configured`], and who set it.
    ///
    /// # Errors
    /// As [`Setting::configured`].
    pub fn found(&self) -> Result<Option<(SetBy, T)>> {
        let Some((source, value)) = self.about.found() else { return Ok(None) };
        (self.reader)(&value).map(|value| Some((source, value))).map_err(|why| source.fault(why))
    }
}

impl<T> Setting<T> {
    /// All that is set without a flag, and who set it. The first one holds, where not all of them do.
    ///
    /// # Errors
    /// As [`Setting::configured`].
    pub fn every(&self) -> Result<Vec<(SetBy, T)>> {
        let read = |(source, value): (SetBy, Value)| match (self.reader)(&value) {
            Ok(value) => Ok((source, value)),
            Err(why) => Err(source.fault(why)),
        };
        self.about.every().map(read).collect()
    }
}

impl Setting<String> {
    /// What is set without a flag, as another type, which only the caller knows.
    ///
    /// # Errors
    /// A value that `read` rejects; the error names who set it.
    pub fn configured_as<O>(&self, read: impl Fn(&str) -> Result<O, String>) -> Result<Option<O>> {
        let Some((source, text)) = self.found()? else { return Ok(None) };
        read(&text).map(Some).map_err(|why| source.fault(why))
    }
}
