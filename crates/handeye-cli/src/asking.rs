//! Whether a person is asked before something may be destroyed, and how long it may take.

use crate::pictures::{argument, setting};
use crate::settings::{ASK_TIMEOUT, CONFIRM};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches};
use handeye_core::Result;
use handeye_engine::confirm::Confirm;
use handeye_engine::engine::Engine;
use std::str::FromStr;
use std::time::Duration;

/// Longest time for one question: a call with all its questions ends after ten minutes.
const LONGEST: u64 = 600;

/// The flag of a server.
pub(crate) fn argument_of_confirm() -> Arg {
    let parser = PossibleValuesParser::new(Confirm::NAMES).try_map(|name| Confirm::from_str(&name)).into();
    argument(&CONFIRM, "WHEN", parser)
}

/// Sets how an engine asks: by the flag, else what is set without it, else the defaults.
///
/// # Errors
/// If a setting cannot be understood.
pub fn set_asking(engine: &mut Engine, matches: &ArgMatches) -> Result<()> {
    let confirm = |text: &str| Confirm::from_str(text).map_err(|error| error.message);
    if let Some(confirm) = setting(matches, &CONFIRM, confirm)? {
        engine.confirm = confirm;
    }
    if let Some(patience) = ASK_TIMEOUT.parsed(patience)? {
        engine.patience = patience;
    }
    Ok(())
}

fn patience(text: &str) -> std::result::Result<Duration, String> {
    match text.trim().parse::<u64>() {
        Ok(seconds @ 1..=LONGEST) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("'{text}' is no number of seconds from 1 to {LONGEST}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_engine::client::PATIENCE_WITH_PEOPLE;

    #[test]
    fn the_documented_defaults_are_the_real_ones() {
        assert_eq!(CONFIRM.default.parse(), Ok(Confirm::default()));
        assert_eq!(patience(ASK_TIMEOUT.default), Ok(PATIENCE_WITH_PEOPLE));
        for bad in ["", "0", "-1", "5m", "601"] {
            assert!(patience(bad).is_err(), "{bad}");
        }
    }
}
