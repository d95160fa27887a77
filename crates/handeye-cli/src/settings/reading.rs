//! What reads each kind of setting: texts of flags and variables as people spell them, and the types of the configuration file.

use super::value::Value;
use crate::format::Format;
use clap::ValueEnum;
use handeye_act::confirm::Confirm;
use handeye_auth::Token;
use handeye_core::{Error, SecurityMode};
use handeye_shots::delivery::{Keep, Responses};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The longest deadline of a call, in seconds: a day.
const LONGEST_CALL: f64 = 86_400.0;
/// The longest life of a daemon without a command, in seconds: a week.
const LONGEST_IDLE: f64 = 604_800.0;
/// Longest time for one question, in seconds: a call with all its questions ends after ten minutes.
const LONGEST_QUESTION: u64 = 600;

/// The longest name of a host (RFC 1035, 2.3.4).
const LONGEST_HOST: usize = 253;

/// The text that every kind but numbers, switches and lists has: the configuration file is checked for that when it is read.
fn as_text(value: &Value) -> Result<&str, String> {
    value.as_text().ok_or_else(|| format!("'{value}' is not a text"))
}

/// A text, as it is.
pub(super) fn text(value: &Value) -> Result<String, String> {
    as_text(value).map(str::to_owned)
}

/// A place in the file system.
pub(super) fn path(value: &Value) -> Result<PathBuf, String> {
    as_text(value).map(PathBuf::from)
}

/// A switch, in any of the usual spellings.
pub(super) fn switch(value: &Value) -> Result<bool, String> {
    let spelling = match value {
        Value::Switch(on) => return Ok(*on),
        other => other.to_string().trim().to_ascii_lowercase(),
    };
    match spelling.as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err(format!("'{value}' is neither true nor false")),
    }
}

/// A switch that is on if it cannot be understood: it is there for a reason, and to be on does no harm.
#[allow(clippy::unnecessary_wraps, reason = "it is a Reader")]
pub(super) fn switch_or_on(value: &Value) -> Result<bool, String> {
    Ok(switch(value).unwrap_or(true))
}

/// A switch that any text turns on, as the convention of `NO_COLOR` is.
#[allow(clippy::unnecessary_wraps, reason = "it is a Reader")]
pub(super) fn switch_or_text(value: &Value) -> Result<bool, String> {
    Ok(!matches!(value, Value::Switch(false)))
}

/// Names: a list, or a text in which they are separated by commas.
pub(super) fn names(value: &Value) -> Result<Vec<String>, String> {
    let trimmed = |names: &mut dyn Iterator<Item = &str>| -> Vec<String> {
        names.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    match value {
        Value::List(names) => Ok(trimmed(&mut names.iter().map(String::as_str))),
        other => as_text(other).map(|text| trimmed(&mut text.split(','))),
    }
}

/// A format of answers.
pub(super) fn format(value: &Value) -> Result<Format, String> {
    Format::from_str(as_text(value)?, false)
}

/// Whether a person is asked; true and false are the values of the specification.
pub(super) fn confirm(value: &Value) -> Result<Confirm, String> {
    match switch(value) {
        Ok(true) => Ok(Confirm::Auto),
        Ok(false) => Ok(Confirm::Never),
        Err(_) => Confirm::from_str(as_text(value)?).map_err(|error| error.message),
    }
}

/// How much an agent may do.
pub(super) fn mode(value: &Value) -> Result<SecurityMode, String> {
    as_text(value)?.parse()
}

/// A number of at least one.
pub(super) fn count(value: &Value) -> Result<NonZeroU32, String> {
    let number = value.whole::<u32>().and_then(NonZeroU32::new);
    number.ok_or_else(|| format!("'{value}' is not a number of at least 1"))
}

/// What an answer contains of a picture.
pub(super) fn responses(value: &Value) -> Result<Responses, String> {
    as_text(value)?.parse()
}

/// How much a folder may hold: a count, or a text with a unit.
pub(super) fn keep(value: &Value) -> Result<Keep, String> {
    match value.whole() {
        Some(count @ 1..) => Ok(Keep::Count(count)),
        _ => value.to_string().parse(),
    }
}

/// A file for the audit log; `None` for none.
pub(super) fn audit_place(value: &Value) -> Result<Option<PathBuf>, String> {
    let text = as_text(value)?;
    Ok((!text.trim().eq_ignore_ascii_case("off")).then(|| PathBuf::from(text)))
}

/// The size of a file of the audit log: bytes, or a text with a unit.
pub(super) fn audit_size(value: &Value) -> Result<u64, String> {
    let bytes = match keep(value) {
        Ok(Keep::Count(bytes)) => u64::try_from(bytes).ok(),
        Ok(Keep::Bytes(bytes)) => Some(bytes),
        _ => None,
    };
    bytes
        .filter(|bytes| *bytes >= handeye_ledger::Settings::SMALLEST)
        .ok_or_else(|| format!("'{value}' is not a size of at least 64KiB, such as 16MiB"))
}

/// How many bytes pictures may use.
pub(super) fn picture_room(value: &Value) -> Result<u64, String> {
    match keep(value) {
        Ok(Keep::All) => Ok(u64::MAX),
        Ok(Keep::Bytes(bytes)) => Ok(bytes),
        Ok(Keep::Count(bytes)) => u64::try_from(bytes).map_err(|_| format!("'{value}' is too large")),
        Err(_) => Err(format!("'{value}' is neither all nor a size such as 500MB")),
    }
}

/// How many files of the audit log are kept; `None` for all.
pub(super) fn audit_files(value: &Value) -> Result<Option<usize>, String> {
    match keep(value) {
        Ok(Keep::All) => Ok(None),
        Ok(Keep::Count(count)) => Ok(Some(count)),
        _ => Err(format!("'{value}' is neither all nor a number of files of at least 1")),
    }
}

/// A port; 0 selects a free one.
pub(super) fn port(value: &Value) -> Result<u16, String> {
    value.whole().ok_or_else(|| format!("'{value}' is not a port (a number from 0 to 65535)"))
}

/// An address of this machine.
pub(super) fn address(value: &Value) -> Result<IpAddr, String> {
    match as_text(value)?.trim() {
        "localhost" => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        text => text.parse().map_err(|_| format!("'{text}' is not an IP address such as 127.0.0.1")),
    }
}

/// A port of this machine, or an address with its port.
pub(super) fn address_and_port(value: &Value) -> Result<SocketAddr, String> {
    if let Some(port) = value.whole() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    let text = value.to_string();
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    local
        .map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .or_else(|| text.trim().parse().ok())
        .ok_or_else(|| {
            format!("'{text}' is neither a port nor an IP address with a port such as 127.0.0.1:9464")
        })
}

/// Names of hosts, without scheme, port and wildcards: names, or addresses.
pub(super) fn host_names(value: &Value) -> Result<Vec<String>, String> {
    let is_host = |name: &String| {
        name.parse::<IpAddr>().is_ok()
            || (name.len() <= LONGEST_HOST
                && name.starts_with(|first: char| first.is_ascii_alphanumeric())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)))
    };
    let names = names(value)?;
    match names.iter().find(|name| !is_host(name)) {
        Some(other) => {
            Err(format!("'{other}' is not a host name such as desk.example, without scheme and port"))
        }
        None => Ok(names),
    }
}

/// The token of a server. What is no token is not repeated.
pub(super) fn token(value: &Value) -> Result<Token, String> {
    Token::chosen(as_text(value).map_err(|_| "is not a text".to_owned())?)
}

/// The deadline of a call, in seconds.
pub(super) fn seconds_of_a_call(value: &Value) -> Result<Duration, String> {
    let seconds = match value {
        // Without blanks around it, unlike others.
        Value::Text(text) => text.parse().ok(),
        typed => typed.number(),
    };
    match seconds {
        Some(seconds) if seconds > 0.0 && seconds <= LONGEST_CALL => Ok(Duration::from_secs_f64(seconds)),
        _ => {
            let why = format!("'{value}' is not a number of seconds above 0 and up to a day");
            Err(Error::invalid_parameter("timeout", why).message)
        }
    }
}

/// How long a model may take for one answer, in seconds; `None` if it is not a number, which is reported where models are asked.
#[allow(clippy::unnecessary_wraps, reason = "it is a Reader")]
pub(super) fn seconds_of_an_answer(value: &Value) -> Result<Option<f64>, String> {
    Ok(value.number())
}

/// How long the daemon lives without a command, in seconds.
pub(super) fn idle(value: &Value) -> Result<Duration, String> {
    match value.number() {
        Some(seconds) if seconds > 0.0 && seconds <= LONGEST_IDLE => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("'{value}' is not a number of seconds above 0 and up to a week")),
    }
}

/// How long a person may take for one question, in seconds.
pub(super) fn patience(value: &Value) -> Result<Duration, String> {
    match value.whole() {
        Some(seconds @ 1..=LONGEST_QUESTION) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("'{value}' is not a number of seconds from 1 to {LONGEST_QUESTION}")),
    }
}

/// A number of milliseconds of at least one.
pub(super) fn deadline(value: &Value) -> Result<Duration, String> {
    match value.whole() {
        Some(milliseconds @ 1_u64..) => Ok(Duration::from_millis(milliseconds)),
        _ => Err(format!("'{value}' is not a number of milliseconds of at least 1")),
    }
}

/// A number of milliseconds; 0 is without end.
pub(super) fn life(value: &Value) -> Result<Option<Duration>, String> {
    match value.whole() {
        Some(0) => Ok(None),
        Some(milliseconds) => Ok(Some(Duration::from_millis(milliseconds))),
        None => Err(format!("'{value}' is not a number of milliseconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_and_lists_are_read_as_people_write_them() {
        assert_eq!((switch(&"Yes".into()), switch(&" off ".into())), (Ok(true), Ok(false)));
        assert!(switch(&"maybe".into()).is_err() && switch(&"".into()).is_err());
        assert_eq!((switch_or_on(&"maybe".into()), switch_or_on(&"no".into())), (Ok(true), Ok(false)));
        assert_eq!(names(&" a, b,,c ,".into()).expect("names"), ["a", "b", "c"]);
        assert!(names(&" , ".into()).expect("names").is_empty());
    }

    #[test]
    fn a_switch_of_the_specification_says_whether_a_person_is_asked() {
        for (value, meant) in [
            (Value::Switch(true), Confirm::Auto),
            ("false".into(), Confirm::Never),
            ("always".into(), Confirm::Always),
        ] {
            assert_eq!(confirm(&value), Ok(meant));
        }
        assert!(confirm(&"maybe".into()).is_err());
    }

    #[test]
    fn the_audit_log_has_a_place_a_size_and_a_number_of_files() {
        assert_eq!(
            (audit_place(&" OFF ".into()), audit_place(&"a".into())),
            (Ok(None), Ok(Some("a".into())))
        );
        assert_eq!(
            (audit_size(&"1MiB".into()), audit_size(&Value::Whole(65_536))),
            (Ok(1 << 20), Ok(65_536))
        );
        assert_eq!((audit_files(&"all".into()), audit_files(&"3".into())), (Ok(None), Ok(Some(3))));
        assert_eq!((picture_room(&"2kB".into()), picture_room(&Value::Whole(7))), (Ok(2_000), Ok(7)));
        assert_eq!(picture_room(&"all".into()), Ok(u64::MAX));
        assert!(picture_room(&"0".into()).is_err() && picture_room(&"many".into()).is_err());
        for bad in ["", "0", "1kB", "all", "-1", "many"] {
            assert!(audit_size(&bad.into()).is_err(), "{bad}");
        }
        for bad in ["", "0", "1MiB", "-1", "many"] {
            assert!(audit_files(&bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_for_metrics_is_of_this_machine_unless_it_is_another() {
        let read = |text: &str| address_and_port(&text.into()).map(|address| address.to_string());
        assert_eq!(read("9464"), Ok("127.0.0.1:9464".to_owned()));
        assert_eq!(address_and_port(&Value::Whole(9464)), Ok(SocketAddr::from(([127, 0, 0, 1], 9464))));
        assert_eq!(read("localhost:9464"), Ok("127.0.0.1:9464".to_owned()));
        assert_eq!(read("[::]:9464"), Ok("[::]:9464".to_owned()));
        for bad in ["", "0.0.0.0", "host:9464", ":9464", "70000", "localhost"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn host_names_have_neither_scheme_nor_port() {
        let list = "desk.example, 192.0.2.7,2001:db8::1";
        assert_eq!(host_names(&list.into()).expect("names").len(), 3);
        for bad in ["https://desk.example", "desk.example:8741", "*", "*.example", "a b", "desk/x", "[::1]"] {
            assert!(host_names(&bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_timeout_is_a_positive_number_of_seconds() {
        assert_eq!(seconds_of_a_call(&"1.5".into()).expect("valid"), Duration::from_millis(1500));
        for bad in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
            assert!(seconds_of_a_call(&bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_idle_time_is_a_number_of_seconds() {
        assert_eq!(idle(&" 1.5".into()), Ok(Duration::from_millis(1_500)));
        for bad in ["", "0", "-1", "nan", "inf", "soon", "1e9"] {
            assert!(idle(&bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn patience_is_a_number_of_seconds_up_to_ten_minutes() {
        for bad in ["", "0", "-1", "5m", "601"] {
            assert!(patience(&bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_deadline_is_a_number_of_milliseconds() {
        for bad in ["", "0", "-1", "30s", "1e3"] {
            assert!(deadline(&bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn mcp_screenshot_mac_4_3_a_life_of_0_is_without_end() {
        assert_eq!(life(&"0".into()), Ok(None));
        assert_eq!(life(&"1500".into()), Ok(Some(Duration::from_millis(1500))));
        for bad in ["-1", "10s", "", "1e3"] {
            assert!(life(&bad.into()).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_of_the_configuration_file_keep_their_types() {
        assert_eq!(port(&Value::Whole(8741)), Ok(8741));
        for (bad, shown) in [(Value::Whole(70_000), "'70000'"), (Value::Fraction(8741.0), "'8741.0'")] {
            assert!(port(&bad).is_err_and(|why| why.starts_with(shown)), "{bad}");
        }
        assert_eq!(seconds_of_a_call(&Value::Fraction(2.5)), Ok(Duration::from_millis(2_500)));
        assert_eq!(seconds_of_a_call(&Value::Whole(3)), Ok(Duration::from_secs(3)));
        assert!(seconds_of_a_call(&Value::Whole(-3)).is_err_and(|why| why.contains("'-3'")));
        assert!(patience(&Value::Whole(601)).is_err() && idle(&Value::Fraction(f64::NAN)).is_err());
        assert_eq!(life(&Value::Whole(0)), Ok(None));
        assert!(life(&Value::Fraction(1e30)).is_err_and(|why| why.contains("'1e30'")));
        assert_eq!(
            (keep(&Value::Whole(100)), keep(&"2kB".into())),
            (Ok(Keep::Count(100)), Ok(Keep::Bytes(2_000)))
        );
        assert!(keep(&Value::Whole(0)).is_err() && keep(&Value::Whole(-1)).is_err());
        let list = Value::List(vec![" a ".to_owned(), String::new(), "b,c".to_owned()]);
        assert_eq!(names(&list).expect("names"), ["a", "b,c"], "no list is joined and taken apart again");
        assert_eq!(
            (switch(&Value::Switch(false)), switch_or_text(&Value::Switch(false))),
            (Ok(false), Ok(false))
        );
        assert_eq!(switch_or_text(&"0".into()), Ok(true), "NO_COLOR counts whatever it is set to");
        assert_eq!(seconds_of_an_answer(&" 1.5 ".into()), Ok(Some(1.5)));
        assert_eq!(seconds_of_an_answer(&"soon".into()), Ok(None));
    }
}
