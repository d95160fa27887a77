//! `handeye audit verify | show | follow`: the audit log of actions. The command without these words audits accessibility.

use crate::audit_place::audit_log as configured;
use crate::exit::{report, unprinted};
use crate::format::Format;
use crate::output::{Output, complain, harmless, write_all};
use crate::table;
use clap::{Arg, ArgMatches, Command, value_parser};
use handeye_call::outcome::Table;
use handeye_core::{Error, ErrorCode, Result};
use handeye_ledger::{Fault, Filter, Follower, Record, Report, read, since, verify};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The command that has these subcommands besides its own work.
pub(crate) const COMMAND: &str = "audit";
/// How many records are shown where nothing else is asked for.
const SHOWN: usize = 100;
/// Time between two looks at a log that is followed.
const LOOK: Duration = Duration::from_millis(100);

/// The subcommands.
pub(crate) fn subcommands() -> [Command; 3] {
    let file = || {
        Arg::new("log")
            .long("log")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .help("The audit log [default: the one that is configured, see HANDEYE_AUDIT_LOG]")
    };
    let filters = || {
        [
            Arg::new("app").long("app").value_name("APP").help("A part of the name or of the executable of the application"),
            Arg::new("tool").long("tool").value_name("TOOL").help("The name of the tool, as records have it"),
            Arg::new("kind")
                .long("kind")
                .value_parser(["intent", "outcome", "event"])
                .help("What was recorded: an intent before an action, the outcome after it, an event of the log itself"),
        ]
    };
    [
        Command::new("verify")
            .about("Check that nothing in the audit log was changed, removed or added")
            .long_about(
                "Checks the audit log of actions from its oldest file to its last line, and names the file, the line and the reason where \
                 something was changed, removed, moved or added. Exit code 16 if so. Records that were cut off at the very end \
                 leave no trace: keep the hash that is printed, and name it with --contains later.",
            )
            .arg(file())
            .arg(Arg::new("contains").long("contains").value_name("HASH").help(
                "Fail unless the log has the line with this hash, which an earlier check printed",
            )),
        Command::new("show")
            .about("Show the newest records of the audit log")
            .arg(file())
            .args(filters())
            .arg(Arg::new("since").long("since").value_name("TIME").value_parser(since).help(
                "From this time on: 2026-03-19T10:30:00Z, 2026-03-19, or how long ago: 90s, 10m, 2h, 7d",
            ))
            .arg(
                Arg::new("last")
                    .long("last")
                    .value_name("COUNT")
                    .value_parser(value_parser!(u32).range(1..=100_000))
                    .help("How many records at most [default: 100]"),
            ),
        Command::new("follow")
            .about("Show the records of the audit log as they are written")
            .long_about("Shows what is appended to the audit log of actions from now on, until Ctrl-C.")
            .arg(file())
            .args(filters()),
    ]
}

/// Whether a command is about the audit log of actions: then it needs no desktop.
pub fn is_about_audit_log(name: &str, arguments: &ArgMatches) -> bool {
    name == COMMAND && arguments.subcommand().is_some()
}

/// Runs a command about the audit log of actions. Blocks.
pub fn audit_log(arguments: &ArgMatches, output: &Output) -> ExitCode {
    let Some((name, arguments)) = arguments.subcommand() else {
        return report(&Error::internal("no subcommand"), output);
    };
    let done = place(arguments).and_then(|path| match name {
        "verify" => checked(&path, arguments, output),
        "follow" => followed(path, arguments, output),
        _ => shown(&path, arguments, output),
    });
    done.unwrap_or_else(|error| report(&error, output))
}

fn place(arguments: &ArgMatches) -> Result<PathBuf> {
    if let Some(path) = arguments.get_one::<PathBuf>("log") {
        return Ok(path.clone());
    }
    let settings = configured()?.ok_or_else(|| {
        Error::new(ErrorCode::InvalidParameter, "the audit log is switched off")
            .with_next("Name a log with --log, or set HANDEYE_AUDIT_LOG.")
    })?;
    Ok(settings.path)
}

fn unreadable(fault: &Fault) -> Error {
    Error::new(ErrorCode::Io, fault.to_string())
}

fn printed(result: std::io::Result<()>, code: u8) -> ExitCode {
    match result {
        Ok(()) => ExitCode::from(code),
        Err(fault) => unprinted(&fault),
    }
}

fn checked(path: &Path, arguments: &ArgMatches, output: &Output) -> Result<ExitCode> {
    let wanted = arguments.get_one::<String>("contains").map(|hash| hash.trim().to_lowercase());
    let found = verify(path, wanted.as_deref()).map_err(|fault| unreadable(&fault))?;
    let fields = json!({
        "sound": found.is_sound(),
        "log": path.display().to_string(),
        "files": found.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "records": found.records,
        "processes": found.processes,
        "open_processes": found.open,
        "head": found.head,
        "contains": found.contains,
        "removed_files": found.removed,
        "torn": found.torn.iter().map(|(file, line)| json!({ "file": file.display().to_string(), "line": line })).collect::<Vec<_>>(),
        "unfinished": found.unfinished.iter().map(|one| json!({
            "file": one.file.display().to_string(), "line": one.line, "process": one.process, "seq": one.seq,
        })).collect::<Vec<_>>(),
        "unfinished_count": found.unfinished_count,
        "broken": found.broken.as_ref().map(|broken| json!({
            "file": broken.file.display().to_string(), "line": broken.line, "reason": broken.reason,
        })),
    });
    let code = if found.is_sound() { 0 } else { ErrorCode::AssertionFailed.exit_code() };
    Ok(printed(output.answer(&fields, &[], || in_words(path, &found)), code))
}

fn in_words(path: &Path, found: &Report) -> String {
    let mut lines = Vec::new();
    match &found.broken {
        Some(broken) if broken.line == 0 => {
            lines.push(format!("Broken: {} {}", broken.file.display(), broken.reason));
        }
        Some(broken) => {
            lines.push(format!("Broken: {}, line {}: {}", broken.file.display(), broken.line, broken.reason));
        }
        None if found.contains == Some(false) => {
            lines.push("Broken: no line has the hash that was asked for".to_owned());
        }
        None if found.files.is_empty() => lines.push(format!("There is no audit log at {}", path.display())),
        None => lines.push(format!("Sound: {}", path.display())),
    }
    lines.push(format!(
        "{} records of {} processes in {} files are as they were written",
        found.records,
        found.processes,
        found.files.len()
    ));
    if found.removed > 0 {
        lines.push(format!("{} older files were removed, which is recorded", found.removed));
    }
    lines.extend(found.torn.iter().map(|(file, line)| {
        format!("{}, line {line}: a write was cut off there, which is recorded", file.display())
    }));
    if found.unfinished_count > 0 {
        lines.push(format!(
            "{} actions have no outcome: their process was ended, or is at it still",
            found.unfinished_count
        ));
    }
    lines.extend(found.unfinished.iter().map(|one| format!("  {}, line {}", one.file.display(), one.line)));
    if let Some(head) = &found.head {
        lines.push(format!("Hash of the last line: {head}"));
    }
    lines.iter().map(|line| harmless(line)).collect::<Vec<_>>().join("\n")
}

fn filter(arguments: &ArgMatches) -> Filter {
    let text = |name: &str| arguments.get_one::<String>(name).cloned();
    Filter {
        application: text("app"),
        tool: text("tool"),
        kind: text("kind"),
        since: arguments.try_get_one::<String>("since").ok().flatten().cloned(),
    }
}

fn shown(path: &Path, arguments: &ArgMatches, output: &Output) -> Result<ExitCode> {
    let most = arguments.get_one::<u32>("last").map_or(SHOWN, |count| *count as usize);
    let (records, unreadable_lines) =
        read(path, &filter(arguments), most).map_err(|fault| unreadable(&fault))?;
    let messages = if unreadable_lines > 0 {
        vec![format!("{unreadable_lines} lines are not records; handeye audit verify names the first one")]
    } else {
        Vec::new()
    };
    let fields = json!({ "records": records.iter().map(|record| &record.fields).collect::<Vec<_>>() });
    let text = || {
        if records.is_empty() {
            return "No record.".to_owned();
        }
        let head = COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect();
        let table = Table { head, rows: records.iter().map(row).collect() };
        table::under(&format!("The newest {} records of {}:", records.len(), path.display()), table)
    };
    Ok(printed(output.answer(&fields, &messages, text), 0))
}

/// A column of the table: its name, and what it has of a record.
type Column = (&'static str, fn(&Value) -> String);

const COLUMNS: [Column; 8] = [
    ("TIME", |record| of(&record["timestamp"])),
    ("KIND", |record| of(&record["kind"])),
    ("TOOL", |record| if record["event"].is_null() { of(&record["tool"]) } else { of(&record["event"]) }),
    ("APPLICATION", |record| {
        let target = &record["target"];
        let name =
            if target["application"].is_null() { &record["args"]["app"] } else { &target["application"] };
        of(name)
    }),
    ("TARGET", target),
    ("ROUTE", |record| of(&record["route"])),
    ("RESULT", |record| joined(&[of(&record["result"]), of(&record["effect"]), of(&record["error"])])),
    ("FLAGS", |record| {
        let flags = record["security_flags"].as_array().cloned().unwrap_or_default();
        flags.iter().map(of).collect::<Vec<_>>().join(",")
    }),
];

fn of(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    handeye_core::screen_text::line(&text, 60)
}

fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(" ")
}

fn target(record: &Value) -> String {
    let target = &record["target"];
    let title = of(&target["title"]);
    let title = if title.is_empty() { title } else { format!("\"{title}\"") };
    let place = target["position"].as_array().map(|_| of(&target["position"])).unwrap_or_default();
    let named = joined(&[of(&target["role"]), title, of(&target["reference"])]);
    if named.is_empty() { place } else { named }
}

fn row(record: &Record) -> Vec<String> {
    COLUMNS.iter().map(|(_, column)| column(&record.fields)).collect()
}

/// Prints what is appended until a signal ends this process, or nobody reads any more.
fn followed(path: PathBuf, arguments: &ArgMatches, output: &Output) -> Result<ExitCode> {
    let wanted = filter(arguments);
    let mut follower = Follower::new(path).map_err(|fault| unreadable(&fault))?;
    loop {
        for record in follower.appended().map_err(|fault| unreadable(&fault))? {
            if !wanted.wants(&record.fields) {
                continue;
            }
            let line = match output.format {
                Format::Quiet => continue,
                Format::Text => joined(&row(&record)),
                // One object a line, as the file has them.
                Format::Json | Format::Envelope => record.fields.to_string(),
            };
            if let Err(fault) = write_all(format!("{line}\n").as_bytes()) {
                complain(&format!("handeye: {fault}\n"));
                return Ok(unprinted(&fault));
            }
        }
        std::thread::sleep(LOOK);
    }
}
