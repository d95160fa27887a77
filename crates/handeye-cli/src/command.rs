//! The command line: one subcommand for each operation, and those that only a shell needs.

use crate::exit::EXIT_CODES;
use crate::output::{Format, complain, write_all};
use crate::settings::{FORMAT, TIMEOUT};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueEnum, value_parser};
use clap_complete::Shell;
use handeye_core::{Error, Result};
use handeye_engine::operation::AnyOperation;
use handeye_engine::registry;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The longest `--timeout` that is accepted, in seconds: a day.
const MAX_TIMEOUT_SECONDS: f64 = 86_400.0;

/// What holds for every command.
#[derive(Debug, Clone, Copy)]
pub struct Globals {
    /// How answers are printed.
    pub format: Format,
    /// How long a call may take, if the user said.
    pub timeout: Option<Duration>,
}

/// Reads the flags that hold for every command.
pub fn globals(matches: &ArgMatches) -> Globals {
    Globals {
        format: matches.get_one::<Format>("format").copied().unwrap_or_default(),
        timeout: matches.get_one::<Duration>("timeout").copied(),
    }
}

/// The whole command line: the operations, `doctor`, `completions`, and `others`, the commands of the binary itself.
pub fn command(others: impl IntoIterator<Item = Command>) -> Command {
    let others: Vec<Command> = others.into_iter().chain([doctor_command(), completions_command()]).collect();
    let overview = overview(&others);
    let mut command = Command::new("handeye")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Eyes and hands on a real desktop: sees applications through their accessibility trees and acts on them")
        .styles(Styles::styled().header(AnsiColor::Green.on_default().bold()).literal(AnsiColor::Cyan.on_default()))
        .help_template("{about}\n\n{usage-heading} {usage}\n{before-help}Options:\n{options}{after-help}")
        .before_help(overview)
        .after_help(after_help())
        .arg_required_else_help(true)
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .infer_long_args(true)
        .arg(format_argument())
        .arg(timeout_argument());
    for operation in registry::all() {
        command = command.subcommand(operation_command(operation.as_ref()));
    }
    command.subcommands(others)
}

fn format_argument() -> Arg {
    Arg::new("format")
        .long("format")
        .global(true)
        .env(FORMAT.variable)
        .hide_env(true)
        .value_parser(value_parser!(Format))
        .default_value(FORMAT.default)
        .hide_possible_values(true)
        .value_name("text|json|quiet")
        .help(FORMAT.help)
}

fn timeout_argument() -> Arg {
    Arg::new("timeout")
        .long("timeout")
        .global(true)
        .env(TIMEOUT.variable)
        .hide_env(true)
        .value_parser(seconds)
        .allow_negative_numbers(true)
        .value_name("SECONDS")
        .help(TIMEOUT.help)
}

fn seconds(text: &str) -> Result<Duration> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= MAX_TIMEOUT_SECONDS => {
            Ok(Duration::from_secs_f64(seconds))
        }
        _ => Err(Error::invalid_parameter(
            "timeout",
            format!("'{text}' is not a number of seconds above 0 and up to a day"),
        )),
    }
}

/// An operation's subcommand. One that answers with a picture can write it to a file.
fn operation_command(operation: &dyn AnyOperation) -> Command {
    // A number below 0 is a bad value to be told of, not an unknown flag.
    let command = operation.command().mut_args(|argument| {
        if argument.get_action().takes_values() { argument.allow_negative_numbers(true) } else { argument }
    });
    if operation.meta().tool != "ax_screenshot" || command.get_arguments().any(|arg| arg.get_id() == "output")
    {
        return command;
    }
    command.arg(
        Arg::new("output")
            .long("output")
            .short('o')
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .help("Where to write the picture; '-' is standard output [default: handeye-APP-TIME.png]"),
    )
}

fn doctor_command() -> Command {
    Command::new("doctor")
        .about("Find out what works here")
        .long_about("Probes everything that handeye needs, and says what to do about what does not work. Exit code 6 when something fails.")
}

fn completions_command() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .long_about("Prints the completion script, for example: handeye completions bash > ~/.local/share/bash-completion/completions/handeye")
        .arg(Arg::new("shell").required(true).value_parser(value_parser!(Shell)).action(ArgAction::Set))
}

/// Prints the completion script for the shell that was asked for.
pub fn completions(matches: &ArgMatches, mut command: Command) -> ExitCode {
    let shell = matches.get_one::<Shell>("shell").copied().unwrap_or(Shell::Bash);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "handeye", &mut script);
    match write_all(&script) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("error: standard output: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

/// The commands, grouped by what they are for. clap can only list them flat.
fn overview(others: &[Command]) -> String {
    let operation_lines = |read_only: bool| {
        registry::all().iter().filter(move |operation| operation.meta().read_only == read_only).map(
            |operation| {
                let meta = operation.meta();
                (meta.command.to_owned(), meta.title.to_owned())
            },
        )
    };
    let other_lines = others.iter().filter(|command| !command.is_hide_set()).map(|command| {
        (command.get_name().to_owned(), command.get_about().map(ToString::to_string).unwrap_or_default())
    });
    let groups: [(&str, Vec<(String, String)>); 3] = [
        ("Look", operation_lines(true).collect()),
        ("Act", operation_lines(false).collect()),
        ("Serve and set up", other_lines.collect()),
    ];
    let width = groups.iter().flat_map(|(_, lines)| lines).map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (heading, lines) in groups.iter().filter(|(_, lines)| !lines.is_empty()) {
        text.push_str(&format!("\n{heading}:\n"));
        for (name, about) in lines {
            text.push_str(&format!("  {name:<width$}  {about}\n"));
        }
    }
    text
}

fn after_help() -> String {
    let codes: Vec<String> =
        EXIT_CODES.iter().map(|(code, meaning)| format!("  {code}  {meaning}")).collect();
    format!(
        "Exit codes:\n{}\n\nExamples:\n  handeye apps\n  handeye tree --app mousepad\n  handeye click Save --app mousepad\n  \
         handeye tree --app mousepad --format json | jq '.children[0]'",
        codes.join("\n")
    )
}

/// The format that the command line asks for, read without parsing it: for errors in the command line itself.
pub(crate) fn asked_format(arguments: impl IntoIterator<Item = impl AsRef<str>>) -> Format {
    let mut last = FORMAT.from_environment();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_ref() {
            "--" => break,
            "--format" => last = arguments.next().map(|value| value.as_ref().to_owned()),
            other => last = other.strip_prefix("--format=").map(ToOwned::to_owned).or(last),
        }
    }
    last.and_then(|name| Format::from_str(&name, false).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_known_even_when_the_rest_is_wrong() {
        assert_eq!(asked_format(["apps", "--format", "json", "--wrong"]), Format::Json);
        assert_eq!(asked_format(["--format=quiet", "apps"]), Format::Quiet);
        assert_eq!(asked_format(["apps", "--", "--format=json"]), Format::Text);
    }

    #[test]
    fn a_timeout_is_a_positive_number_of_seconds() {
        assert_eq!(seconds("1.5").expect("valid"), Duration::from_millis(1500));
        for bad in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
