//! `handeye record`: what the person at the desktop does, as a workflow.

use crate::command::Globals;
use crate::exit::{report, unprinted};
use crate::format::Format;
use crate::output::{complain, harmless, write_all};
use crate::person::ask_yes_no;
use crate::run::cancelled_by_signal;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use handeye_act::Agreed;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::Engine;
use handeye_flow::{Flow, writing};
use handeye_recording::{LONGEST, Recorded, Why, begin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The `record` command.
pub fn command() -> Command {
    Command::new("record")
        .about("Record what you do as a workflow")
        .long_about(
            "Records what you do in applications, by element and not by pixel, until Ctrl-C. Clicks become steps that name the \
             element; what you type becomes the value that the field holds afterwards. Which keys you press in a password \
             field is never known: such a step has a variable. handeye replay runs the file.",
        )
        .arg(Arg::new("app").long("app").value_name("APP").help("Record this application alone [default: all]"))
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("The file; JSON if its name ends with .json, else YAML [default: standard output]"),
        )
        .arg(
            Arg::new("for")
                .long("for")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..=LONGEST.as_secs()))
                .help("End after this time [default: 1800]"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .action(ArgAction::SetTrue)
                .help("Begin without the question whether you want to be recorded"),
        )
}

/// Records until a signal or the end of the time, and writes the file.
pub async fn record(engine: &Engine, matches: &ArgMatches, globals: &Globals) -> ExitCode {
    let recorded = match recorded(engine, matches, globals).await {
        Ok(recorded) => recorded,
        Err(error) => return report(&error, &globals.output),
    };
    let path = matches.get_one::<PathBuf>("output").map(PathBuf::as_path);
    match write(&recorded, path, globals).await {
        Ok(code) => code,
        Err(error) => report(&error, &globals.output),
    }
}

async fn recorded(engine: &Engine, matches: &ArgMatches, globals: &Globals) -> Result<Recorded> {
    engine.desk.can_watch_user()?;
    let agreed = agreed(matches, globals).await?;
    let stopped = cancelled_by_signal()?;
    let only = match matches.get_one::<String>("app") {
        Some(name) => Some(engine.desk.connect(name).await?),
        None => None,
    };
    let what =
        only.as_ref().map_or_else(|| "all applications".to_owned(), |app| app.application().name.clone());
    let limit = matches.get_one::<u64>("for").map_or(LONGEST, |seconds| Duration::from_secs(*seconds));
    let mut recording = begin(&engine.desk, agreed, only, limit).await?;
    complain(&format!("Recording what you do in {}. Ctrl-C ends it.\n", harmless(&what)));
    let ended = tokio::select! {
        ended = recording.ended() => Some(ended),
        () = stopped.cancelled() => None,
    };
    match ended {
        Some(ended) => ended,
        None => recording.stop().await,
    }
}

/// That the person wants to be recorded.
async fn agreed(matches: &ArgMatches, globals: &Globals) -> Result<Agreed> {
    if matches.get_flag("yes") {
        return Ok(Agreed::at_the_terminal());
    }
    let globals = globals.clone();
    let question = "Record what you click and type on this desktop (passwords are left out)?";
    let asked =
        tokio::task::spawn_blocking(move || ask_yes_no(&globals, question)).await.map_err(Error::internal)?;
    match asked.map_err(|fault| Error::new(ErrorCode::Io, format!("the terminal cannot be used: {fault}")))? {
        Some(true) => Ok(Agreed::at_the_terminal()),
        Some(false) => Err(Error::new(ErrorCode::Declined, "nothing is recorded, as you answered no")),
        None => Err(Error::new(
            ErrorCode::Blocked,
            "a recording needs a person's yes, and nobody can be asked here",
        )
        .with_next("Run it in a terminal, or with --yes if you are the person who is recorded.")),
    }
}

async fn write(recorded: &Recorded, path: Option<&Path>, globals: &Globals) -> Result<ExitCode> {
    let flow = &recorded.flow;
    for note in &flow.notes {
        complain(&format!("Not recorded: {}.\n", harmless(note)));
    }
    if let Some(ended) = ended_early(recorded.why) {
        complain(&format!("{ended}\n"));
    }
    let Some(path) = path else {
        let text =
            if globals.output.format == Format::Text { writing::yaml(flow)? } else { writing::json(flow)? };
        return Ok(write_all(text.as_bytes()).map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS));
    };
    let in_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let text = if in_json { writing::json(flow)? } else { writing::yaml(flow)? };
    tokio::fs::write(path, text).await.map_err(|fault| {
        Error::new(ErrorCode::Io, format!("'{}' cannot be written: {fault}", path.display()))
    })?;
    Ok(printed(flow, path, globals))
}

fn printed(flow: &Flow, path: &Path, globals: &Globals) -> ExitCode {
    let fields = serde_json::json!({ "path": path, "steps": flow.steps.len(), "notes": flow.notes });
    let text = || harmless(&format!("Recorded {} steps in {}.", flow.steps.len(), path.display()));
    let shown = globals.output.answer(&fields, &[], text);
    shown.map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS)
}

const fn ended_early(why: Why) -> Option<&'static str> {
    match why {
        Why::Stopped => None,
        Why::Time => Some("The recording ended as its time was over."),
        Why::Full => Some("The recording ended as a workflow can have no more steps."),
        Why::Lost => Some("The recording ended with the display, or with its sign on the screen."),
    }
}
