//! Whether a person is asked before something may be destroyed, and how long it may take.

use crate::settings::{ASK_TIMEOUT, CONFIRM};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches};
use handeye_act::confirm::Confirm;
use handeye_call::client::PATIENCE_WITH_PEOPLE;
use handeye_core::Result;
use std::str::FromStr;
use std::time::Duration;

/// The flag of a server.
pub(crate) fn argument_of_confirm() -> Arg {
    let parser = PossibleValuesParser::new(Confirm::NAMES).try_map(|name| Confirm::from_str(&name)).into();
    CONFIRM.argument_read_by("WHEN", parser)
}

/// Whether a person is asked, and how long they may take: by the flag, else what is set without it, else the defaults.
///
/// # Errors
/// If a setting cannot be understood.
pub fn asking(matches: &ArgMatches) -> Result<(Confirm, Duration)> {
    Ok((
        CONFIRM.chosen(matches)?.unwrap_or_default(),
        ASK_TIMEOUT.configured()?.unwrap_or(PATIENCE_WITH_PEOPLE),
    ))
}
