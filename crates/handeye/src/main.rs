//! The binary: reads the command line, picks the platform, and wires the two faces to the engine.

mod call_settings;
mod client_commands;
mod daemon;
mod docs;
mod ledgers;
mod logging;
mod model_probe;
mod platform;
mod redaction;
mod screen_size;
mod serve;

use call_settings::CallSettings;
use clap::{ArgMatches, Command};
use handeye_call::caller::Caller;
use handeye_cli::{Format, Globals, Security, settings};
use handeye_core::{Error, Result};
use handeye_engine::Engine;
use handeye_policy::ModeRequests;
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
    if let Some(code) = daemon::serve_if_asked(&configured) {
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
        "config" => handeye_cli::config_show(&matches, &globals.output),
        "codegen" => handeye_cli::codegen(arguments, &globals.output),
        "skill" => handeye_cli::skill(arguments, &globals.output),
        "mode" => handeye_cli::mode(arguments, &globals.output, platform::session::make_control_folder()),
        "docs" => docs::print(arguments, command_line()),
        "man" => docs::print_man(arguments, command_line()),
        "mcp" if !serve::is_meant(arguments) => finish(client_commands::run(arguments, &globals), &globals),
        "mcp" if serve::wants_private_desktop(arguments) => {
            finish(serve::run_in_private_desktop(arguments), &globals)
        }
        "policy" if arguments.subcommand_matches("check").is_some() => {
            handeye_cli::policy_check(arguments, &globals.output)
        }
        _ if handeye_cli::is_about_audit_log(name, arguments) => {
            handeye_cli::audit_log(arguments, &globals.output)
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
        "completions" | "clean" | "codegen" | "config" | "skill" | "docs" | "man" | "mode" => false,
        "policy" => arguments.subcommand_matches("check").is_none(),
        "mcp" => serve::is_meant(arguments) && !serve::wants_private_desktop(arguments),
        _ => !platform::is_command(name) && !handeye_cli::is_about_audit_log(name, arguments),
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
    commands.push(handeye_cli::config_command());
    commands.extend(handeye_cli::policy_commands());
    commands.extend([docs::command(), docs::man_command()]);
    handeye_cli::command(commands)
}

/// Runs a command that talks to the desktop.
///
/// One worker thread, as pictures are encoded on threads of their own: a second one would be woken again and again for what applications answer, on
/// a processor that they need to answer. Where many clients are served, they have two: putting a large tree together occupies one for
/// milliseconds, and the calls of others must not wait for that. The work is mostly waiting for others.
fn run(name: &str, arguments: &ArgMatches, globals: &Globals) -> ExitCode {
    let workers = if name == "mcp" && serve::has_many_clients(arguments) { 2 } else { 1 };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            return handeye_cli::report(&Error::internal(format!("no runtime: {error}")), &globals.output);
        }
    };
    let code = runtime.block_on(dispatch(name, arguments, globals));
    // A read of standard input or a hung D-Bus peer may still block a thread; the process ends without it.
    runtime.shutdown_background();
    ledgers::close();
    code
}

async fn dispatch(name: &str, arguments: &ArgMatches, globals: &Globals) -> ExitCode {
    match desktop_command(name, arguments, globals).await {
        Ok(code) => code,
        Err(error) => handeye_cli::report(&error, &globals.output),
    }
}

/// Runs a command that talks to the desktop.
///
/// # Errors
/// If nothing can be begun: a setting or a rule that cannot be understood, a system without a desktop.
async fn desktop_command(name: &str, arguments: &ArgMatches, globals: &Globals) -> Result<ExitCode> {
    match name {
        "mcp" => {
            let own = serve::arguments(arguments);
            let security = Security::configured(Some(own))?;
            let engine = engine(own, &security, serve::caller(arguments))?;
            Box::pin(serve::run(arguments, engine)).await?;
            Ok(ExitCode::SUCCESS)
        }
        "daemon" => Ok(daemon::command(arguments, &globals.output).await),
        _ => {
            let security = Security::configured(None)?;
            match name {
                "record" => {
                    let engine = engine(arguments, &security, Caller::TERMINAL)?;
                    Ok(handeye_cli::record(&engine, arguments, globals).await)
                }
                "policy" => {
                    let engine = engine(arguments, &security, Caller::TERMINAL)?;
                    let explain = arguments.subcommand_matches("explain").unwrap_or(arguments);
                    Ok(handeye_cli::policy_explain(&engine, &security, explain, &globals.output).await)
                }
                "doctor" => {
                    let desktop = platform::desktop(&security.rules(), handeye_cli::shows_cursor(None)?)?;
                    let others = [model_probe::probe().await, ledgers::probe()];
                    Ok(handeye_cli::doctor(desktop.diagnosis.as_ref(), others, &globals.output).await)
                }
                _ => {
                    let operation = registry::by_command(name)
                        .ok_or_else(|| Error::internal(format!("no command {name}")))?;
                    let engine = engine(arguments, &security, Caller::TERMINAL)?;
                    let gate = gate(&engine)?;
                    Ok(handeye_cli::run(&engine, &gate, operation, arguments, globals).await)
                }
            }
        }
    }
}

/// The engine of a caller on the desktop session of this process, with the settings of a command and what the user lets be done. Nothing is
/// connected before the first call needs it.
fn engine(arguments: &ArgMatches, security: &Security, caller: Caller) -> Result<Arc<Engine>> {
    let desktop = platform::desktop(&security.rules(), handeye_cli::shows_cursor(Some(arguments))?)?;
    let base = redaction::keeping(Engine::new(desktop, caller), security)?;
    let base = Engine {
        desk: base.desk.trusting(security.trust()),
        picture_room: handeye_cli::picture_room()?,
        ..base
    };
    Ok(Arc::new(CallSettings::of(arguments)?.engine(base)?))
}

/// The gate of a process: what the user lets be done there, within the limits that are configured.
///
/// # Errors
/// A limit that cannot be understood.
pub(crate) fn gate(engine: &Engine) -> Result<Gate> {
    let folders = platform::session::control_folders();
    let requests = folders.iter().map(|folder| ModeRequests::from_now(folder)).collect();
    let trust = Arc::clone(engine.desk.guard.trust());
    Ok(Gate::new(handeye_service::security::Security::new(trust, requests)).limited(handeye_cli::limits()?))
}
