//! `mcp list`.

use super::{Request, print};
use handeye_cli::Output;
use handeye_clients::{RegistrationState, Status, status};
use handeye_core::Result;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Prints every client and its entry.
pub(super) fn list(request: &Request, output: &Output) -> Result<ExitCode> {
    let all = status(request.surroundings, request.name);
    let fields = json!({ "name": request.name, "clients": all.iter().map(fields).collect::<Vec<_>>() });
    print(output, &fields, &[], || text(&all, request.name))?;
    Ok(ExitCode::SUCCESS)
}

/// What programs read of one client.
pub(super) fn fields(status: &Status) -> Value {
    json!({
        "client": status.client.id,
        "title": status.client.name,
        "installed": status.installed,
        "state": status.state,
        "file": status.path.as_ref().map(|path| path.display().to_string()),
        "command": status.server.as_ref().map(|server| &server.command),
        "args": status.server.as_ref().map(|server| &server.args),
        "reason": reason(status),
    })
}

/// Why an entry is not what it should be.
pub(super) fn reason(status: &Status) -> Option<String> {
    let server = status.server.as_ref();
    match status.state {
        RegistrationState::Absent | RegistrationState::Ready => None,
        RegistrationState::Broken => server.map(|server| format!("{} does not exist", server.command)),
        RegistrationState::Foreign => Some(
            server.map_or("it starts no program".into(), |server| format!("it starts {}", server.line())),
        ),
        RegistrationState::Unreadable => status.fault.clone(),
    }
}

fn text(all: &[Status], name: &str) -> String {
    let heads = ["CLIENT", "INSTALLED", "ENTRY", "FILE"];
    let width = all.iter().map(|status| status.client.id.len()).max().unwrap_or(0);
    let line =
        |cells: [&str; 4]| format!("{:<width$}  {:<9}  {:<10}  {}\n", cells[0], cells[1], cells[2], cells[3]);
    let mut text = line(heads);
    let mut reasons = String::new();
    for status in all {
        let file = status.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let installed = if status.installed { "yes" } else { "no" };
        text.push_str(&line([status.client.id, installed, status.state.as_str(), &file]));
        if let Some(reason) = reason(status) {
            let what = match status.state {
                RegistrationState::Unreadable => "the file cannot be used".to_owned(),
                state => format!("the entry '{name}' is {}", state.as_str()),
            };
            reasons.push_str(&format!("{}: {what}: {reason}\n", status.client.id));
        }
    }
    if reasons.is_empty() { text } else { format!("{text}\n{reasons}") }
}
