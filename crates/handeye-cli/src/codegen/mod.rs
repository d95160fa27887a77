//! `handeye codegen`: a workflow as a program that others can read and change.

mod python;
mod shell;

use crate::exit::{report, unprinted};
use crate::output::{Output, harmless, write_all};
use clap::{Arg, ArgMatches, Command, ValueEnum, value_parser};
use handeye_core::{Error, ErrorCode, Result};
use handeye_flow::{Flow, OnFail, Step, file};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// A script of handeye commands for a POSIX shell.
    Shell,
    /// A test for pytest, which needs Python alone.
    Python,
}

/// The `codegen` command.
pub fn command() -> Command {
    Command::new("codegen")
        .about("Write a workflow as a shell script or a Python test")
        .long_about("Writes a workflow, such as a recording, as a shell script of handeye commands or as a test for pytest.")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("YAML or JSON; '-' is standard input"),
        )
        .arg(
            Arg::new("language")
                .long("language")
                .required(true)
                .value_parser(value_parser!(Language))
                .help("What to write"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("The file [default: standard output]"),
        )
}

/// Writes the program.
pub fn codegen(matches: &ArgMatches, output: &Output) -> ExitCode {
    let written = text(matches).and_then(|text| match matches.get_one::<PathBuf>("output") {
        None => Ok(write_all(text.as_bytes())),
        Some(path) => {
            std::fs::write(path, text).map_err(|fault| io(path, "written", &fault))?;
            let shown = path.display().to_string();
            let fields = serde_json::json!({ "path": shown });
            Ok(output.answer(&fields, &[], || harmless(&format!("Wrote {shown}."))))
        }
    });
    match written {
        Ok(printed) => printed.map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS),
        Err(error) => report(&error, output),
    }
}

fn text(matches: &ArgMatches) -> Result<String> {
    let path =
        matches.get_one::<PathBuf>("file").ok_or_else(|| Error::invalid_parameter("file", "is missing"))?;
    let language = matches
        .get_one::<Language>("language")
        .ok_or_else(|| Error::invalid_parameter("language", "is missing"))?;
    let flow = file::parse(&read(path)?)?;
    let name = flow.name.clone().or_else(|| Some(path.file_stem()?.to_str()?.to_owned()));
    let name = name.unwrap_or_else(|| "workflow".to_owned());
    for (index, step) in flow.steps.iter().enumerate() {
        check(index, step)?;
    }
    match language {
        Language::Shell => shell::script(&flow, &name),
        Language::Python => python::test(&flow, &name),
    }
}

/// What neither language can do.
fn check(index: usize, step: &Step) -> Result<()> {
    if step.on_fail == OnFail::Rollback {
        return Err(unfit(index, step, "takes back what was done when it fails", "`handeye run` does that."));
    }
    if crate::spelling::operation(&step.tool).is_none() {
        return Err(unfit(
            index,
            step,
            "has a tool that does not exist",
            "`handeye run --dry-run` lists all faults.",
        ));
    }
    Ok(())
}

/// A step that cannot be written.
fn unfit(index: usize, step: &Step, why: &str, next: &'static str) -> Error {
    let tool = handeye_core::screen_text::line(&step.tool, 40);
    Error::new(ErrorCode::NotSupported, format!("nothing was written: step {} ({tool}) {why}", index + 1))
        .with_next(next)
}

fn io(path: &Path, what: &str, fault: &std::io::Error) -> Error {
    Error::new(ErrorCode::Io, format!("'{}' could not be {what}: {fault}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    let limit = u64::try_from(file::MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().take(limit).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text))
    };
    read.map_err(|fault| io(path, "read", &fault))?;
    Ok(text)
}

/// A text as a comment line.
fn comment(text: &str) -> String {
    harmless(&text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect::<String>())
}

/// The names of the variables that a workflow has or asks for, each once, in order.
fn variables(flow: &Flow) -> Result<Vec<String>> {
    use handeye_flow::template::{Source, sources};
    let mut names: Vec<String> = flow.variables.keys().cloned().collect();
    for step in &flow.steps {
        let value = serde_json::to_value(step).map_err(Error::internal)?;
        let used = sources(&value).map_err(|why| Error::new(ErrorCode::InvalidParameter, why))?;
        for source in used {
            if let Source::Variable(name) = source
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
    Ok(names)
}
