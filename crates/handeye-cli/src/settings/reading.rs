//! The spellings of values: what reads each kind of setting.

use crate::format::Format;
use clap::ValueEnum;
use handeye_act::confirm::Confirm;
use handeye_core::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The longest deadline of a call, in seconds: a day.
const LONGEST_CALL: f64 = 86_400.0;
/// The longest life of a daemon without a command, in seconds: a week.
const LONGEST_IDLE: f64 = 604_800.0;
/// Longest time for one question, in seconds: a call with all its questions ends after ten minutes.
const LONGEST_QUESTION: u64 = 600;

/// A text, as it is.
#[allow(clippy::unnecessary_wraps, reason = "it is a Reader")]
pub(super) fn text(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// A place in the file system.
#[allow(clippy::unnecessary_wraps, reason = "it is a Reader")]
pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    Ok(PathBuf::from(text))
}

/// A switch, in any of the usual spellings.
pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("'{text}' is neither true nor false")),
    }
}

/// A switch that is on if it cannot be understood: it is there for a reason, and to be on does no harm.
#[allow(clippy::unnecessary_wraps, reason = "it is a Reader")]
pub(super) fn switch_or_on(text: &str) -> Result<bool, String> {
    Ok(switch(text).unwrap_or(true))
}

/// Names that are separated by commas.
#[allow(clippy::unnecessary_wraps, reason = "it is a Reader")]
pub(super) fn names(text: &str) -> Result<Vec<String>, String> {
    Ok(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// A format of answers.
pub(super) fn format(name: &str) -> Result<Format, String> {
    Format::from_str(name, false)
}

/// Whether a person is asked.
pub(super) fn confirm(name: &str) -> Result<Confirm, String> {
    Confirm::from_str(name).map_err(|error| error.message)
}

/// A port; 0 selects a free one.
pub(super) fn port(text: &str) -> Result<u16, String> {
    text.trim().parse().map_err(|_| format!("'{text}' is not a port (a number from 0 to 65535)"))
}

/// An address of this machine.
pub(super) fn address(text: &str) -> Result<IpAddr, String> {
    match text.trim() {
        "localhost" => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        text => text.parse().map_err(|_| format!("'{text}' is not an IP address such as 127.0.0.1")),
    }
}

/// The deadline of a call, in seconds.
pub(super) fn seconds_of_a_call(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= LONGEST_CALL => Ok(Duration::from_secs_f64(seconds)),
        _ => {
            let why = format!("'{text}' is not a number of seconds above 0 and up to a day");
            Err(Error::invalid_parameter("timeout", why).message)
        }
    }
}

/// How long the daemon lives without a command, in seconds.
pub(super) fn idle(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= LONGEST_IDLE => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("'{text}' is not a number of seconds above 0 and up to a week")),
    }
}

/// How long a person may take for one question, in seconds.
pub(super) fn patience(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<u64>() {
        Ok(seconds @ 1..=LONGEST_QUESTION) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("'{text}' is not a number of seconds from 1 to {LONGEST_QUESTION}")),
    }
}

/// A number of milliseconds of at least one.
pub(super) fn deadline(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<u64>() {
        Ok(milliseconds @ 1..) => Ok(Duration::from_millis(milliseconds)),
        _ => Err(format!("'{text}' is not a number of milliseconds of at least 1")),
    }
}

/// A number of milliseconds; 0 is without end.
pub(super) fn life(text: &str) -> Result<Option<Duration>, String> {
    match text.trim().parse::<u64>() {
        Ok(0) => Ok(None),
        Ok(milliseconds) => Ok(Some(Duration::from_millis(milliseconds))),
        Err(_) => Err(format!("'{text}' is not a number of milliseconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_and_lists_are_read_as_people_write_them() {
        assert_eq!((switch("Yes"), switch(" off ")), (Ok(true), Ok(false)));
        assert!(switch("maybe").is_err() && switch("").is_err());
        assert_eq!((switch_or_on("maybe"), switch_or_on("no")), (Ok(true), Ok(false)));
        assert_eq!(names(" a, b,,c ,").expect("names"), ["a", "b", "c"]);
        assert!(names(" , ").expect("names").is_empty());
    }

    #[test]
    fn a_timeout_is_a_positive_number_of_seconds() {
        assert_eq!(seconds_of_a_call("1.5").expect("valid"), Duration::from_millis(1500));
        for bad in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
            assert!(seconds_of_a_call(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_idle_time_is_a_number_of_seconds() {
        assert_eq!(idle(" 1.5"), Ok(Duration::from_millis(1_500)));
        for bad in ["", "0", "-1", "nan", "inf", "soon", "1e9"] {
            assert!(idle(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn patience_is_a_number_of_seconds_up_to_ten_minutes() {
        for bad in ["", "0", "-1", "5m", "601"] {
            assert!(patience(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_deadline_is_a_number_of_milliseconds() {
        for bad in ["", "0", "-1", "30s", "1e3"] {
            assert!(deadline(bad).is_err(), "{bad}");
        }
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
