//! How a command ends: exit codes, and errors that a person can read or a program can parse.

use crate::command::asked_format;
use crate::output::{Format, Output, complain, harmless, paint, wants_colour};
use anstyle::{AnsiColor, Style};
use handeye_core::Error;
use serde_json::json;
use std::io::IsTerminal;
use std::process::ExitCode;

/// The exit codes and what they mean.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "done; for an action also when its effect could not be observed"),
    (1, "a fault in handeye, or a file that could not be written"),
    (2, "wrong usage: an unknown flag, a bad value, a query that cannot be parsed"),
    (3, "no such application, several of that name, or it ended"),
    (4, "no such element or window, or a reference to one that is gone"),
    (5, "the action was refused, or the application rejected it"),
    (6, "not possible here: no display, no accessibility, something is not installed"),
    (7, "the deadline passed"),
    (8, "cancelled"),
    (9, "forbidden by the policy"),
];

/// Prints an error (a block on standard error, or a JSON document on standard output) and gives its exit code.
pub fn report(error: &Error, output: Output) -> ExitCode {
    match output.format {
        Format::Quiet => {}
        Format::Json => {
            if let Err(fault) = output.json(&json!({ "error": error })) {
                complain(&format!("error: standard output: {fault}\n"));
            }
        }
        Format::Text => complain(&block(error, wants_colour(std::io::stderr().is_terminal()))),
    }
    ExitCode::from(error.code.exit_code())
}

/// Prints what is wrong with the command line itself, as clap words it, and gives its exit code. Help and version,
/// which clap reports the same way, go to standard output.
pub fn usage_error(fault: &clap::Error, arguments: impl IntoIterator<Item = String>) -> ExitCode {
    let format = asked_format(arguments);
    let asked_for = !fault.use_stderr();
    if asked_for || format == Format::Text {
        if fault.print().is_err() {
            tracing::debug!("the reader of the help text has left");
        }
    } else if format == Format::Json {
        let text = fault.render().to_string();
        let first_line = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let error = Error::new(handeye_core::ErrorCode::InvalidParameter, first_line)
            .with_next("Run the command with --help.");
        return report(&error, Output::new(format));
    }
    ExitCode::from(if asked_for { 0 } else { 2 })
}

fn block(error: &Error, coloured: bool) -> String {
    let head = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    let dim = Style::new().dimmed();
    let line = |label: &str, text: &str| {
        format!("  {} {}", paint(&format!("{label:<6}"), dim, coloured), harmless(text))
    };
    let mut lines = vec![format!(
        "{}: {}",
        paint(&format!("error[{}]", error.code), head, coloured),
        harmless(&error.message)
    )];
    lines.extend(
        error.found.iter().enumerate().map(|(at, found)| line(if at == 0 { "found:" } else { "" }, found)),
    );
    lines.extend(error.next.iter().map(|next| line("next:", next)));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ErrorCode;

    #[test]
    fn an_error_is_a_block() {
        let error = Error::new(ErrorCode::AppNotFound, "no application is called 'x'")
            .with_found(["Mousepad", "Firefox"])
            .with_next("handeye apps");
        assert_eq!(
            block(&error, false),
            "error[app_not_found]: no application is called 'x'\n  found: Mousepad\n         Firefox\n  next:  handeye apps\n"
        );
    }

    #[test]
    fn every_error_has_a_documented_exit_code() {
        for code in ErrorCode::ALL {
            assert!(EXIT_CODES.iter().any(|(exit, _)| *exit == code.exit_code()), "{code}");
        }
    }
}
