//! Whether a person is asked before something may be destroyed, and how long it may take.

use crate::pictures::{argument, setting};
use crate::settings::{ASK_TIMEOUT, CONFIRM};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches};
use handeye_act::confirm::Confirm;
use handeye_call::client::PATIENCE_WITH_PEOPLE;
use handeye_core::Result;
use std::str::FromStr;
use std::time::Duration;

/// Longest time for one question: a call with all its questions ends after ten minutes.
const LONGEST: u64 = 600;

/// The flag of a server.
pub(crate) fn argument_of_confirm() -> Arg {
    let parser = PossibleValuesParser::new(Confirm::NAMES).try_map(|name| Confirm::from_str(&name)).into();
    argument(&CONFIRM, "WHEN", parser)
}

/// Whether a person is asked, and how long they may take: by the flag, else what is set without it, else the defaults.
///
/// # Errors
/// If a setting cannot be understood.
pub fn asking(matches: &ArgMatches) -> Result<(Confirm, Duration)> {
    let confirm = |text: &str| Confirm::from_str(text).map_err(|error| error.message);
    Ok((
        setting(matches, &CONFIRM, confirm)?.unwrap_or_default(),
        ASK_TIMEOUT.parsed(patience)?.unwrap_or(PATIENCE_WITH_PEOPLE),
    ))
}

fn patience(text: &str) -> std::result::Result<Duration, String> {
    match text.trim().parse::<u64>() {
        Ok(seconds @ 1..=LONGEST) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("'{text}' is not a number of seconds from 1 to {LONGEST}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_defaults_are_the_real_ones() {
        assert_eq!(CONFIRM.default.parse(), Ok(Confirm::default()));
        assert_eq!(patience(ASK_TIMEOUT.default), Ok(PATIENCE_WITH_PEOPLE));
        for bad in ["", "0", "-1", "5m", "601"] {
            assert!(patience(bad).is_err(), "{bad}");
        }
    }
}
