//! `handeye policy` and `handeye mode`: what an agent may do, checked, explained and tightened.

use crate::exit::{report, unprinted};
use crate::output::{Output, harmless};
use crate::security::{Security, checked};
use clap::{Arg, ArgMatches, Command, value_parser};
use handeye_act::targets::describe;
use handeye_core::{Application, Error, ErrorCode, Result, Rules, SecurityMode, Subject, screen_text};
use handeye_engine::{Engine, Meta};
use handeye_policy::ModeRequests;
use handeye_service::registry;
use handeye_service::security::offers;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The commands.
pub fn policy_commands() -> [Command; 2] {
    let check = Command::new("check").about("Check the rules, or those of a file, and list them").arg(
        Arg::new("file")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("The file [default: all that hold here]"),
    );
    let explain = Command::new("explain")
        .about("Say why a call would pass, ask or be blocked")
        .arg(
            Arg::new("call")
                .value_name("CALL")
                .required(true)
                .help("A tool by its name over MCP, a command, or the parameters of tools/call as JSON"),
        )
        .arg(Arg::new("app").long("app").value_name("NAME").help("The application that the call names"));
    let policy = Command::new("policy")
        .about("Check and explain the rules for what an agent may touch")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands([check, explain]);
    let mode = Command::new("mode")
        .about("Show the security mode, or tighten that of every server that runs")
        .long_about(
            "Without a mode, shows the one that a server started here would have. With safe or sandboxed, every server and daemon \
             of this user takes it over before its next call; in a private desktop, those of that desktop. A looser mode needs \
             another configuration and a restart.",
        )
        .arg(Arg::new("mode").value_name("safe|sandboxed").value_parser(|text: &str| text.parse::<SecurityMode>()));
    [policy, mode]
}

/// Runs `handeye policy check`.
pub fn policy_check(matches: &ArgMatches, output: &Output) -> ExitCode {
    let named = matches.subcommand_matches("check").and_then(|check| check.get_one::<PathBuf>("file"));
    answered(output, named.map_or_else(of_everything, |path| of_file(path)))
}

/// What is answered: fields for programs, text for people.
type Answered = Result<(Value, String)>;

fn answered(output: &Output, answer: Answered) -> ExitCode {
    match answer {
        Ok((fields, text)) => output
            .answer(&fields, &[], || harmless(&text))
            .map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS),
        Err(error) => report(&error, output),
    }
}

fn of_file(path: &Path) -> Answered {
    let file = checked(path)?;
    let rules: Vec<String> = file.lines.iter().map(ToString::to_string).collect();
    let mode = file.mode.map_or_else(|| "not set here".to_owned(), |mode| mode.to_string());
    Ok(listed(&mode, &[path.display().to_string()], &rules, &file.warnings))
}

fn of_everything() -> Answered {
    let security = Security::configured(None)?;
    let rules: Vec<String> = security.rules.lines().iter().map(ToString::to_string).collect();
    let files: Vec<String> = security.files.iter().map(|path| path.display().to_string()).collect();
    Ok(listed(security.mode.as_str(), &files, &rules, &security.warnings))
}

fn listed(mode: &str, files: &[String], rules: &[String], warnings: &[String]) -> (Value, String) {
    let mut lines = vec![format!("Mode: {mode}")];
    lines.push(match files {
        [] => "No file of rules.".to_owned(),
        files => format!("Rules from {}:", files.join(", ")),
    });
    lines.extend(rules.iter().map(|rule| format!("  {rule}")));
    lines.extend(warnings.iter().map(|warning| format!("Doubtful: {warning}")));
    (json!({ "mode": mode, "files": files, "rules": rules, "warnings": warnings }), lines.join("\n"))
}

/// Runs `handeye mode`; `folder` is where processes of this user find requests.
pub fn mode(matches: &ArgMatches, output: &Output, folder: Result<PathBuf>) -> ExitCode {
    let asked = matches.get_one::<SecurityMode>("mode").copied();
    answered(output, asked.map_or_else(of_mode, |mode| tightened(mode, folder)))
}

fn of_mode() -> Answered {
    let mode = Security::configured(None)?.mode;
    Ok((json!({ "mode": mode }), format!("{mode}")))
}

fn tightened(mode: SecurityMode, folder: Result<PathBuf>) -> Answered {
    if mode == SecurityMode::Normal {
        return Err(Error::invalid_parameter("mode", "cannot be loosened while servers run").with_next(
            "Change HANDEYE_SECURITY_MODE, server.security_mode or security.toml, and start the servers again.",
        ));
    }
    ModeRequests::ask(&folder?, mode)?;
    let text = format!("Every server that runs now is at least {mode} before its next call.");
    Ok((json!({ "mode": mode }), text))
}

/// What would become of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passes,
    Asks,
    Blocked,
}

impl Verdict {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Passes => "passes",
            Self::Asks => "asks",
            Self::Blocked => "blocked",
        }
    }
}

/// Runs `handeye policy explain`. The exit code is that of a blocked call where it would be one.
pub async fn policy_explain(
    engine: &Engine,
    security: &Security,
    matches: &ArgMatches,
    output: &Output,
) -> ExitCode {
    match explained(engine, security, matches).await {
        Ok((verdict, fields, text)) => {
            let printed = answered(output, Ok((fields, text)));
            if verdict == Verdict::Blocked && printed == ExitCode::SUCCESS {
                ExitCode::from(ErrorCode::Blocked.exit_code())
            } else {
                printed
            }
        }
        Err(error) => report(&error, output),
    }
}

async fn explained(
    engine: &Engine,
    security: &Security,
    matches: &ArgMatches,
) -> Result<(Verdict, Value, String)> {
    let call = matches.get_one::<String>("call").map_or("", String::as_str);
    let (meta, named) = meant(call)?;
    let name = matches.get_one::<String>("app").cloned().or(named);
    let mut because = Vec::new();
    let mut verdict = Verdict::Passes;
    if offers(security.mode, meta.tool) {
        because.push(format!("the mode {} has {}", security.mode, meta.tool));
    } else {
        verdict = Verdict::Blocked;
        because.push(format!("the mode {} does not have {}", security.mode, meta.tool));
    }
    if security.mode == SecurityMode::Safe && !meta.read_only {
        because.push(
            "what it hits is judged when it is called: what is risky then needs a person's yes".to_owned(),
        );
    }
    let application = match &name {
        Some(name) => Some(found(engine, name).await?),
        None => None,
    };
    if let Some(application) = &application {
        let subject = Subject::from(application);
        because.push(identity(application));
        because.extend(security.rules.about(&subject).map(|line| format!("it is {line}")));
        let standing = security.rules.standing(&subject);
        let blocks = standing.denied.or(standing.read_only.filter(|_| !meta.read_only));
        match (blocks, standing.ask_first) {
            (Some(rule), _) => {
                verdict = Verdict::Blocked;
                because.push(format!("blocked by: {rule}"));
            }
            (None, Some(rule)) if !meta.read_only && verdict == Verdict::Passes => {
                verdict = Verdict::Asks;
                because.push(format!("a person is asked by: {rule}"));
            }
            _ => {}
        }
    } else if security.rules.restrict() {
        because.push("rules for applications may block it: name one with --app".to_owned());
    }
    let on = application.as_ref().map(|one| format!(" on {}", describe(one))).unwrap_or_default();
    let text = format!("{}{on}: {}\n  {}", meta.tool, verdict.as_str(), because.join("\n  "));
    let fields = json!({
        "tool": meta.tool,
        "app": application.map(|application| application.name),
        "verdict": verdict.as_str(),
        "because": because,
    });
    Ok((verdict, fields, text))
}

/// Which operation a call is of, and the application that it names.
fn meant(call: &str) -> Result<(&'static Meta, Option<String>)> {
    let json: Option<Value> = serde_json::from_str(call).ok().filter(Value::is_object);
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    let tool = match &json {
        Some(json) => text(json, "name").ok_or_else(|| Error::invalid_parameter("CALL", "has no 'name'"))?,
        None => call.to_owned(),
    };
    let operation = registry::by_tool(&tool).or_else(|| registry::by_command(&tool));
    let meta = operation.map(handeye_engine::Runnable::meta).ok_or_else(|| {
        let shown = screen_text::line(&tool, 80);
        Error::invalid_parameter("CALL", format!("is '{shown}', which is neither a tool nor a command"))
    })?;
    let arguments = json.as_ref().and_then(|json| json.get("arguments"));
    Ok((meta, arguments.and_then(|arguments| text(arguments, meta.application))))
}

/// The application of this name, also one that no call finds.
async fn found(engine: &Engine, name: &str) -> Result<Application> {
    let everybody = engine.desk.guard.everybody().await?;
    handeye_act::targets::only_fit(name, &everybody)
        .cloned()
        .ok_or_else(|| handeye_act::targets::not_found(name, &everybody))
}

/// What an application is known by, as rules name it.
fn identity(application: &Application) -> String {
    let process = application.process.as_ref();
    let executable = process.and_then(|process| {
        let path = process.executable.as_deref()?;
        let doubt = if process.executable_is_here {
            ""
        } else {
            " (that path leads to another file, so it cannot be allowed by it)"
        };
        Some(format!("exe:{path}{doubt}"))
    });
    let sandbox = process.and_then(|process| Some(format!("flatpak:{}", process.sandbox.as_deref()?)));
    let known: Vec<String> = executable.into_iter().chain(sandbox).collect();
    let by = if known.is_empty() { "nothing that it cannot claim".to_owned() } else { known.join(", ") };
    let names: Vec<String> = std::iter::once(application.name.as_str())
        .chain(application.bundle_id.as_deref())
        .map(|name| format!("\"{}\"", screen_text::name(name)))
        .collect();
    format!("the application is {by}, and calls itself {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_a_tool_a_command_or_its_parameters() {
        assert_eq!(meant("ax_click").map(|(meta, app)| (meta.tool, app)), Ok(("ax_click", None)));
        assert_eq!(meant("click").map(|(meta, _)| meta.tool), Ok("ax_click"));
        let call = r#"{"name":"ax_click","arguments":{"app":"Vault","query":"x"}}"#;
        assert_eq!(meant(call).map(|(_, app)| app), Ok(Some("Vault".to_owned())));
        assert!(meant("ax_clik").is_err() && meant("{}").is_err());
    }

    #[test]
    fn a_mode_is_not_loosened() {
        let error = tightened(SecurityMode::Normal, Ok(PathBuf::new())).expect_err("looser");
        assert!(error.message.contains("cannot be loosened"), "{error}");
    }
}
