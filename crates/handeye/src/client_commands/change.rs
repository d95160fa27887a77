//! `mcp install` and `mcp uninstall`.

use super::{Request, no_client, print};
use crate::platform;
use clap::{ArgMatches, Command};
use handeye_cli::{Globals, ask_yes_no, harmless};
use handeye_clients::{
    Change, Client, Plan, RegistrationState, Server, Status, plan_install, plan_uninstall, status,
};
use handeye_core::{Error, ErrorCode, Result};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes handeye into the files of clients.
pub(super) fn install(request: &Request, globals: &Globals) -> Result<ExitCode> {
    let server = server(request.arguments)?;
    let clients = match request.named.as_slice() {
        [] => chosen(request, |status| status.installed),
        named => named.to_vec(),
    };
    if clients.is_empty() {
        return Err(no_client());
    }
    let force = request.arguments.get_flag("force");
    let plan = |client| plan_install(client, request.surroundings, request.name, &server, force);
    let plans = clients.into_iter().map(|client| (client, plan(client))).collect();
    let missing =
        |client: &&'static Client| !Status::of(client, request.surroundings, request.name).installed;
    let missing = request.named.iter().copied().filter(missing).map(|client| client.id).collect();
    Changes { request, plans, is_installation: true, missing }.carry_out(globals)
}

/// Removes handeye from the files of clients.
pub(super) fn uninstall(request: &Request, globals: &Globals) -> Result<ExitCode> {
    let clients = match request.named.as_slice() {
        [] => chosen(request, |status| {
            matches!(status.state, RegistrationState::Ready | RegistrationState::Broken)
        }),
        named => named.to_vec(),
    };
    let force = request.arguments.get_flag("force");
    let plan = |client| plan_uninstall(client, request.surroundings, request.name, force);
    let plans = clients.into_iter().map(|client| (client, plan(client))).collect();
    Changes { request, plans, is_installation: false, missing: Vec::new() }.carry_out(globals)
}

fn chosen(request: &Request, fits: impl Fn(&Status) -> bool) -> Vec<&'static Client> {
    let all = status(request.surroundings, request.name);
    all.iter().filter(|status| fits(status)).map(|status| status.client).collect()
}

/// What a client is to start: this program, with the arguments that were given for the server.
fn server(arguments: &ArgMatches) -> Result<Server> {
    let is_private = arguments.get_one::<String>("desktop").is_some_and(|desktop| desktop == "private");
    let size = arguments.get_one::<String>("size");
    let given = [("size", size.is_some()), ("isolate", arguments.get_flag("isolate"))];
    if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given && !is_private) {
        return Err(Error::invalid_parameter(option, "is for a private desktop only")
            .with_next("Add --desktop private."));
    }
    // A name of a toolset or tool that does not exist is found here, and not when the client starts the server.
    handeye_cli::toolbox(arguments)?;
    let mut words: Vec<OsString> = vec!["mcp".into(), "serve".into()];
    if is_private {
        words.extend(["--desktop".into(), "private".into()]);
    }
    words.extend(size.into_iter().flat_map(|size| ["--size".into(), size.into()]));
    words.extend(sandbox(arguments)?);
    words.extend(absolute(handeye_cli::given_server_flags(arguments))?);
    let text = |word: OsString| {
        word.into_string().map_err(|word| {
            let why =
                format!("{} is not UTF-8, so no configuration file can have it", word.to_string_lossy());
            Error::new(ErrorCode::InvalidParameter, why)
        })
    };
    let command = text(own_path()?.into_os_string())?;
    Ok(Server { command, args: words.into_iter().map(text).collect::<Result<_>>()? })
}

/// The flags of the private desktop's sandbox. What the server would refuse is refused here.
fn sandbox(arguments: &ArgMatches) -> Result<Vec<OsString>> {
    if !arguments.get_flag("isolate") {
        return Ok(Vec::new());
    }
    let mut words: Vec<OsString> = vec!["--isolate".into()];
    for path in arguments.get_many::<String>("allow-path").unwrap_or_default() {
        let (path, suffix) = match path.strip_suffix(":rw") {
            Some(path) => (path, ":rw"),
            None => (path.as_str(), ""),
        };
        let path =
            std::path::absolute(path).map_err(|error| Error::invalid_parameter("allow-path", error))?;
        let mut word = path.into_os_string();
        word.push(suffix);
        words.extend(["--allow-path".into(), word]);
    }
    for host in arguments.get_many::<String>("allow-host").unwrap_or_default() {
        words.extend(["--allow-host".into(), host.into()]);
    }
    let options = platform::private_desktop_options(Command::new("serve")).no_binary_name(true);
    options
        .try_get_matches_from(&words)
        .map_err(|fault| Error::invalid_parameter("isolate", fault.to_string().trim_end()))?;
    Ok(words)
}

/// The path of this program. One that was replaced while it ran has none.
fn own_path() -> Result<PathBuf> {
    let path = std::env::current_exe()
        .map_err(|error| Error::internal(format!("the own executable is not known: {error}")))?;
    if path.is_file() {
        Ok(path)
    } else {
        let message = format!("this program is not at {} any more", path.display());
        Err(Error::new(ErrorCode::Io, message).with_next("Run the command again."))
    }
}

/// The flags with folders that do not depend on where the client runs.
fn absolute(mut flags: Vec<OsString>) -> Result<Vec<OsString>> {
    for at in 1..flags.len() {
        if flags[at - 1] == "--screenshot-dir" {
            let path = std::path::absolute(Path::new(&flags[at]))
                .map_err(|error| Error::invalid_parameter("screenshot-dir", error))?;
            flags[at] = path.into_os_string();
        }
    }
    Ok(flags)
}

/// The changes of one command.
struct Changes<'a> {
    request: &'a Request<'a>,
    plans: Vec<(&'static Client, Result<Plan>)>,
    is_installation: bool,
    /// The clients that were named and are not installed.
    missing: Vec<&'static str>,
}

/// What became of one change.
struct Outcome {
    plan: Plan,
    /// Where the file is kept as it was.
    backup: Option<PathBuf>,
}

impl Changes<'_> {
    fn carry_out(mut self, globals: &Globals) -> Result<ExitCode> {
        if let [(_, Err(_))] = self.plans.as_slice() {
            let only = self.plans.pop();
            return only.map_or(Ok(ExitCode::SUCCESS), |(_, plan)| plan.map(|_| ExitCode::SUCCESS));
        }
        let is_dry = self.request.arguments.get_flag("dry-run");
        let was_shown = !is_dry && self.ask(globals)?;
        let single = self.plans.len() == 1;
        let mut outcomes = Vec::new();
        let plans = std::mem::take(&mut self.plans);
        for (client, plan) in plans {
            let outcome = plan.and_then(|plan| {
                let backup = if is_dry { None } else { plan.write()? };
                Ok(Outcome { plan, backup })
            });
            match outcome {
                Err(error) if single => return Err(error),
                outcome => outcomes.push((client, outcome)),
            }
        }
        self.report(&outcomes, is_dry, was_shown, globals)
    }

    /// Makes sure that the changes are wanted. Returns whether they were shown.
    fn ask(&self, globals: &Globals) -> Result<bool> {
        let plans = || self.plans.iter().filter_map(|(_, plan)| plan.as_ref().ok());
        let changes: Vec<&Plan> = plans().filter(|plan| plan.change != Change::None).collect();
        if changes.is_empty() || self.request.arguments.get_flag("yes") {
            return Ok(false);
        }
        let io = |fault| Error::new(ErrorCode::Io, format!("the terminal cannot be used: {fault}"));
        if !handeye_cli::can_ask(globals) {
            if !self.request.named.is_empty() {
                return Ok(false);
            }
            let count = files(changes.len());
            let message = format!("{count} would be changed, and nobody can be asked whether that is wanted");
            let found = changes.iter().map(|plan| format!("{}: {}", plan.client.id, plan.path.display()));
            return Err(Error::new(ErrorCode::InvalidParameter, message)
                .with_found(found)
                .with_next("Name the clients, or add --yes; --dry-run shows the changes."));
        }
        let shown: Vec<String> = changes.iter().map(|plan| self.line(plan, true)).collect();
        let text = harmless(&shown.concat());
        std::io::stderr().write_all(text.as_bytes()).map_err(io)?;
        match ask_yes_no(globals, &format!("Change {}", files(changes.len()))).map_err(io)? {
            Some(true) => Ok(true),
            _ => Err(Error::new(ErrorCode::Declined, "nothing was changed")),
        }
    }

    /// Prints what was done, or would be.
    fn report(
        &self,
        outcomes: &[(&'static Client, Result<Outcome>)],
        is_dry: bool,
        was_shown: bool,
        globals: &Globals,
    ) -> Result<ExitCode> {
        let mut messages = Vec::new();
        let mut code = ExitCode::SUCCESS;
        for (client, error) in
            outcomes.iter().filter_map(|(client, outcome)| Some((client, outcome.as_ref().err()?)))
        {
            if messages.is_empty() {
                code = ExitCode::from(error.code.exit_code());
            }
            let next = error.next.as_deref().unwrap_or_default();
            messages.push(format!("{}: {}. {next}", client.name, error.message));
        }
        let fields = json!({
            "name": self.request.name,
            "dry_run": is_dry,
            "clients": outcomes.iter().map(|(client, outcome)| fields(client, outcome)).collect::<Vec<_>>(),
        });
        print(&globals.output, &fields, &messages, || self.text(outcomes, is_dry, was_shown))?;
        Ok(code)
    }

    fn text(&self, outcomes: &[(&'static Client, Result<Outcome>)], is_dry: bool, was_shown: bool) -> String {
        let done: Vec<&Outcome> = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).collect();
        if outcomes.is_empty() {
            return format!("No client has an entry '{}' that starts handeye.", self.request.name);
        }
        let mut text = String::new();
        for outcome in &done {
            text.push_str(&self.line(&outcome.plan, is_dry));
            if let Some(backup) = &outcome.backup {
                text.push_str(&format!("  backup: {}\n", backup.display()));
            }
            if self.missing.contains(&outcome.plan.client.id) {
                text.push_str("  note: this client was not found on this machine\n");
            }
        }
        let has_changed = !is_dry && done.iter().any(|outcome| outcome.plan.change != Change::None);
        if has_changed && self.is_installation {
            text.push_str(
                "Restart a client that is running. `handeye mcp doctor` checks that it can start handeye.\n",
            );
        }
        if was_shown { format!("\n{text}") } else { text }
    }

    /// One change, and if it is still to be made, what it changes.
    fn line(&self, plan: &Plan, is_to_come: bool) -> String {
        let (client, name, file) = (plan.client.name, self.request.name, plan.path.display());
        let word = |done: &str, to_come: &str| {
            if is_to_come { format!("would {to_come}") } else { done.to_owned() }
        };
        let what = match plan.change {
            Change::Added => format!("{} '{name}' to {file}", word("added", "add")),
            Change::Replaced => format!("{} '{name}' in {file}", word("updated", "update")),
            Change::Removed if plan.removes_file() => {
                format!(
                    "{} {file}, which {} nothing else than '{name}'",
                    word("removed", "remove"),
                    if is_to_come { "has" } else { "had" }
                )
            }
            Change::Removed => format!("{} '{name}' from {file}", word("removed", "remove")),
            Change::None if self.is_installation => format!("'{name}' in {file} is up to date"),
            Change::None => format!("there is no '{name}' in {file}"),
        };
        let diff = if is_to_come { plan.diff() } else { String::new() };
        format!("{client}: {what}\n{diff}")
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

fn fields(client: &Client, outcome: &Result<Outcome>) -> Value {
    match outcome {
        Ok(Outcome { plan, backup }) => json!({
            "client": client.id,
            "file": plan.path.display().to_string(),
            "change": plan.change,
            "diff": plan.diff(),
            "backup": backup.as_ref().map(|path| path.display().to_string()),
        }),
        Err(error) => json!({ "client": client.id, "error": error.clone().in_words() }),
    }
}
