//! `mcp doctor`: whether clients can start handeye, tried as they would do it.

use super::list::{fields, reason};
use super::trial::{Trial, try_server};
use super::{Request, no_client, print};
use handeye_cli::Output;
use handeye_clients::{RegistrationState, Status, status};
use handeye_core::{Error, ErrorCode, Result};
use serde_json::{Value, json};
use std::process::ExitCode;

/// What was found out about one client.
struct Check {
    status: Status,
    verdict: Verdict,
    detail: String,
    advice: Option<String>,
}

/// Whether the client can start handeye.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Fail,
    /// It has no entry, and was not asked for by name.
    Skip,
}

/// Checks clients and prints a line for each. Ends with 6 when one cannot start handeye.
pub(super) fn doctor(request: &Request, output: &Output) -> Result<ExitCode> {
    let all: Vec<Status> = if request.named.is_empty() {
        let mut all = status(request.surroundings, request.name);
        all.retain(|status| status.installed);
        all
    } else {
        let named = request.named.iter();
        named.map(|client| Status::of(client, request.surroundings, request.name)).collect()
    };
    if all.is_empty() {
        return Err(no_client());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::internal(format!("no runtime: {error}")))?;
    let checks = runtime.block_on(async {
        // All are tried at once: each waits for its server.
        let trials: Vec<_> = all
            .iter()
            .map(|status| {
                let server = status.server.clone().filter(|_| status.state == RegistrationState::Ready)?;
                Some(tokio::spawn(try_server(server, status.environment.clone())))
            })
            .collect();
        let mut checks = Vec::new();
        for (status, trial) in all.into_iter().zip(trials) {
            let trial = match trial {
                Some(trial) => {
                    Some(trial.await.unwrap_or_else(|fault| Err(format!("the trial failed: {fault}"))))
                }
                None => None,
            };
            checks.push(check(status, trial, request));
        }
        checks
    });
    let is_ok = checks.iter().all(|check| check.verdict != Verdict::Fail);
    let answer = json!({
        "ok": is_ok,
        "name": request.name,
        "clients": checks.iter().map(answer).collect::<Vec<_>>(),
    });
    print(output, &answer, &[], || text(&checks))?;
    Ok(if is_ok { ExitCode::SUCCESS } else { ExitCode::from(ErrorCode::NotSupported.exit_code()) })
}

fn check(status: Status, trial: Option<Result<Trial, String>>, request: &Request) -> Check {
    let (id, name) = (status.client.id, request.name);
    let option = if name == super::NAME { String::new() } else { format!(" --name {name}") };
    let install = format!("handeye mcp install {id}{option}");
    let why = reason(&status).unwrap_or_default();
    let (verdict, detail, advice) = match (status.state, trial) {
        (RegistrationState::Ready, Some(Ok(trial))) => (
            Verdict::Ok,
            format!("{} answers in {} ms with {} tools", trial.server, trial.elapsed_ms, trial.tools),
            None,
        ),
        (RegistrationState::Ready, Some(Err(why))) => {
            let line = status.server.as_ref().map(handeye_clients::Server::line).unwrap_or_default();
            (Verdict::Fail, why, Some(format!("It was started with: {line}")))
        }
        (RegistrationState::Absent, _) => {
            let verdict = if request.named.is_empty() { Verdict::Skip } else { Verdict::Fail };
            (verdict, format!("has no entry '{name}'"), Some(format!("Add it: {install}")))
        }
        (RegistrationState::Ready | RegistrationState::Broken, _) => {
            (Verdict::Fail, why, Some(format!("Write the path of this binary: {install}")))
        }
        (RegistrationState::Foreign, _) => (
            Verdict::Fail,
            format!("another server is called '{name}': {why}"),
            Some(format!("Use another name: handeye mcp install {id} --name NAME")),
        ),
        (RegistrationState::Unreadable, _) => {
            (Verdict::Fail, format!("the file cannot be used: {why}"), Some("Correct the file.".to_owned()))
        }
    };
    Check { status, verdict, detail, advice }
}

fn answer(check: &Check) -> Value {
    let mut fields = fields(&check.status);
    if let Some(fields) = fields.as_object_mut() {
        let status = match check.verdict {
            Verdict::Ok => "ok",
            Verdict::Fail => "fail",
            Verdict::Skip => "skip",
        };
        fields.remove("reason");
        fields.insert("status".into(), json!(status));
        fields.insert("detail".into(), json!(check.detail));
        fields.insert("advice".into(), json!(check.advice));
    }
    fields
}

fn text(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.status.client.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for check in checks {
        let mark = match check.verdict {
            Verdict::Ok => "✓",
            Verdict::Fail => "✗",
            Verdict::Skip => "-",
        };
        text.push_str(&format!("{mark} {:<width$}  {}\n", check.status.client.name, check.detail));
        if let Some(path) = check.status.path.as_ref().filter(|_| check.verdict == Verdict::Fail) {
            text.push_str(&format!("  {:<width$}  in {}\n", "", path.display()));
        }
        if let Some(advice) = &check.advice {
            text.push_str(&format!("  {:<width$}  → {advice}\n", ""));
        }
    }
    text
}
