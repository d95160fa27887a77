//! `mcp token`.

use super::print;
use clap::Command;
use handeye_cli::{Output, TokenSource};
use handeye_core::Result;
use serde_json::json;
use std::process::ExitCode;

/// The command.
pub(super) fn command() -> Command {
    Command::new("token").about("Print the token that clients of `mcp serve --http` need").long_about(
        "Prints the token that clients of `mcp serve --http` need: the one that HANDEYE_HTTP_TOKEN sets, else the one in the file \
         http-token in the folder for state, which is made if there is none. Clients send it with every request, as the header \
         `Authorization: Bearer TOKEN`. A client that has it can do what you can do on this desktop.\n\n\
         For a new token, remove the file and start the server again.",
    )
}

/// Prints the token.
pub(super) fn run(output: &Output) -> Result<ExitCode> {
    let (token, source) = handeye_cli::http_token()?;
    let file = match &source {
        TokenSource::File(path) => Some(path.display().to_string()),
        TokenSource::Set(_) => None,
    };
    let fields = json!({ "token": token.reveal(), "file": file });
    print(output, &fields, &[], || format!("{}\n", token.reveal()))?;
    Ok(ExitCode::SUCCESS)
}
