//! How a command ends: exit codes, and errors that a person can read or a program can parse.

use crate::asked_format::asked_format;
use crate::envelope;
use crate::failure::Failure;
use crate::format::Format;
use crate::output::{Output, complain, harmless, paint, print_json, wants_colour};
use anstyle::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue};
use handeye_core::{Error, ErrorCode};
use handeye_engine::Dialect;
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
    (10, "image, list, analyze: several applications fit the name (AMBIGUOUS_APP_IDENTIFIER)"),
    (11, "image, list, analyze: no display (PERMISSION_ERROR_SCREEN_RECORDING)"),
    (12, "image, list, analyze: no accessibility (PERMISSION_ERROR_ACCESSIBILITY)"),
    (13, "image, list, analyze: the pixels could not be read (CAPTURE_FAILED)"),
    (14, "image, list, analyze: a file could not be read or written (FILE_IO_ERROR)"),
    (15, "image, list, analyze: anything that Peekaboo has no code for (UNKNOWN_ERROR)"),
    (
        16,
        "assert, diff: what was asserted does not hold, or the picture differs; audit verify: the log was changed",
    ),
];

/// The exit code of each error code of Peekaboo, in the commands that it has (1.1.2, section II.A.4 and 5). Where the code
/// means the same as a general exit code, it is that one. `SIPS_ERROR` has none: no other program converts pictures here.
pub const PEEKABOO_EXIT_CODES: &[(&str, u8)] = &[
    ("INTERNAL_SWIFT_ERROR", 1),
    ("INVALID_ARGUMENT", 2),
    ("APP_NOT_FOUND", 3),
    ("WINDOW_NOT_FOUND", 4),
    ("SWIFT_CLI_TIMEOUT", 7),
    ("AMBIGUOUS_APP_IDENTIFIER", 10),
    ("PERMISSION_ERROR_SCREEN_RECORDING", 11),
    ("PERMISSION_ERROR_ACCESSIBILITY", 12),
    ("CAPTURE_FAILED", 13),
    ("FILE_IO_ERROR", 14),
    ("UNKNOWN_ERROR", 15),
];

/// The exit code of a command that ends with this error.
pub(crate) fn exit_code(code: ErrorCode, dialect: Dialect) -> u8 {
    let of_peekaboo = || {
        let name = dialect.code(code)?;
        PEEKABOO_EXIT_CODES.iter().find(|(known, _)| *known == name).map(|(_, exit)| *exit)
    };
    match dialect {
        Dialect::Peekaboo => of_peekaboo().unwrap_or(code.exit_code()),
        Dialect::Handeye | Dialect::ScreenshotMac => code.exit_code(),
    }
}

/// Prints an error (a block on standard error, or a JSON document on standard output) and gives its exit code.
pub fn report(error: &Error, output: &Output) -> ExitCode {
    report_as(&error.into(), Dialect::Handeye, output)
}

/// Prints the failure of a command whose clients know the codes of `dialect`.
pub(crate) fn report_as(failure: &Failure, dialect: Dialect, output: &Output) -> ExitCode {
    let error = &failure.error;
    let printed = match output.format {
        Format::Quiet => Ok(()),
        Format::Json => print_json(&json!({ "error": failure.fields() })),
        Format::Envelope => print_json(&envelope::failure(error, &output.debug_logs)),
        Format::Text => {
            complain(&block(error, wants_colour(std::io::stderr().is_terminal())));
            Ok(())
        }
    };
    if let Err(fault) = printed {
        return unprinted(&fault);
    }
    ExitCode::from(exit_code(error.code, dialect))
}

/// Standard output takes nothing.
pub(crate) fn unprinted(fault: &std::io::Error) -> ExitCode {
    complain(&format!("error: standard output: {fault}\n"));
    ExitCode::FAILURE
}

/// Prints what is wrong with the command line itself, as clap words it, and gives its exit code. Help and version,
/// which clap reports the same way, go to standard output.
pub fn usage_error(fault: &clap::Error, arguments: impl IntoIterator<Item = String>) -> ExitCode {
    let output = Output::new(asked_format(arguments));
    let asked_for = !fault.use_stderr();
    match output.format {
        Format::Envelope if asked_for => {
            let text = fault.render().to_string();
            output
                .answer(&json!({ "text": text }), &[], String::new)
                .err()
                .map_or(ExitCode::SUCCESS, |fault| unprinted(&fault))
        }
        Format::Json | Format::Envelope if !asked_for => report(&as_error(fault), &output),
        Format::Quiet if !asked_for => ExitCode::from(ErrorCode::InvalidParameter.exit_code()),
        Format::Text | Format::Json | Format::Quiet | Format::Envelope => {
            if fault.print().is_err() {
                tracing::debug!("the reader of the help text has left");
            }
            ExitCode::from(if asked_for { 0 } else { ErrorCode::InvalidParameter.exit_code() })
        }
    }
}

/// Reports an error that keeps the command from beginning: printed as the command line, which is not parsed for it, asks.
pub fn early_error(error: &Error, arguments: impl IntoIterator<Item = String>) -> ExitCode {
    report(error, &Output::new(asked_format(arguments)))
}

/// What clap says, as an error. It has no text of what is wrong but the first paragraph of what it prints.
fn as_error(fault: &clap::Error) -> Error {
    let text = fault.render().to_string();
    let what: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let message = what.join(" ");
    Error::new(ErrorCode::InvalidParameter, message.trim_start_matches("error: "))
        .with_next(tip(fault).unwrap_or_else(|| "Run the command with --help.".to_owned()))
}

/// What would help, as clap knows it: names that are near, or else a remark.
fn tip(fault: &clap::Error) -> Option<String> {
    const SIMILAR: [(ContextKind, &str); 3] = [
        (ContextKind::SuggestedSubcommand, "subcommand"),
        (ContextKind::SuggestedArg, "argument"),
        (ContextKind::SuggestedValue, "value"),
    ];
    let near = |(kind, what): (ContextKind, &str)| {
        let names = match fault.get(kind)? {
            ContextValue::String(name) => std::slice::from_ref(name),
            ContextValue::Strings(names) => names.as_slice(),
            _ => return None,
        };
        let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        match quoted.as_slice() {
            [] => None,
            [name] => Some(format!("a similar {what} exists: {name}")),
            several => Some(format!("some similar {what}s exist: {}", several.join(", "))),
        }
    };
    SIMILAR.into_iter().find_map(near).or_else(|| match fault.get(ContextKind::Suggested)? {
        ContextValue::StyledStrs(remarks) => remarks.first().map(ToString::to_string),
        _ => None,
    })
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
    use clap::{Arg, ArgAction, Command};
    use std::collections::HashSet;

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
    fn what_is_wrong_with_a_command_line_is_reported_whole() {
        let faulty = |words: &str| {
            let app = Arg::new("app").long("app").required(true).value_name("APP");
            let sort = Arg::new("sort").long("sort").value_parser(["name", "pid"]).action(ArgAction::Append);
            let apps = Command::new("apps").args([app, sort, Arg::new("name")]);
            let fault = Command::new("handeye").subcommand(apps).try_get_matches_from(words.split(' '));
            as_error(&fault.expect_err(words))
        };
        let error = faulty("handeye apps");
        assert_eq!(error.message, "the following required arguments were not provided: --app <APP>");
        assert_eq!(error.next.as_deref(), Some("Run the command with --help."));
        for (words, tip) in [
            ("handeye aps", "a similar subcommand exists: 'apps'"),
            ("handeye apps --ap x", "a similar argument exists: '--app'"),
            ("handeye apps --app x --sort nam", "a similar value exists: 'name'"),
            ("handeye apps --app x --zzz", "to pass '--zzz' as a value, use '-- --zzz'"),
        ] {
            assert_eq!(faulty(words).next.as_deref(), Some(tip), "{words}");
        }
    }

    #[test]
    fn every_error_has_a_documented_exit_code() {
        for code in ErrorCode::ALL {
            assert!(EXIT_CODES.iter().any(|(exit, _)| *exit == code.exit_code()), "{code}");
        }
    }

    #[test]
    fn peekaboo_1_1_2_ii_a_5_every_code_has_an_exit_code_of_its_own() {
        let exits: HashSet<u8> = PEEKABOO_EXIT_CODES.iter().map(|(_, exit)| *exit).collect();
        assert_eq!(exits.len(), PEEKABOO_EXIT_CODES.len());
        for (name, exit) in PEEKABOO_EXIT_CODES {
            assert!(EXIT_CODES.iter().any(|(documented, _)| documented == exit), "{name}");
        }
        for code in ErrorCode::ALL {
            let name = Dialect::Peekaboo.code(*code).expect("Peekaboo has a code for everything");
            let exit = exit_code(*code, Dialect::Peekaboo);
            assert!(PEEKABOO_EXIT_CODES.contains(&(name, exit)), "{code}: {name} {exit}");
        }
    }
}
