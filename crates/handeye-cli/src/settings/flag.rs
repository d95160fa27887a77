//! Settings as flags of a command line.

use super::setting::{About, Setting};
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches};
use handeye_core::Result;
use std::ffi::OsString;

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

    /// What the flag says, else what is set without it; a command may not have the flag.
    ///
    /// # Errors
    /// What is set without it is not such a value; the error names the source.
    pub(crate) fn chosen(&self, matches: &ArgMatches) -> Result<Option<T>> {
        let flag = self.about.flag.and_then(|flag| matches.try_get_one::<T>(flag).ok().flatten());
        flag.map_or_else(|| self.configured(), |value| Ok(Some(value.clone())))
    }
}

/// The flags of these settings as they were given.
pub(crate) fn given(matches: &ArgMatches, settings: &[&About]) -> Vec<OsString> {
    let flags = settings.iter().filter_map(|setting| setting.flag);
    let given = flags.filter_map(|flag| {
        let value = matches.try_get_raw(flag).ok().flatten()?.next()?;
        Some([format!("--{flag}").into(), value.to_owned()])
    });
    given.flatten().collect()
}
