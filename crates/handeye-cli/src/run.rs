//! Running an operation from the shell: deadline, Ctrl-C, answer, exit code.

use crate::command::Globals;
use crate::exit::{exit_code, report, report_as, unprinted};
use crate::hints::Speller;
use crate::output::{Format, Output, harmless, print_json, write_all};
use crate::{envelope, outline, shape, table};
use clap::ArgMatches;
use clap::parser::ValueSource;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::call::{Call, Face};
use handeye_engine::engine::Engine;
use handeye_engine::gate::Gate;
use handeye_engine::operation::{Answer, AnyOperation};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
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
    let output = &globals.output;
    match answer(engine, gate, operation, matches, globals).await {
        Ok(answer) => print(operation, answer, matches, output),
        Err(error) => {
            let error = Speller::new(named_application(matches)).error(error);
            report_as(&error, operation.meta().dialect, output)
        }
    }
}

async fn answer(
    engine: &Engine,
    gate: &Gate,
    operation: &dyn AnyOperation,
    matches: &ArgMatches,
    globals: &Globals,
) -> Result<Answer> {
    let input = operation.parse_arguments(matches)?;
    if globals.output.format == Format::Envelope && wants_standard_output(matches) {
        return Err(Error::invalid_parameter("output", "'-' and --json-output both claim standard output")
            .with_next("Name a file."));
    }
    let cancelled = cancelled_by_signal()?;
    let mut call = Call::new(Face::Cli, cancelled.clone());
    if let Some(limit) = globals.timeout {
        call = call.within(limit);
    }
    let running = gate.call(engine, operation, input, call);
    tokio::pin!(running);
    tokio::select! {
        answer = &mut running => answer,
        () = cancelled.cancelled() => {
            let stopped = Error::new(ErrorCode::Cancelled, format!("{} was interrupted", operation.meta().command));
            tokio::time::timeout(CLEAN_UP, running).await.unwrap_or(Err(stopped))
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
    answer = shape::without_references(answer);
    if speaks_of_tools(meta.tool) {
        let speller = Speller::new(named_application(matches));
        answer.text = speller.text(&answer.text);
        answer.failure = answer.failure.map(|error| speller.error(error));
    }
    let verdict = ExitCode::from(match &answer.failure {
        Some(error) => exit_code(error.code, meta.dialect),
        None => shape::exit_code(meta.tool, &answer.fields),
    });
    if let Some(picture) = answer.pictures.first().filter(|_| wants_standard_output(matches)) {
        return write_all(&picture.bytes).map_or_else(|fault| unprinted(&fault), |()| verdict);
    }
    let table = (meta.tool == "list").then(|| table::of_list(&answer.text, &answer.fields)).flatten();
    let text = harmless(table.as_ref().unwrap_or(&answer.text));
    let messages = std::mem::take(&mut answer.notes);
    let failure = answer.failure.take();
    let fields = match output.format {
        Format::Envelope => shape::for_peekaboo(meta.tool, answer),
        _ => shape::for_scripts(meta.tool, answer),
    };
    let printed = match &failure {
        None => output
            .answer(&fields, &messages, || if output.coloured() { outline::coloured(&text) } else { text }),
        Some(error) => print_partly_failed(error, fields, &messages, text, output),
    };
    printed.map_or_else(|fault| unprinted(&fault), |()| verdict)
}

/// Prints an answer of which a part failed: the rest of it as ever, and the error where errors go.
fn print_partly_failed(
    error: &Error,
    mut fields: Value,
    messages: &[String],
    text: String,
    output: &Output,
) -> std::io::Result<()> {
    match output.format {
        Format::Envelope => print_json(&envelope::partial(error, fields, messages, &output.debug_logs)),
        Format::Json => {
            fields["error"] = json!(error);
            output.answer(&fields, messages, String::new)
        }
        Format::Text | Format::Quiet => {
            output.answer(&fields, messages, || text)?;
            report(error, output);
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

/// Whether the tool's text is handeye's own; in that of the others the words of applications stand without quotes.
fn speaks_of_tools(tool: &str) -> bool {
    !matches!(
        tool,
        "ax_get_value" | "ax_get_attributes" | "ax_list_apps" | "ax_list_windows" | "list" | "analyze"
    )
}

/// Whether the picture itself is the output, and nothing else.
fn wants_standard_output(matches: &ArgMatches) -> bool {
    matches.try_get_one::<PathBuf>("output").ok().flatten().is_some_and(|path| path == Path::new("-"))
}
