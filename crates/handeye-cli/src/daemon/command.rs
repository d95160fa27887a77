//! `handeye daemon`: what can be done with the daemon by hand.

use super::client::{Client, Program};
use super::endpoint::Endpoint;
use crate::exit::{report, unprinted};
use crate::format::Format;
use crate::output::Output;
use clap::{Args, FromArgMatches, Subcommand};
use handeye_core::{Error, ErrorCode, Result};
use handeye_service::wire::Status;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// How long the calls of a daemon that is to stop may take.
const STOPPING: Duration = Duration::from_secs(30);

/// What can be done with the daemon.
#[derive(Debug, Subcommand)]
enum DaemonCommand {
    #[command(about = "Tell whether a daemon runs for this desktop")]
    Status(Form),
    /// Start the daemon of this desktop, if it does not run
    Start(Form),
    /// End the daemon of this desktop once its calls are done; references such as e12 become invalid
    Stop(Form),
}

/// The form of the answer.
#[derive(Debug, Args)]
struct Form {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// The `daemon` command.
pub(crate) fn command() -> clap::Command {
    let command = clap::Command::new("daemon")
        .about("See, start or stop the process that commands share")
        .long_about(
            "Commands on one desktop share a process, so that they are quick and a reference such as e12 means the same element \
             from one to the next. It starts with the first command and ends when it is idle, or with the desktop. \
             --no-daemon runs a command without it.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true);
    DaemonCommand::augment_subcommands(command)
}

/// Runs the subcommand. `place` is where the daemon of this session listens, or why there can be none.
pub async fn daemon(
    matches: &clap::ArgMatches,
    endpoint: Result<Endpoint>,
    program: Program,
    output: &Output,
) -> ExitCode {
    match run(matches, endpoint, program).await {
        Ok((fields, text, json)) => {
            let format = if json && output.format == Format::Text { Format::Json } else { output.format };
            let output = Output { format, ..output.clone() };
            output
                .answer(&fields, &[], || text)
                .map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS)
        }
        Err(error) => report(&error, output),
    }
}

async fn run(
    matches: &clap::ArgMatches,
    endpoint: Result<Endpoint>,
    program: Program,
) -> Result<(Value, String, bool)> {
    let command = DaemonCommand::from_arg_matches(matches)
        .map_err(|fault| Error::new(ErrorCode::InvalidParameter, fault.to_string()))?;
    let endpoint = endpoint?;
    let client = Client { endpoint: &endpoint, program };
    let fault = |error: std::io::Error| {
        Error::internal(format!("the daemon at {}: {error}", endpoint.socket().display()))
            .with_next("If it hangs, end its process by hand; commands work alone meanwhile.")
    };
    Ok(match command {
        DaemonCommand::Status(form) => match client.status().await.map_err(fault)? {
            Some(status) => (fields(&status, &endpoint), sentence(&status), form.json),
            None => (json!({ "running": false }), "No daemon runs for this desktop.".to_owned(), form.json),
        },
        DaemonCommand::Start(form) => {
            let status = client.start().await.map_err(fault)?;
            (fields(&status, &endpoint), sentence(&status), form.json)
        }
        DaemonCommand::Stop(form) => {
            let stopped = client.stop(STOPPING).await.map_err(fault)?;
            let text = if stopped { "The daemon has ended." } else { "No daemon runs for this desktop." };
            (json!({ "stopped": stopped }), text.to_owned(), form.json)
        }
    })
}

fn fields(status: &Status, endpoint: &Endpoint) -> Value {
    let mut fields = json!(status);
    fields["running"] = true.into();
    fields["socket"] = endpoint.socket().display().to_string().into();
    fields
}

fn sentence(status: &Status) -> String {
    format!(
        "The daemon runs as process {} (handeye {}), for {} s; it has answered {} commands and ends after {} s without one.",
        status.pid, status.version, status.uptime_seconds, status.answered, status.idle_seconds
    )
}
