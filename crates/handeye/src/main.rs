//! The binary: reads the command line, picks the platform, and wires the two faces to the engine.

mod call_settings;
mod client_commands;
mod daemon;
mod docs;
mod logging;
mod model_probe;
mod platform;
mod redaction;
mod screen_size;
mod serve;

use call_settings::CallSettings;
use clap::{ArgMatches, Command};
use handeye_call::caller::Caller;
use handeye_cli::{Format, Globals, settings};
use handeye_core::{Error, Result};
use handeye_engine::Engine;
use handeye_service::gate::Gate;
use handeye_service::registry;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    if let Some(code) = platform::part_of_this_program() {
        return code;
    }
    // Read before the command line, whose errors are printed as it may ask for; reported after it, which may be wrong itself.
    let configured = settings::load();
    let words = || std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    if let Some(code) = daemon::serve_if_asked() {
        return code;
    }
    let matches = match command_line().try_get_matches() {
        Ok(matches) => matches,
        Err(fault) => {
            return handeye_cli::usage_error(&fault, words());
        }
    };
    let globals = match configured.and_then(|()| handeye_cli::globals(&matches)) {
        Ok(globals) => globals,
        Err(fault) => return handeye_cli::early_error(&fault, words()),
    };
    let Some((name, arguments)) = matches.subcommand() else {
        // clap asks for a subcommand, so this is a fault of the definition and not of the user.
        return handeye_cli::report(&Error::internal("no subcommand"), &globals.output);
    };
    if talks_to_session(name, arguments)
        && let Err(error) = platform::find_session()
    {
        return handeye_cli::report(&error, &globals.output);
    }
    let _log = match name {
        "mcp" if serve::is_meant(arguments) && !serve::wants_private_desktop(arguments) => {
            logging::start_for_server()
        }
        _ if globals.output.format == Format::Envelope => {
            logging::start_for_json_output(globals.output.debug_logs.clone())
        }
        _ => logging::start_for_command(),
    };
    match name {
        "completions" => handeye_cli::completions(arguments, command_line(), &globals.output),
        "clean" => handeye_cli::clean(arguments, &globals.output),
        "codegen" => handeye_cli::codegen(arguments, &globals.output),
        "skill" => handeye_cli::skill(arguments, &globals.output),
        "docs" => docs::print(arguments, command_line()),
        "man" => docs::print_man(arguments, command_line()),
        "mcp" if !serve::is_meant(arguments) => finish(client_commands::run(arguments, &globals), &globals),
        "mcp" if serve::wants_private_desktop(arguments) => {
            finish(serve::run_in_private_desktop(arguments), &globals)
        }
        _ if platform::is_command(name) => {
            finish(platform::run_command(arguments, &globals.output), &globals)
        }
        _ => {
            let operation = registry::by_command(name);
            operation
                .and_then(|operation| daemon::run(operation, arguments, &globals))
                .unwrap_or_else(|| platform::beside_the_system(|| run(name, arguments, &globals)))
        }
    }
}

/// Whether a command needs the desktop session that it is called in.
fn talks_to_session(name: &str, arguments: &ArgMatches) -> bool {
    match name {
        "completions" | "clean" | "codegen" | "skill" | "docs" | "man" => false,
        "mcp" => serve::is_meant(arguments) && !serve::wants_private_desktop(arguments),
        _ => !platform::is_command(name),
    }
}

fn finish(ended: Result<ExitCode>, globals: &Globals) -> ExitCode {
    ended.unwrap_or_else(|error| handeye_cli::report(&error, &globals.output))
}

/// The whole command line.
fn command_line() -> Command {
    let mut commands = vec![serve::command().subcommands(client_commands::commands())];
    commands.extend(platform::commands());
    commands.extend([handeye_cli::record_command(), handeye_cli::codegen_command()]);
    commands.extend([docs::command(), docs::man_command()]);
    handeye_cli::command(commands)
}

/// Runs a command that talks to the desktop.
///
/// Two worker threads: encoding a picture or loading a large tree occupies one of them for milliseconds, and another
/// call must not wait for that. More would cost start-up time and memory, and the work is mostly waiting for others.
fn run(name: &str, arguments: &ArgMatches, globals: &Globals) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return handeye_cli::report(&Error::internal(format!("no runtime: {error}")), &globals.output);
        }
    };
    let code = runtime.block_on(dispatch(name, arguments, globals));
    // A read of standard input or a hung D-Bus peer may still block a thread; the process ends without it.
    runtime.shutdown_background();
    code
}

async fn dispatch(name: &str, arguments: &ArgMatches, globals: &Globals) -> ExitCode {
    match name {
        "mcp" => {
            let served = match engine(serve::arguments(arguments), serve::caller(arguments)) {
                Ok(engine) => Box::pin(serve::run(arguments, engine)).await,
                Err(error) => Err(error),
            };
            finish(served.map(|()| ExitCode::SUCCESS), globals)
        }
        "daemon" => daemon::command(arguments, &globals.output).await,
        "record" => match engine(arguments, Caller::TERMINAL) {
            Ok(engine) => handeye_cli::record(&engine, arguments, globals).await,
            Err(error) => handeye_cli::report(&error, &globals.output),
        },
        "doctor" => match platform::desktop() {
            Ok(desktop) => {
                handeye_cli::doctor(desktop.diagnosis.as_ref(), model_probe::probe().await, &globals.output)
                    .await
            }
            Err(error) => handeye_cli::report(&error, &globals.output),
        },
        _ => match registry::by_command(name) {
            Some(operation) => match engine(arguments, Caller::TERMINAL) {
                Ok(engine) => {
                    handeye_cli::run(&engine, &Gate::default(), operation, arguments, globals).await
                }
                Err(error) => handeye_cli::report(&error, &globals.output),
            },
            None => handeye_cli::report(&Error::internal(format!("no command {name}")), &globals.output),
        },
    }
}

/// The engine of a caller on the desktop session of this process, with the settings of a command. Nothing is connected before the
/// first call needs it.
fn engine(arguments: &ArgMatches, caller: Caller) -> Result<Arc<Engine>> {
    Ok(Arc::new(
        CallSettings::of(arguments)?.engine(redaction::keeping(Engine::new(platform::desktop()?, caller))),
    ))
}
