//! Settings as flags of a command line.

use super::origin::Origin;
use super::setting::{About, Kind, Setting};
use super::value::Value;
use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use handeye_core::Result;
use std::ffi::OsString;

/// What the names of flags about the answer begin with among the arguments of a command, which may have flags of that name itself.
pub(crate) const ANSWER: &str = "answer_";

impl About {
    /// The name of the flag.
    fn flag_name(&self) -> &'static str {
        self.flag.unwrap_or(self.variable)
    }
}

impl<T: Clone + Send + Sync + 'static> Setting<T> {
    /// The flag, whose value help calls `value`. Its variable is read later, as an empty one counts as unset.
    pub(crate) fn argument(&self, value: &'static str) -> Arg {
        let reader = self.reader;
        self.argument_read_by(value, ValueParser::new(move |text: &str| reader(&text.into())))
    }

    /// [`Setting::argument`] with another parser of such values.
    pub(crate) fn argument_read_by(&self, value: &'static str, parser: ValueParser) -> Arg {
        let name = self.about.flag_name();
        Arg::new(name)
            .long(name)
            .value_name(value)
            .value_parser(parser)
            .help(format!("{} [default: {}]", self.about.help, self.about.default))
    }

    /// What the flag says, if it was given; a command may not have it.
    pub(crate) fn flag(&self, matches: &ArgMatches) -> Option<(Origin, T)> {
        let flag = self.about.flag?;
        let value = matches.try_get_one::<T>(flag).ok().flatten()?;
        Some((Origin::Flag(flag), value.clone()))
    }

    /// What the flag says, else what is set without it; a command may not have the flag.
    ///
    /// # Errors
    /// What is set without it is not such a value; the error names the source.
    pub(crate) fn chosen(&self, matches: &ArgMatches) -> Result<Option<T>> {
        self.flag(matches).map_or_else(|| self.configured(), |(_, value)| Ok(Some(value)))
    }
}

/// What the flag of a setting says at any level of a command line; the innermost wins.
pub(super) fn given_anywhere(matches: &ArgMatches, setting: &About) -> Option<Value> {
    let flag = setting.flag?;
    // Those that every command has are called differently among its arguments.
    let names = [flag.to_owned(), flag.replace('-', "_"), format!("{ANSWER}{flag}")];
    let mut level = Some(matches);
    let mut found = None;
    while let Some(here) = level {
        for name in &names {
            if !matches!(here.try_contains_id(name), Ok(true))
                || here.value_source(name) != Some(ValueSource::CommandLine)
            {
                continue;
            }
            let raw = here.try_get_raw(name).ok().flatten().and_then(|mut raw| raw.next());
            found = raw.map(|raw| Value::Text(raw.to_string_lossy().into_owned())).or(found);
        }
        level = here.subcommand().map(|(_, inner)| inner);
    }
    found
}

impl Setting<bool> {
    /// The flag, which has no value. Its variable is read later.
    pub(crate) fn switch(&self) -> Arg {
        let name = self.about.flag_name();
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(self.about.help)
    }

    /// Whether it is on: by its flag, or without it.
    ///
    /// # Errors
    /// What is set without the flag is neither true nor false; the error names the source.
    pub(crate) fn is_on(&self, matches: &ArgMatches) -> Result<bool> {
        Ok(is_given(matches, self.about.flag_name()) || self.configured()?.unwrap_or(false))
    }
}

/// Whether a flag without a value was given.
fn is_given(matches: &ArgMatches, flag: &str) -> bool {
    matches.try_get_one(flag).ok().flatten() == Some(&true)
}

/// The flags of these settings as they were given.
pub(crate) fn given(matches: &ArgMatches, settings: &[&About]) -> Vec<OsString> {
    let given = settings.iter().filter_map(|setting| {
        let flag = setting.flag?;
        let name = OsString::from(format!("--{flag}"));
        if setting.kind == Kind::Switch {
            return is_given(matches, flag).then(|| vec![name]);
        }
        let value = matches.try_get_raw(flag).ok().flatten()?.next()?;
        Some(vec![name, value.to_owned()])
    });
    given.flatten().collect()
}
