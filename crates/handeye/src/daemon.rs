//! The daemon of a desktop session: how commands find and start it, and the process itself.

use crate::call_settings::CallSettings;
use crate::ledgers;
use crate::logging;
use crate::platform::{self, session};
use crate::redaction;
use clap::ArgMatches;
use handeye_call::caller::Caller;
use handeye_cli::{Client, Endpoint, Globals, Output, Program, Security, Server, settings};
use handeye_core::{Error, Result};
use handeye_engine::{AnyOperation, Engine};
use handeye_service::callers::Callers;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The first argument that makes the executable the daemon. It finds its listening socket at standard input.
const SERVER_ARGUMENT: &str = "daemon-server";

/// A daemon that finds no desktop serves its clients nevertheless: they get the errors.
const LEAST_LIFE: Duration = Duration::from_secs(2);

/// What the command line has to be given of this system and this binary.
const PROGRAM: Program = Program { prepare: session::make_socket_folder, launch, file: platform::own_file };

/// Where the daemon of this session listens.
fn endpoint() -> Result<Endpoint> {
    // What may be done is settled when a daemon starts, so commands with other rules have another one.
    let security = Security::configured(None)?;
    Ok(Endpoint::new(session::socket_folder(), session::name_with(&security.distinction())?))
}

/// Has the daemon run a command; `None` if the command has to work alone.
pub(crate) fn run(
    operation: &dyn AnyOperation,
    arguments: &ArgMatches,
    globals: &Globals,
) -> Option<ExitCode> {
    if globals.alone || !handeye_cli::gains_from_daemon(operation) {
        return None;
    }
    let prepared = || Ok::<_, Error>((endpoint()?, CallSettings::of(arguments)?.for_daemon()?));
    let (endpoint, settings) = match prepared() {
        Ok(prepared) => prepared,
        Err(error) => {
            tracing::debug!(why = error.message, "no daemon; the command works alone");
            return None;
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let client = Client { endpoint: &endpoint, program: PROGRAM };
    let code = runtime.block_on(handeye_cli::run_by_daemon(&client, operation, arguments, globals, settings));
    // A terminal that takes no text may still block a thread; the process ends without it.
    runtime.shutdown_background();
    code
}

/// `handeye daemon …`.
pub(crate) async fn command(arguments: &ArgMatches, output: &Output) -> ExitCode {
    handeye_cli::daemon(arguments, endpoint(), PROGRAM, output).await
}

/// Starts a daemon that listens at `listener`.
fn launch(endpoint: &Endpoint, listener: OwnedFd) -> io::Result<()> {
    let idle = handeye_cli::idle_time().map_err(|error| io::Error::other(error.message))?;
    let mut command = platform::own_process();
    command.arg(SERVER_ARGUMENT).arg(endpoint.folder()).arg(endpoint.name());
    command.arg(idle.as_millis().to_string());
    // The settings of calls come with the calls, and keys of providers are for those alone.
    for (name, _) in std::env::vars_os().filter(|(name, _)| settings::is_of_calls(name)) {
        command.env_remove(name);
    }
    command.stdin(listener).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
    command.spawn().map(drop)
}

/// When this process was started as the daemon: is it, and returns its exit code.
pub(crate) fn serve_if_asked(configured: &Result<()>) -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != SERVER_ARGUMENT {
        return None;
    }
    let _log = logging::start_for_daemon();
    let arguments: Vec<OsString> = arguments.collect();
    let served =
        configured.clone().and_then(|()| platform::beside_the_system(|| serve(arguments.into_iter())));
    Some(match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(why = error.message, "the daemon cannot serve");
            ExitCode::FAILURE
        }
    })
}

fn serve(mut arguments: impl Iterator<Item = OsString>) -> Result<()> {
    let fault = |error: io::Error| Error::internal(error.to_string());
    let (Some(folder), Some(name), Some(idle)) = (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err(Error::internal("this is a part of handeye and not meant to be called"));
    };
    let (name, idle) =
        (name.to_string_lossy().into_owned(), idle.to_string_lossy().parse().map_err(Error::internal)?);
    // No key that is pressed in the terminal of the command, and no end of it, reaches the daemon.
    if let Err(error) = rustix::process::setsid() {
        tracing::debug!(%error, "no session of its own");
    }
    let listener = io::stdin().as_fd().try_clone_to_owned().map_err(fault)?;
    let security = Security::configured(None)?;
    let desktop = platform::desktop(&security.rules(), handeye_cli::shows_cursor(None)?)?;
    let own = redaction::keeping(Engine::new(desktop, Caller::TERMINAL), &security)?;
    let own = Engine {
        desk: own.desk.trusting(security.trust()),
        picture_room: handeye_cli::picture_room()?,
        ..own
    };
    let gate = crate::gate(&own)?;
    let server = Server {
        endpoint: Endpoint::new(PathBuf::from(folder), name),
        idle: Duration::from_millis(idle),
        callers: Callers::new(own),
        configure: Box::new(|engine, sent| CallSettings::of_command(sent)?.engine(engine)),
        gate,
        program: PROGRAM,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(fault)?;
    let started = Instant::now();
    let ended = runtime.block_on(async {
        let signal = handeye_cli::cancelled_by_signal()?;
        let session_end = async {
            session::ended().await;
            tokio::time::sleep(LEAST_LIFE.saturating_sub(started.elapsed())).await;
        };
        server.serve(listener.into(), signal, session_end).await.map_err(fault)
    });
    // A hung D-Bus peer may still block a thread; the process ends without it.
    runtime.shutdown_background();
    ledgers::close();
    ended
}
