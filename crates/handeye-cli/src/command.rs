//! The command line: one subcommand for each operation, and those that only a shell needs.

use crate::audit_log;
use crate::clean;
use crate::completions;
use crate::daemon;
use crate::exit::EXIT_CODES;
use crate::format::Format;
use crate::output::Output;
use crate::pictures;
use crate::settings::{About, FORMAT, NO_DAEMON, NO_INPUT, TIMEOUT, TRUST_TERMINAL};
use crate::skill;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueEnum, value_parser};
use handeye_core::{Error, Result};
use handeye_engine::AnyOperation;
use handeye_service::registry;
use std::time::Duration;

/// How `--format` is called among the arguments; `format` may be an argument of an operation.
const FORMAT_ID: &str = "answer_format";

/// The command that runs a workflow. A recording is one, and is replayed.
const RUN: &str = "run";

/// Under what the help of a command lists the options that every command has, apart from its own.
const COMMON_OPTIONS: &str = "Options of every command";

/// What holds for every command.
#[derive(Debug, Clone, Default)]
pub struct Globals {
    /// How answers are printed.
    pub output: Output,
    /// How long a call may take, if the user set it.
    pub timeout: Option<Duration>,
    /// Whether the command does without the daemon.
    pub alone: bool,
    /// Whether the command asks nobody.
    pub no_input: bool,
    /// Whether a yes at the terminal counts where a person has to confirm.
    pub trusts_terminal: bool,
}

/// Reads the flags that hold for every command.
///
/// # Errors
/// A value of the configuration file that cannot be used.
pub fn globals(matches: &ArgMatches) -> Result<Globals> {
    let format = if matches.get_flag("json_output") { Format::Envelope } else { format(matches)? };
    Ok(Globals {
        output: Output::new(format),
        timeout: TIMEOUT.chosen(matches)?,
        alone: NO_DAEMON.configured()?.unwrap_or(false) || matches.get_flag("no_daemon"),
        no_input: NO_INPUT.configured()?.unwrap_or(false) || matches.get_flag("no_input"),
        trusts_terminal: TRUST_TERMINAL.configured()?.unwrap_or(false),
    })
}

/// The format that stands nearest to the end of the command line, else what is set without it.
fn format(matches: &ArgMatches) -> Result<Format> {
    let mut level = Some(matches);
    let mut chosen = None;
    while let Some(matches) = level {
        if let Ok(here) = matches.try_get_one::<Format>(FORMAT_ID) {
            chosen = here.copied().or(chosen);
        } else {
            // The command's own `--format` is that of a file, and may be that of the answer.
            let own = matches.try_get_one::<String>("format").ok().flatten();
            chosen = own.and_then(|name| Format::from_str(name, false).ok()).or(chosen);
        }
        level = matches.subcommand().map(|(_, inner)| inner);
    }
    match chosen {
        Some(format) => Ok(format),
        None => Ok(FORMAT.configured()?.unwrap_or_default()),
    }
}

/// The whole command line: the operations, `clean`, `doctor`, `completions`, and `others`, the commands of the binary itself.
pub fn command(others: impl IntoIterator<Item = Command>) -> Command {
    let others: Vec<Command> = others
        .into_iter()
        .chain([
            clean::command(),
            skill::command(),
            doctor_command(),
            completions::command(),
            daemon::command::command(),
        ])
        .collect();
    let overview = overview(&others);
    let mut command = Command::new("handeye")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Eyes and hands on a real desktop: reads applications through their accessibility trees and acts on them")
        .styles(Styles::styled().header(AnsiColor::Green.on_default().bold()).literal(AnsiColor::Cyan.on_default()))
        .help_template("{about}\n\n{usage-heading} {usage}\n{before-help}\n{all-args}{after-help}")
        .before_help(overview)
        .after_help(after_help())
        .arg_required_else_help(true)
        .subcommand_required(true)
        .infer_long_args(true)
        .arg(timeout_argument())
        .arg(json_output_argument())
        .arg(switch_argument("no_daemon", &NO_DAEMON.about))
        .arg(switch_argument("no_input", &NO_INPUT.about));
    for operation in registry::all() {
        command = command.subcommand(operation_command(operation.as_ref()));
    }
    with_format(command.subcommands(others))
}

/// The command with `--format`, and so all commands in it. It is not a global argument of clap, because `image --format jpg` is
/// about the picture: there, the answer's format stands before the command (`handeye --format json image`).
fn with_format(command: Command) -> Command {
    let has_its_own = command.get_arguments().any(|argument| argument.get_long() == Some("format"));
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let command = if has_its_own { command } else { command.arg(format_argument()) };
    names.iter().fold(command, |command, name| command.mut_subcommand(name, with_format))
}

fn json_output_argument() -> Arg {
    Arg::new("json_output")
        .long("json-output")
        .help_heading(COMMON_OPTIONS)
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Print one JSON object: success, data, messages and debug_logs, or error with code, message and details; nothing goes to standard error")
}

fn switch_argument(name: &'static str, setting: &About) -> Arg {
    let flag = setting.flag.unwrap_or(name);
    Arg::new(name)
        .long(flag)
        .help_heading(COMMON_OPTIONS)
        .global(true)
        .action(ArgAction::SetTrue)
        .help(setting.help)
}

fn format_argument() -> Arg {
    Arg::new(FORMAT_ID)
        .long("format")
        .help_heading(COMMON_OPTIONS)
        .value_parser(value_parser!(Format))
        .hide_possible_values(true)
        .value_name("text|json|quiet")
        .help(format!("{} [default: {}]", FORMAT.about.help, FORMAT.about.default))
}

fn timeout_argument() -> Arg {
    TIMEOUT
        .argument("SECONDS")
        .help_heading(COMMON_OPTIONS)
        .global(true)
        .allow_negative_numbers(true)
        .help(TIMEOUT.about.help)
}

/// An operation's subcommand. One that makes pictures has the flags of their folder.
fn operation_command(operation: &dyn AnyOperation) -> Command {
    // A number below 0 is to be reported as a bad value, not as an unknown flag.
    let command = operation.command().mut_args(|argument| {
        if argument.get_id() == "query" && argument.is_positional() {
            argument.allow_hyphen_values(true).value_parser(query)
        } else if argument.get_action().takes_values() {
            argument.allow_negative_numbers(true)
        } else {
            argument
        }
    });
    let command = if operation.meta().command == audit_log::COMMAND {
        command
            .subcommands(audit_log::subcommands())
            .args_conflicts_with_subcommands(true)
            .disable_help_subcommand(true)
    } else {
        command
    };
    let command = if operation.meta().command == RUN { command.visible_alias("replay") } else { command };
    if operation.meta().pictures { command.args(pictures::folder_arguments()) } else { command }
}

/// A query may be a line of an outline, `- button "Save"`. Anything else with a dash in front is a flag, misspelt.
fn query(text: &str) -> Result<String> {
    if text.starts_with('-') && !text.starts_with("- ") {
        return Err(Error::invalid_parameter(
            "query",
            "begins with a dash, and no flag has this name; a query of that form stands after --",
        ));
    }
    Ok(text.to_owned())
}

fn doctor_command() -> Command {
    Command::new("doctor")
        .about("Find out what works here")
        .long_about("Probes everything that handeye needs, and says what to do about what does not work. Exit code 6 when something fails.")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked_format::asked_format;

    /// The command line with a command whose `--format` is that of a picture.
    fn command_line() -> Command {
        let image = Command::new("picture").arg(Arg::new("format").long("format").default_value("png"));
        command([image, Command::new("outer").subcommand(Command::new("inner"))])
    }

    fn parsed(words: &[&str]) -> (Format, Option<String>) {
        let matches = command_line().try_get_matches_from([&["handeye"], words].concat()).expect("valid");
        let picture =
            matches.subcommand_matches("picture").and_then(|picture| picture.get_one::<String>("format"));
        (globals(&matches).expect("sound").output.format, picture.cloned())
    }

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        command_line().debug_assert();
    }

    #[test]
    fn the_format_of_a_picture_is_not_that_of_the_answer() {
        assert_eq!(parsed(&["picture", "--format", "jpg"]), (Format::Text, Some("jpg".into())));
        assert_eq!(
            parsed(&["--format", "json", "picture", "--format", "jpg"]),
            (Format::Json, Some("jpg".into()))
        );
        assert_eq!(parsed(&["--format", "json", "picture"]), (Format::Json, Some("png".into())));
        assert_eq!(parsed(&["picture", "--format", "json"]), (Format::Json, Some("json".into())));
        assert_eq!(parsed(&["picture", "--json-output"]), (Format::Envelope, Some("png".into())));
    }

    #[test]
    fn a_query_may_be_a_line_of_an_outline_and_is_no_misspelt_flag() {
        let found = |words: &[&str]| {
            let matches = command_line().try_get_matches_from([&["handeye"], words].concat()).ok()?;
            matches.subcommand_matches("find")?.get_one::<String>("query").cloned()
        };
        for words in [
            &["find", "- menu \"File\"", "--app", "mousepad"][..],
            &["find", "--app", "mousepad", "- menu \"File\""],
            &["find", "--", "- menu \"File\""],
        ] {
            assert_eq!(found(words).as_deref(), Some("- menu \"File\""), "{words:?}");
        }
        assert_eq!(found(&["find", "--app", "mousepad", "Save"]).as_deref(), Some("Save"));
        assert_eq!(found(&["find", "--nonsense"]), None);
        assert_eq!(found(&["find", "Save", "--nonsense"]), None);
    }

    #[test]
    fn the_format_may_stand_at_every_level() {
        for words in [
            &["--format", "json", "apps"][..],
            &["apps", "--format", "json"],
            &["--format", "quiet", "apps", "--format", "json"],
            &["outer", "inner", "--format", "json"],
            &["outer", "--format", "json", "inner"],
        ] {
            assert_eq!(parsed(words).0, Format::Json, "{words:?}");
        }
        assert_eq!(parsed(&["--json-output", "--format", "quiet", "apps"]).0, Format::Envelope);
        assert_eq!(parsed(&["apps"]).0, Format::Text);
    }

    #[test]
    fn the_format_is_known_even_when_the_rest_is_wrong() {
        assert_eq!(asked_format(["apps", "--format", "json", "--wrong"]), Format::Json);
        assert_eq!(asked_format(["--format=quiet", "apps"]), Format::Quiet);
        assert_eq!(asked_format(["apps", "--", "--format=json"]), Format::Text);
        assert_eq!(asked_format(["--format", "json", "image", "--format", "jpg"]), Format::Json);
        assert_eq!(asked_format(["aps", "--json-output", "--format", "json"]), Format::Envelope);
        assert_eq!(asked_format(["aps", "--json-out"]), Format::Envelope);
        assert_eq!(asked_format(["desktop", "start", "--json", "--wrong"]), Format::Text);
    }
}
