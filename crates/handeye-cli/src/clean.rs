//! `handeye clean`: removes screenshots that nobody asked to keep.

use crate::exit::{report, unprinted};
use crate::output::{Output, harmless};
use crate::pictures;
use clap::{Arg, ArgAction, ArgMatches, Command};
use handeye_core::ErrorCode;
use handeye_shots::delivery::{self, Cleaned};
use serde_json::json;
use std::process::ExitCode;
use std::time::Duration;

/// How many paths are printed for people.
const MOST_LINES: usize = 20;

/// The `clean` command.
pub(crate) fn command() -> Command {
    let [directory, _keep] = pictures::folder_arguments();
    Command::new("clean")
        .about("Remove old screenshots")
        .long_about(
            "Removes the screenshots in the folder for screenshots (files that handeye named, page-TIME.png), and \
             temporary folders of screenshot_app_window that have expired. Other files stay.",
        )
        .arg(directory)
        .arg(
            Arg::new("older-than")
                .long("older-than")
                .value_name("AGE")
                .value_parser(age)
                .help("Only screenshots older than this: 30s, 10m, 12h, 7d or 2w"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .short('n')
                .action(ArgAction::SetTrue)
                .help("Only show what would be removed"),
        )
}

/// Cleans and prints what is gone. Exit code 1 when something could not be removed.
pub fn clean(matches: &ArgMatches, output: &Output) -> ExitCode {
    let dry_run = matches.get_flag("dry-run");
    let older_than = matches.get_one::<Duration>("older-than").copied();
    let cleaned =
        pictures::delivery(matches).and_then(|settings| delivery::clean(&settings, older_than, dry_run));
    match cleaned {
        Ok(cleaned) => {
            let messages: Vec<String> = cleaned
                .failed
                .iter()
                .map(|(path, why)| format!("{} could not be removed: {why}", path.display()))
                .collect();
            let verdict = if messages.is_empty() { 0 } else { ErrorCode::Io.exit_code() };
            let printed =
                output.answer(&fields(&cleaned, dry_run), &messages, || harmless(&text(&cleaned, dry_run)));
            printed.map_or_else(|fault| unprinted(&fault), |()| ExitCode::from(verdict))
        }
        Err(error) => report(&error, output),
    }
}

fn fields(cleaned: &Cleaned, dry_run: bool) -> serde_json::Value {
    let removed = cleaned
        .removed
        .iter()
        .map(|trace| json!({"path": trace.path.display().to_string(), "bytes": trace.bytes}));
    let failed =
        cleaned.failed.iter().map(|(path, why)| json!({"path": path.display().to_string(), "reason": why}));
    json!({
        "dry_run": dry_run,
        "removed": removed.collect::<Vec<_>>(),
        "bytes": bytes(cleaned),
        "failed": failed.collect::<Vec<_>>(),
    })
}

fn text(cleaned: &Cleaned, dry_run: bool) -> String {
    let done = if dry_run { "Would remove" } else { "Removed" };
    let count = match cleaned.removed.len() {
        0 => return "Nothing to remove.".into(),
        1 => "1 item".to_owned(),
        count => format!("{count} items"),
    };
    let mut lines = vec![format!("{done} {count}, {} kB.", bytes(cleaned).div_ceil(1_000))];
    lines.extend(cleaned.removed.iter().take(MOST_LINES).map(|trace| format!("  {}", trace.path.display())));
    let more = cleaned.removed.len().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.push(format!("  and {more} more: --format json lists them all."));
    }
    lines.join("\n")
}

fn bytes(cleaned: &Cleaned) -> u64 {
    cleaned.removed.iter().map(|trace| trace.bytes).sum()
}

/// Reads an age such as `7d`.
fn age(text: &str) -> Result<Duration, String> {
    let malformed = || format!("'{text}' is not an age such as 30s, 10m, 12h, 7d or 2w");
    let unit = text.chars().last().ok_or_else(malformed)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(malformed()),
    };
    let number = &text[..text.len() - unit.len_utf8()];
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = number.parse().ok().filter(|_| digits).ok_or_else(malformed)?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_shots::delivery::Trace;

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        for (text, seconds) in
            [("0s", 0), ("30s", 30), ("10m", 600), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600)]
        {
            assert_eq!(age(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for bad in ["", "7", "d", "-1d", "+1d", "1.5h", "7 d", "7y", "99999999999999999w", "7é"] {
            assert!(age(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn it_says_what_is_gone() {
        let trace = |name: usize| Trace { path: format!("/shots/{name}").into(), bytes: 700 };
        let cleaned = |count| Cleaned { removed: (0..count).map(trace).collect(), failed: Vec::new() };
        assert_eq!(text(&cleaned(0), false), "Nothing to remove.");
        assert_eq!(text(&cleaned(1), true), "Would remove 1 item, 1 kB.\n  /shots/0");
        let many = text(&cleaned(23), false);
        assert!(many.starts_with("Removed 23 items, 17 kB.\n"), "{many}");
        assert!(many.ends_with("and 3 more: --format json lists them all."), "{many}");
    }
}
