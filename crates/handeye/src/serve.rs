//! `handeye mcp serve`: the MCP server, on the current desktop or on a private one.

use clap::{Arg, ArgAction, ArgMatches, Command};
use handeye_cli::{Globals, Output};
use handeye_core::Result;
use handeye_engine::engine::Engine;
use handeye_engine::gate::Gate;
use handeye_mcp::Server;
use std::process::ExitCode;
use std::sync::Arc;

/// The `mcp` command.
pub(crate) fn command() -> Command {
    Command::new("mcp")
        .about("Serve an MCP client")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(
            Command::new("serve")
                .about("Serve over standard input and output")
                .long_about(
                    "Serves an MCP client over standard input and output until it closes its end, or until SIGINT or SIGTERM. \
                     Logs go to standard error.",
                )
                .arg(
                    Arg::new("stdio")
                        .long("stdio")
                        .action(ArgAction::SetTrue)
                        .help("Serve over standard input and output (this is the default)"),
                )
        )
}

/// Serves until the client leaves.
pub(crate) async fn run(_arguments: &ArgMatches, globals: Globals, engine: Arc<Engine>) -> ExitCode {
    match serve(engine).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => handeye_cli::report(&error, Output::new(globals.format)),
    }
}

async fn serve(engine: Arc<Engine>) -> Result<()> {
    let stop = handeye_cli::cancelled_by_signal()?;
    handeye_mcp::serve_stdio(Server::new(engine, Arc::new(Gate::default())), stop).await
}
