//! Running an operation from the shell: deadline, Ctrl-C, answer, exit code.

use crate::command::Globals;
use crate::daemon::{Asked, Client, Outcome};
use crate::debug_logs::DebugLogs;
use crate::exit::{exit_code, report, report_as, unprinted};
use crate::failure::Failure;
use crate::format::Format;
use crate::names::Names;
use crate::output::{Output, complain, harmless, print_json, write_all};
use crate::person::{Person, Rounds, Terminal};
use crate::reader::SHELL;
use crate::settings::LOG_LEVEL;
use crate::spelling::Speller;
use crate::{envelope, shape, table, waiting};
use clap::ArgMatches;
use clap::parser::ValueSource;
use handeye_call::call::Call;
use handeye_call::outcome::{Answer, Verdict};
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::{AnyOperation, Engine};
use handeye_service::gate::Gate;
use handeye_service::wire::reference;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How long a cancelled call may take to put things back (a held key, a pressed button).
const CLEAN_UP: Duration = Duration::from_secs(1);

/// Runs `operation` with the parsed arguments of its subcommand and prints the answer.
pub async fn run(
    engine: &Engine,
    gate: &Gate,
    operation: &dyn AnyOperation,
    matches: &ArgMatches,
    globals: &Globals,
) -> ExitCode {
    let work = answer(engine, gate, operation, matches, globals);
    let result = waiting::shown(operation, &globals.output, work).await;
    finish(operation, result, matches, globals, Names::Lost)
}

/// Whether a command of this operation gains from the daemon.
pub fn gains_from_daemon(operation: &dyn AnyOperation) -> bool {
    operation.meta().looks_at_desktop
}

/// Has the daemon run `operation`, and prints the answer. `None` if the command has to work alone, which can be done without harm.
pub async fn run_by_daemon(
    client: &Client<'_>,
    operation: &dyn AnyOperation,
    matches: &ArgMatches,
    globals: &Globals,
    settings: Value,
) -> Option<ExitCode> {
    // A fault of the command itself is reported alone.
    check_output(matches, globals).ok()?;
    let cancelled = cancelled_by_signal().ok()?;
    let input = match input(operation, matches) {
        Ok(input) => input,
        Err(error) => {
            tracing::debug!(why = error.message, "no daemon; the command works alone");
            return None;
        }
    };
    let wanted = WantedLogs::of(&globals.output);
    let terminal = Terminal::of_command(globals);
    let asked = Asked {
        operation: operation.meta().tool,
        input,
        settings,
        limit: globals.timeout,
        picture: wants_standard_output(matches),
        logs: !matches!(wanted, WantedLogs::None),
        person: terminal.as_ref().map(|terminal| (terminal as &dyn Person, !globals.trusts_terminal)),
    };
    let called = waiting::shown(operation, &globals.output, client.call(asked, &cancelled)).await;
    let result = match called {
        Outcome::Answered(result, logged) => {
            wanted.take(&logged);
            *result
        }
        Outcome::Unavailable(why) => {
            tracing::debug!(why, "no daemon; the command works alone");
            return None;
        }
        Outcome::Lost(_) if cancelled.is_cancelled() => Err(interrupted(operation)),
        Outcome::Lost(why) if operation.meta().read_only => {
            tracing::debug!(why, "the daemon is lost; the command works alone");
            return None;
        }
        Outcome::Lost(why) => {
            let message =
                format!("the daemon was lost while it worked for {}: {why}", operation.meta().command);
            Err(Error::internal(message)
                .with_next("It may have taken effect anyway: look before you repeat it."))
        }
    };
    Some(finish(operation, result, matches, globals, Names::Kept))
}

/// The input of a command for the daemon: without its application where nobody named one and a reference names it.
fn input(operation: &dyn AnyOperation, matches: &ArgMatches) -> Result<Value> {
    let mut input = operation.written(matches)?;
    if let Some(fields) = input.as_object_mut()
        && named_application(matches).is_none()
        && let Some(by_default) = fields.remove(reference::APPLICATION)
        && !reference::has_reference(operation.meta(), &input)
    {
        input[reference::APPLICATION] = by_default;
    }
    Ok(input)
}

/// Where goes what the daemon logs for a command. Alone, the same is logged by this process.
enum WantedLogs<'a> {
    None,
    /// Into the answer of `--json-output`.
    Answer(&'a DebugLogs),
    /// To standard error, from this level on.
    Stderr(tracing::Level),
}

impl<'a> WantedLogs<'a> {
    fn of(output: &'a Output) -> Self {
        if output.format == Format::Envelope {
            return Self::Answer(&output.debug_logs);
        }
        let asked = LOG_LEVEL.about.from_environment().unwrap_or_default().trim().to_ascii_lowercase();
        match asked.as_str() {
            "" | "off" | "silent" | "error" | "fatal" | "warn" | "warning" => Self::None,
            "info" => Self::Stderr(tracing::Level::INFO),
            // A filter knows modules of the daemon; what it has for this call is little enough to be shown whole.
            _ => Self::Stderr(tracing::Level::DEBUG),
        }
    }

    fn take(&self, logged: &[String]) {
        match self {
            Self::None => {}
            Self::Answer(logs) => logged.iter().for_each(|entry| logs.add(entry)),
            Self::Stderr(least) => {
                let level =
                    |entry: &str| entry.split_whitespace().next().and_then(|level| level.parse().ok());
                let shown = logged
                    .iter()
                    .filter(|entry| level(entry).is_none_or(|level: tracing::Level| level <= *least));
                shown.for_each(|entry| complain(&format!("{}\n", harmless(entry))));
            }
        }
    }
}

/// Prints what came of a command and gives its exit code.
fn finish(
    operation: &dyn AnyOperation,
    result: Result<Answer>,
    matches: &ArgMatches,
    globals: &Globals,
    names: Names,
) -> ExitCode {
    match result {
        Ok(answer) => print(operation, answer, matches, &globals.output),
        Err(error) => {
            let speller = Speller::new(operation, named_application(matches));
            let failure = Failure::of(explained(error, names), &speller);
            report_as(&failure, operation.meta().dialect, &globals.output)
        }
    }
}

/// The error with advice for the person who typed the command. An unknown name comes from another process, and a question is declined
/// by the person at the terminal; to a model both mean something else.
fn explained(error: Error, names: Names) -> Error {
    if error.code == ErrorCode::Declined {
        return error.with_next("To do it after all, run the command again and answer y.");
    }
    if !matches!(error.code, ErrorCode::UnknownReference | ErrorCode::UnknownScreenshot) {
        return error;
    }
    let next = match names {
        Names::Kept => {
            "The daemon that keeps references ends when it is idle, and with its desktop. Look again and use a new one."
        }
        Names::Lost => {
            "Commands share references through the daemon, and this one works without: `handeye daemon status`, --no-daemon."
        }
    };
    error.with_next(next)
}

fn check_output(matches: &ArgMatches, globals: &Globals) -> Result<()> {
    if globals.output.format == Format::Envelope && wants_standard_output(matches) {
        return Err(Error::invalid_parameter("output", "'-' and --json-output both claim standard output")
            .with_next("Name a file."));
    }
    Ok(())
}

fn interrupted(operation: &dyn AnyOperation) -> Error {
    Error::new(ErrorCode::Cancelled, format!("{} was interrupted", operation.meta().command))
}

async fn answer(
    engine: &Engine,
    gate: &Gate,
    operation: &dyn AnyOperation,
    matches: &ArgMatches,
    globals: &Globals,
) -> Result<Answer> {
    check_output(matches, globals)?;
    let cancelled = cancelled_by_signal()?;
    let rounds = Terminal::of_command(globals).map(|terminal| {
        Rounds::new(Arc::new(terminal), !globals.trusts_terminal, engine.patience, cancelled.clone())
    });
    let running = Rounds::run(rounds.as_ref(), globals.timeout, |client, limit| {
        let input = operation.parse_arguments(matches);
        let mut call = Call::new(SHELL, cancelled.clone());
        call.client = client;
        if let Some(limit) = limit {
            call = call.within(limit);
        }
        async move { gate.call(engine, operation, input?, call).await }
    });
    tokio::pin!(running);
    tokio::select! {
        answer = &mut running => answer,
        () = cancelled.cancelled() => {
            tokio::time::timeout(CLEAN_UP, running).await.unwrap_or_else(|_| Err(interrupted(operation)))
        }
    }
}

/// A token that is cancelled by the first Ctrl-C (SIGINT) or SIGTERM.
pub fn cancelled_by_signal() -> Result<CancellationToken> {
    let fault = |error| Error::internal(format!("signals cannot be received: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fault)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(fault)?;
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        cancelled.cancel();
    });
    Ok(token)
}

fn print(
    operation: &dyn AnyOperation,
    mut answer: Answer,
    matches: &ArgMatches,
    output: &Output,
) -> ExitCode {
    let meta = operation.meta();
    let speller = Speller::new(operation, named_application(matches));
    let failure = answer.failure.take().map(|error| Failure::of(error, &speller));
    let verdict = ExitCode::from(match (&failure, answer.verdict) {
        (Some(failure), _) => exit_code(failure.error.code, meta.dialect),
        (None, Verdict::No(code)) => code.exit_code(),
        (None, Verdict::Yes) => 0,
    });
    if let Some(picture) = answer.pictures.first().filter(|_| wants_standard_output(matches)) {
        return write_all(&picture.bytes).map_or_else(|fault| unprinted(&fault), |()| verdict);
    }
    let text = std::mem::take(&mut answer.text);
    let text = match answer.table.take() {
        Some(table) => harmless(&table::under(text.lines().next().unwrap_or_default(), table)),
        None => speller.painted(&text, output.coloured() && failure.is_none()),
    };
    let messages: Vec<String> = answer.notes.iter().map(|note| speller.text(note)).collect();
    let fields = match output.format {
        Format::Envelope => shape::for_peekaboo(meta, answer, &speller),
        _ => shape::for_scripts(meta, answer, &speller),
    };
    let printed = match &failure {
        None => output.answer(&fields, &messages, || text),
        Some(failure) => print_partly_failed(failure, fields, &messages, text, output),
    };
    printed.map_or_else(|fault| unprinted(&fault), |()| verdict)
}

/// Prints an answer of which a part failed: the rest of it as ever, and the error where errors go.
fn print_partly_failed(
    failure: &Failure,
    mut fields: Value,
    messages: &[String],
    text: String,
    output: &Output,
) -> std::io::Result<()> {
    match output.format {
        Format::Envelope => {
            print_json(&envelope::partial(&failure.error, fields, messages, &output.debug_logs))
        }
        Format::Json => {
            fields["error"] = failure.fields();
            output.answer(&fields, messages, String::new)
        }
        Format::Text | Format::Quiet => {
            output.answer(&fields, messages, || text)?;
            report(&failure.error, output);
            Ok(())
        }
    }
}

/// The application that the command is about.
fn application(matches: &ArgMatches) -> Option<&str> {
    matches.try_get_one::<String>("app").ok().flatten().map(String::as_str)
}

/// The application, if the user named it.
fn named_application(matches: &ArgMatches) -> Option<&str> {
    application(matches).filter(|_| matches.value_source("app") == Some(ValueSource::CommandLine))
}

/// Whether the picture itself is the output, and nothing else.
fn wants_standard_output(matches: &ArgMatches) -> bool {
    matches.try_get_one::<PathBuf>("output").ok().flatten().is_some_and(|path| path == Path::new("-"))
}
