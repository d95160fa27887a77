//! `handeye mcp serve`: the MCP server, on the current desktop or on a private one.

use crate::platform;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use handeye_auth::{Guard, Issuer};
use handeye_call::caller::Caller;
use handeye_cli::{Authorization, HttpPlace};
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::Engine;
use handeye_mcp::profile::Profiles;
use handeye_mcp::{HttpServer, NewSession, Place, Server, TlsFiles};
use handeye_service::callers::Callers;
use handeye_service::gate::Gate;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::AbortOnDropHandle;

/// How long calls that the end of the server breaks off may take to undo what they hold.
const BROKEN_OFF: Duration = Duration::from_millis(300);

/// The `mcp` command.
pub(crate) fn command() -> Command {
    let serve = Command::new("serve")
        .arg(
            Arg::new("stdio")
                .long("stdio")
                .action(ArgAction::SetTrue)
                .conflicts_with("http")
                .help("Serve over standard input and output (this is the default)"),
        )
        .args(handeye_cli::http_arguments())
        .arg(
            Arg::new("desktop")
                .long("desktop")
                .value_parser(["current", "private"])
                .default_value("current")
                .help(
                    "Serve this desktop, or a private one that is started with the server and ends with it",
                ),
        )
        .args(handeye_cli::server_arguments())
        .arg(
            Arg::new("command")
                .last(true)
                .num_args(1..)
                .value_parser(clap::value_parser!(OsString))
                .value_name("COMMAND")
                .help("An application to start on that desktop; it ends with the server"),
        );
    Command::new("mcp")
        .about("Serve an MCP client, or add handeye to the clients of this machine")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        // The description comes last: with the options of a desktop comes theirs.
        .subcommand(platform::private_desktop_options(serve).about("Serve over standard input and output, or over HTTP").long_about(
            "Serves an MCP client over standard input and output until the client closes the connection, or until SIGINT or \
                 SIGTERM. With --http, serves any number of clients that have its token (see handeye mcp token) until one of these \
                 signals: those of this machine, or of others with TLS. Logs go to a \
                 file in the state folder, see HANDEYE_LOG_FILE.",
        ))
}

/// Whether `mcp serve` is meant, and not one of the commands about clients.
pub(crate) fn is_meant(arguments: &ArgMatches) -> bool {
    arguments.subcommand_name() == Some("serve")
}

/// Whether any number of clients may come.
pub(crate) fn has_many_clients(arguments: &ArgMatches) -> bool {
    handeye_cli::is_over_http(self::arguments(arguments))
}

/// Whether a private desktop is asked for. Such a server runs in a process of its own inside of that desktop.
pub(crate) fn wants_private_desktop(arguments: &ArgMatches) -> bool {
    self::arguments(arguments).get_one::<String>("desktop").is_some_and(|desktop| desktop == "private")
}

/// Starts a private desktop with a server in it, and waits for its end. Blocks, and must not run inside of a runtime.
pub(crate) fn run_in_private_desktop(arguments: &ArgMatches) -> Result<ExitCode> {
    let arguments = self::arguments(arguments);
    let executable = std::env::current_exe()
        .map_err(|error| Error::internal(format!("own executable unknown: {error}")))?;
    let mut command = vec![executable.into_os_string(), "mcp".into(), "serve".into()];
    command.extend(handeye_cli::given_http_flags(arguments));
    command.extend(handeye_cli::given_server_flags(arguments));
    if let Some(application) = application(arguments) {
        command.push("--".into());
        command.extend(application.cloned());
    }
    platform::run_in_private_desktop(arguments, &command)
}

/// Whose the calls to this server are.
pub(crate) fn caller(arguments: &ArgMatches) -> Caller {
    if handeye_cli::is_over_http(self::arguments(arguments)) { Caller::HTTP_TOKEN } else { Caller::STDIO }
}

/// Serves the desktop of this process: one client until it leaves, or those that come over HTTP.
pub(crate) async fn run(arguments: &ArgMatches, engine: Arc<Engine>) -> Result<()> {
    let arguments = self::arguments(arguments);
    check_private_options(arguments)?;
    let toolbox = handeye_cli::toolbox(arguments)?;
    let profiles = handeye_cli::client_profile(arguments, Profiles::named)?.unwrap_or_default();
    let http = match handeye_cli::http_place(arguments)? {
        Some(place) => Some(listen(place, handeye_cli::http_authorization(arguments)?).await?),
        None => None,
    };
    let stop = handeye_cli::cancelled_by_signal()?;
    let _application = application(arguments).map(start).transpose()?;
    let housekeeper = Arc::clone(&engine);
    tokio::spawn(async move { housekeeper.housekeeping.begin(&housekeeper.delivery).await });
    let gate = crate::gate(&engine)?;
    let gate = Arc::new(match &http {
        Some((http, ..)) => gate.tallied(http.tally()),
        None => gate,
    });
    let _modes = AbortOnDropHandle::new(tokio::spawn(follow_mode_requests(Arc::clone(&gate))));
    let server = Server::new(&engine, Arc::clone(&gate), &toolbox).with_profiles(profiles);
    let tasks = server.clone();
    let ended = match http {
        None => {
            inform_person()?;
            Box::pin(handeye_mcp::serve_stdio(server, stop)).await
        }
        Some((http, guard, needed)) => {
            let metrics = http.metrics_address();
            let metrics = metrics.map(|place| format!("Health and metrics are at http://{place}/metrics.\n"));
            announce(&http.url(), &format!("{}{needed}", metrics.unwrap_or_default()))?;
            let callers = Callers::new(engine.as_ref().clone());
            let of_caller = move |caller: &Caller| -> NewSession<Server> {
                let server = server.for_caller(&callers.engine(caller));
                Box::new(move || server.for_session())
            };
            http.serve(guard, of_caller, stop).await
        }
    };
    tasks.end_tasks();
    // A call that was broken off lets go of what it holds, for example of a key.
    if tokio::time::timeout(BROKEN_OFF, gate.idle()).await.is_err() {
        tracing::warn!("calls were still running at the end");
    }
    ended
}

/// How often it is looked whether a tighter mode was asked for, so that clients are notified that there are other tools. Each call looks itself.
const MODE_LOOK: Duration = Duration::from_millis(500);

/// Takes over a tighter mode that is asked for while no call comes.
async fn follow_mode_requests(gate: Arc<Gate>) {
    loop {
        tokio::time::sleep(MODE_LOOK).await;
        gate.take_over_mode();
    }
}

/// Says to a person at a terminal that nothing is to be typed here.
fn inform_person() -> Result<()> {
    if !std::io::stdin().is_terminal() {
        return Ok(());
    }
    writeln!(
        std::io::stderr(),
        "handeye serves MCP on standard input and output: a client starts this command by itself. \
         `handeye mcp install` connects one. Ctrl-C ends the server."
    )
    .map_err(|fault| Error::new(ErrorCode::Io, format!("standard error cannot be written to: {fault}")))
}

/// Takes the address, and makes ready what decides which clients may come. Also returns a sentence with what they need.
async fn listen(
    place: HttpPlace,
    authorization: Option<Authorization>,
) -> Result<(HttpServer, Guard, String)> {
    let HttpPlace { address, tls, behind_proxy, hosts, metrics } = place;
    let tls = tls.map(|(certificate, key)| TlsFiles { certificate, key });
    let http = HttpServer::bind(Place { address, tls, behind_proxy, hosts, metrics }).await?;
    let Some(Authorization { issuer, audience }) = authorization else {
        let (token, source) =
            tokio::task::spawn_blocking(handeye_cli::http_token).await.map_err(Error::internal)??;
        let needed = format!("Clients need a token, which is {source}; `handeye mcp token` prints it.");
        return Ok((http, Guard::of_token(token), needed));
    };
    let audience = audience.unwrap_or_else(|| http.url());
    let needed = format!("Clients need an access token of {issuer} for {audience}.");
    let issuer = Issuer::begin(&issuer, &audience).await?;
    Ok((http, Guard::of_issuer(issuer, handeye_cli::http_token_that_is_set()?), needed))
}

/// Says where the server is: to a program the address alone, on standard output, and to a person what to make of it.
fn announce(url: &str, needed: &str) -> Result<()> {
    let print_error = |fault| Error::new(ErrorCode::Io, format!("the address cannot be printed: {fault}"));
    writeln!(std::io::stderr(), "{needed}\nhandeye serves MCP until Ctrl-C at").map_err(print_error)?;
    let mut output = std::io::stdout();
    writeln!(output, "{url}").and_then(|()| output.flush()).map_err(print_error)
}

/// The look of a desktop that is there already cannot be chosen.
fn check_private_options(arguments: &ArgMatches) -> Result<()> {
    let given = |option: &&str| arguments.value_source(option) == Some(ValueSource::CommandLine);
    match platform::PRIVATE_DESKTOP_OPTIONS.iter().copied().find(given) {
        Some(option) => {
            Err(Error::invalid_parameter(option.trim_end_matches('s'), "is for a private desktop only")
                .with_next("Add --desktop private."))
        }
        None => Ok(()),
    }
}

/// The arguments of `mcp serve`.
pub(crate) fn arguments(arguments: &ArgMatches) -> &ArgMatches {
    arguments.subcommand_matches("serve").unwrap_or(arguments)
}

fn application(arguments: &ArgMatches) -> Option<clap::parser::ValuesRef<'_, OsString>> {
    arguments.get_many::<OsString>("command")
}

/// Starts an application whose output cannot reach the protocol; it is killed when the server ends.
fn start<'a>(mut words: impl Iterator<Item = &'a OsString>) -> Result<tokio::process::Child> {
    let program = words.next().ok_or_else(|| Error::invalid_parameter("COMMAND", "is empty"))?;
    let mut command = tokio::process::Command::from(platform::program_of_desktop(program));
    for variable in handeye_cli::http_token_variables() {
        command.env_remove(variable);
    }
    command.args(words).stdin(Stdio::null()).stdout(std::io::stderr()).kill_on_drop(true).spawn().map_err(
        |error| {
            Error::invalid_parameter(
                "COMMAND",
                format!("{} cannot be started: {error}", program.to_string_lossy()),
            )
        },
    )
}
