//! `handeye mcp install | uninstall | list | doctor`: handeye among the servers of the MCP clients of this machine, and `handeye mcp token`
//! for those that come over HTTP. None of these commands needs a desktop.

mod change;
mod check;
mod list;
mod token;
mod trial;

use crate::screen_size::parse_size;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};
use handeye_cli::{Globals, Output};
use handeye_clients::{CLIENTS, Client, Surroundings, client};
use handeye_core::{Error, ErrorCode, Result};
use std::ffi::OsStr;
use std::process::ExitCode;

/// The name of the entry if none is given.
const NAME: &str = "handeye";
/// Longest name of an entry.
const LONGEST_NAME: usize = 64;
/// The heading of the flags that become arguments of the server.
const PASSED_ON: &str = "Options of the server that the client starts";

/// The commands.
pub(crate) fn commands() -> [Command; 5] {
    [install_command(), uninstall_command(), list_command(), doctor_command(), token::command()]
}

fn install_command() -> Command {
    let server = handeye_cli::server_arguments().into_iter().map(|argument| argument.help_heading(PASSED_ON));
    Command::new("install")
        .about("Add handeye to the servers of MCP clients")
        .long_about(
            "Adds handeye to the servers of MCP clients: writes an entry into the configuration file of each client that is named, or \
             of all that are found on this machine. Comments and other settings are kept, and a backup is made beside the file \
             (FILE.handeye-backup, FILE.handeye-backup-2, …).\n\n\
             At a terminal, the changes are shown and you are asked before anything is written. Where nobody can be asked (a pipe, \
             --no-input, --format json), clients that are named are written; without names, --yes is needed.",
        )
        .arg(clients())
        .arg(name())
        .arg(dry_run())
        .arg(yes())
        .arg(force().help("Replace another server of that name"))
        .arg(
            Arg::new("desktop")
                .long("desktop")
                .value_parser(["current", "private"])
                .help_heading(PASSED_ON)
                .help("Work on the desktop of the client [default], or on a private one of its own"),
        )
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("WxH")
                .help_heading(PASSED_ON)
                .value_parser(|text: &str| parse_size(text).map(|_| text.to_owned()))
                .help("Size of the private desktop, in pixels"),
        )
        .arg(
            Arg::new("isolate")
                .long("isolate")
                .action(ArgAction::SetTrue)
                .help_heading(PASSED_ON)
                .help("Run the programs of the private desktop in a sandbox"),
        )
        .arg(shared("allow-path", "PATH[:rw]", "A file or folder that programs in the sandbox see"))
        .arg(shared("allow-host", "HOST:PORT", "A host that programs in the sandbox reach over TCP"))
        .args(server)
}

/// What programs in the sandbox have; the option can be given several times.
fn shared(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .action(ArgAction::Append)
        .requires("isolate")
        .help_heading(PASSED_ON)
        .help(help)
}

fn uninstall_command() -> Command {
    Command::new("uninstall")
        .about("Remove handeye from the servers of MCP clients")
        .long_about(
            "Removes handeye from the servers of MCP clients: of those that are named, or of all that have an entry of handeye. A file \
             that has not changed since the installation gets its former bytes back; a file that the installation made is removed.\n\n\
             Asks as `mcp install` does.",
        )
        .arg(clients())
        .arg(name())
        .arg(dry_run())
        .arg(yes())
        .arg(force().help("Remove the entry even if it starts another program"))
}

fn list_command() -> Command {
    Command::new("list")
        .about("List the MCP clients, and whether handeye is among their servers")
        .long_about(
            "Lists the MCP clients that handeye knows, whether each is installed, and its entry of handeye:\n\
             ready: it starts a program that exists; broken: it starts one that does not; foreign: another server has the name; \
             absent: there is none; unreadable: the file cannot be read.",
        )
        .arg(name())
}

fn doctor_command() -> Command {
    Command::new("doctor")
        .about("Check that MCP clients can start handeye")
        .long_about(
            "Checks the clients that are named, or all that are installed: the configuration file can be read, its entry starts a \
             program that exists, and that server answers `initialize` and `tools/list` when it is started with the environment that \
             the client passes. Ends with 6 if a check fails.",
        )
        .arg(clients())
        .arg(name())
}

fn clients() -> Arg {
    Arg::new("clients")
        .value_name("CLIENT")
        .num_args(0..)
        .value_parser(ClientName)
        .help("The clients; without any, those that are found")
}

fn name() -> Arg {
    Arg::new("name")
        .long("name")
        .value_name("NAME")
        .default_value(NAME)
        .value_parser(entry_name)
        .help("What the entry is called")
}

fn dry_run() -> Arg {
    let flag = Arg::new("dry-run").long("dry-run").short('n').action(ArgAction::SetTrue);
    flag.help("Show the changes and write nothing")
}

fn yes() -> Arg {
    Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Write without asking")
}

fn force() -> Arg {
    Arg::new("force").long("force").action(ArgAction::SetTrue)
}

/// A name that every client takes.
fn entry_name(text: &str) -> std::result::Result<String, String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    if (1..=LONGEST_NAME).contains(&text.len()) && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err(format!("a name has 1 to {LONGEST_NAME} letters, digits, - and _"))
    }
}

/// The id or the name of a client. Help and completions list the ids.
#[derive(Debug, Clone)]
struct ClientName;

impl TypedValueParser for ClientName {
    type Value = &'static Client;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> std::result::Result<Self::Value, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, argument, value)?;
        client(&text).map_err(|error| {
            let message = format!("{}\n\n  tip: {}\n", error.message, error.next.unwrap_or_default());
            clap::Error::raw(ErrorKind::InvalidValue, message).with_cmd(command)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(CLIENTS.iter().map(|client| PossibleValue::new(client.id))))
    }
}

/// Runs one of the commands. Blocks, and must not run inside of a runtime.
pub(crate) fn run(arguments: &ArgMatches, globals: &Globals) -> Result<ExitCode> {
    if let Some(("token", _)) = arguments.subcommand() {
        return token::run(&globals.output);
    }
    let surroundings = Surroundings::of_this_process().ok_or_else(|| {
        let message =
            "the home folder is not known, as HOME is not set, so no configuration file can be found";
        Error::new(ErrorCode::NotSupported, message).with_next("Set HOME.")
    })?;
    match arguments.subcommand() {
        Some(("install", arguments)) => change::install(&Request::of(arguments, &surroundings), globals),
        Some(("uninstall", arguments)) => change::uninstall(&Request::of(arguments, &surroundings), globals),
        Some(("list", arguments)) => list::list(&Request::of(arguments, &surroundings), &globals.output),
        Some(("doctor", arguments)) => check::doctor(&Request::of(arguments, &surroundings), &globals.output),
        _ => Err(Error::internal("no such command about clients")),
    }
}

/// What all of the commands are given.
struct Request<'a> {
    arguments: &'a ArgMatches,
    surroundings: &'a Surroundings,
    /// What the entry is called.
    name: &'a str,
    /// The clients that were named, each once.
    named: Vec<&'static Client>,
}

impl<'a> Request<'a> {
    fn of(arguments: &'a ArgMatches, surroundings: &'a Surroundings) -> Self {
        let name = arguments.get_one::<String>("name").map_or(NAME, String::as_str);
        let mut named: Vec<&'static Client> = Vec::new();
        let given = arguments.try_get_many::<&'static Client>("clients").ok().flatten();
        for client in given.into_iter().flatten() {
            if named.iter().all(|known| known.id != client.id) {
                named.push(client);
            }
        }
        Self { arguments, surroundings, name, named }
    }
}

/// Nothing was named, and nothing was found.
fn no_client() -> Error {
    let ids: Vec<&str> = CLIENTS.iter().map(|client| client.id).collect();
    Error::new(ErrorCode::NotSupported, "no MCP client was found on this machine")
        .with_next(format!("Name the client that you use: {}.", ids.join(", ")))
}

/// Prints an answer.
fn print(
    output: &Output,
    fields: &serde_json::Value,
    messages: &[String],
    text: impl FnOnce() -> String,
) -> Result<()> {
    output
        .answer(fields, messages, || handeye_cli::harmless(&text()))
        .map_err(|error| Error::new(ErrorCode::Io, format!("cannot write to standard output: {error}")))
}
