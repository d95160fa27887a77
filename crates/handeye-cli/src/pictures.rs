//! Where pictures go: the flags and variables of [`Delivery`].

use crate::settings::{IMAGE_RESPONSES, SCREENSHOT_DIR, SCREENSHOT_KEEP, SCREENSHOT_TTL, Setting};
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, value_parser};
use handeye_core::Result;
use handeye_shots::delivery::{Delivery, Keep, Responses};
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The flags of every command that makes pictures.
pub(crate) fn folder_arguments() -> [Arg; 2] {
    [
        argument(&SCREENSHOT_DIR, "DIR", value_parser!(PathBuf)),
        argument(&SCREENSHOT_KEEP, "N|SIZE", ValueParser::new(Keep::from_str)),
    ]
}

/// The flag of the server alone: what an answer carries.
fn responses_argument() -> Arg {
    argument(&IMAGE_RESPONSES, "file|inline|omit", ValueParser::new(Responses::from_str))
}

/// The flags of a server.
pub(crate) fn delivery_arguments() -> Vec<Arg> {
    let [directory, keep] = folder_arguments();
    vec![directory, responses_argument(), keep]
}

/// A flag. Its variable is read later, as an empty one counts as unset.
pub(crate) fn argument(setting: &Setting, value: &'static str, parser: ValueParser) -> Arg {
    let name = setting.flag.unwrap_or(setting.variable);
    Arg::new(name)
        .long(name)
        .value_name(value)
        .value_parser(parser)
        .help(format!("{} [default: {}]", setting.help, setting.default))
}

/// The flags of these settings as they were given.
pub(crate) fn given(matches: &ArgMatches, settings: &[&Setting]) -> Vec<OsString> {
    let flags = settings.iter().filter_map(|setting| setting.flag);
    let given = flags.filter_map(|flag| {
        let value = matches.try_get_raw(flag).ok().flatten()?.next()?;
        Some([format!("--{flag}").into(), value.to_owned()])
    });
    given.flatten().collect()
}

/// How pictures are delivered: by the flags, else what is set without them, else the defaults.
pub fn delivery(matches: &ArgMatches) -> Result<Delivery> {
    let default = Delivery::default();
    Ok(Delivery {
        working_directory: default.working_directory,
        directory: setting(matches, &SCREENSHOT_DIR, |text| Ok(PathBuf::from(text)))?
            .unwrap_or(default.directory),
        // A shell is told the path whatever a server is configured to.
        responses: match matches.try_contains_id(IMAGE_RESPONSES.flag.unwrap_or_default()) {
            Ok(_) => setting(matches, &IMAGE_RESPONSES, Responses::from_str)?.unwrap_or(default.responses),
            Err(_) => default.responses,
        },
        keep: setting(matches, &SCREENSHOT_KEEP, Keep::from_str)?.unwrap_or(default.keep),
        temporary_life: SCREENSHOT_TTL.parsed(life)?.unwrap_or(default.temporary_life),
    })
}

/// What a flag says, else what is set without it; a command may not have the flag.
pub(crate) fn setting<T: Clone + Send + Sync + 'static>(
    matches: &ArgMatches,
    setting: &Setting,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>> {
    let flag = setting.flag.and_then(|flag| matches.try_get_one::<T>(flag).ok().flatten());
    flag.map_or_else(|| setting.parsed(parse), |value| Ok(Some(value.clone())))
}

/// A number of milliseconds; 0 is without end.
fn life(text: &str) -> Result<Option<Duration>, String> {
    match text.trim().parse::<u64>() {
        Ok(0) => Ok(None),
        Ok(milliseconds) => Ok(Some(Duration::from_millis(milliseconds))),
        Err(_) => Err(format!("'{text}' is not a number of milliseconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    fn matches(words: &[&str]) -> ArgMatches {
        Command::new("serve")
            .args(delivery_arguments())
            .try_get_matches_from(std::iter::once("serve").chain(words.iter().copied()))
            .expect("valid")
    }

    #[test]
    fn flags_are_read() {
        let words = ["--screenshot-dir", "a b", "--image-responses", "omit", "--screenshot-keep", "5 MB"];
        let given = matches(&words);
        let delivery = delivery(&given).expect("valid");
        assert_eq!(delivery.directory, PathBuf::from("a b"));
        assert_eq!((delivery.responses, delivery.keep), (Responses::Omit, Keep::Bytes(5_000_000)));
    }

    #[test]
    fn the_documented_defaults_are_the_real_ones() {
        let default = Delivery::default();
        assert_eq!(PathBuf::from(SCREENSHOT_DIR.default), default.directory);
        assert_eq!(IMAGE_RESPONSES.default.parse(), Ok(default.responses));
        assert_eq!(SCREENSHOT_KEEP.default.parse(), Ok(default.keep));
        assert_eq!(life(SCREENSHOT_TTL.default), Ok(default.temporary_life));
    }

    #[test]
    fn mcp_screenshot_mac_4_3_a_life_of_0_is_without_end() {
        assert_eq!(life("0"), Ok(None));
        assert_eq!(life("1500"), Ok(Some(Duration::from_millis(1500))));
        for bad in ["-1", "10s", "", "1e3"] {
            assert!(life(bad).is_err(), "{bad}");
        }
    }
}
