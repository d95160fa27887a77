//! `handeye run FILE`: a workflow from a file, with variables.

use super::Input;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use handeye_flow::file;
use serde_json::Value;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The command line.
#[derive(Args)]
struct Line {
    /// YAML or JSON; '-' is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Value of a variable of the workflow; can be repeated
    #[arg(long = "var", value_name = "NAME=VALUE")]
    variables: Vec<String>,
    /// Check all of it and do nothing
    #[arg(long)]
    dry_run: bool,
    // The help shows no backticks.
    #[arg(long, help = "Write a JUnit report there", value_name = "PATH")]
    junit: Option<PathBuf>,
}

impl TryFrom<Line> for Input {
    type Error = String;

    fn try_from(line: Line) -> Result<Self, String> {
        let text = read(&line.file)?;
        let mut flow = file::parse(&text).map_err(|error| match error.next {
            Some(next) => format!("{}. {next}", error.message),
            None => error.message,
        })?;
        for variable in &line.variables {
            let (name, value) = variable
                .split_once('=')
                .ok_or_else(|| format!("'{variable}' is not of the form NAME=VALUE"))?;
            flow.variables.insert(name.to_owned(), Value::String(value.to_owned()));
        }
        let junit = line.junit.map(std::path::absolute).transpose().map_err(|fault| fault.to_string())?;
        let name = flow.name.or_else(|| Some(line.file.file_stem()?.to_str()?.to_owned()));
        Ok(Self {
            steps: flow.steps,
            file: None,
            name,
            variables: flow.variables,
            dry_run: line.dry_run,
            junit,
        })
    }
}

/// The text of a file, or of standard input.
fn read(path: &Path) -> Result<String, String> {
    let limit = u64::try_from(file::MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().take(limit).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text))
    };
    read.map_err(|fault| format!("'{}' could not be read: {fault}", path.display()))?;
    Ok(text)
}

impl FromArgMatches for Input {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::try_from(Line::from_arg_matches(matches)?)
            .map_err(|fault| clap::Error::raw(ErrorKind::ValueValidation, fault))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Input {
    fn augment_args(command: Command) -> Command {
        Line::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Line::augment_args_for_update(command)
    }
}
