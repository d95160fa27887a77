//! `handeye skill`: the skill for agents that work in a shell, printed or put where they look for skills.

use crate::exit::{report, unprinted};
use crate::output::{Format, Output, harmless, write_all};
use clap::{Arg, ArgMatches, Command, value_parser};
use handeye_core::{Error, ErrorCode, Result};
use handeye_service::skill::{NAME, SKILL_MD};
use serde_json::json;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where Claude Code looks for a person's skills, in the home directory.
const USUAL: &str = ".claude/skills/handeye";
/// The file in the folder of a skill.
const FILE: &str = "SKILL.md";

/// The `skill` command.
pub(crate) fn command() -> Command {
    Command::new("skill")
        .about("Print or install the skill for agents that work in a shell")
        .long_about(
            "Prints SKILL.md, which tells an agent how to use handeye from a shell. With install, writes it where agents look for \
             skills.",
        )
        .disable_help_subcommand(true)
        .subcommand(
            Command::new("install").about("Write SKILL.md into a folder of skills").arg(
                Arg::new("dir")
                    .long("dir")
                    .value_name("DIR")
                    .value_parser(value_parser!(PathBuf))
                    .help("The folder for the file [default: ~/.claude/skills/handeye]"),
            ),
        )
}

/// Prints or installs it.
pub fn skill(matches: &ArgMatches, output: &Output) -> ExitCode {
    let printed = match matches.subcommand_matches("install") {
        None => match output.format {
            Format::Text => write_all(SKILL_MD.as_bytes()),
            _ => output.answer(&json!({ "name": NAME, "text": SKILL_MD }), &[], String::new),
        },
        Some(install) => {
            let folder = install.get_one::<PathBuf>("dir").cloned().or_else(usual_folder);
            match folder.ok_or_else(no_home).and_then(|folder| put(&folder)) {
                Ok(path) => {
                    let path = path.display().to_string();
                    output.answer(&json!({ "path": path }), &[], || harmless(&format!("Installed {path}")))
                }
                Err(error) => return report(&error, output),
            }
        }
    };
    printed.map_or_else(|fault| unprinted(&fault), |()| ExitCode::SUCCESS)
}

fn usual_folder() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(Path::new(&home).join(USUAL))
}

fn no_home() -> Error {
    Error::invalid_parameter("dir", "is needed, as HOME is not set")
}

/// Writes the file, in place of an older one of handeye and of nothing else.
fn put(folder: &Path) -> Result<PathBuf> {
    let path = folder.join(FILE);
    let fault = |error: std::io::Error| {
        Error::new(ErrorCode::Io, format!("{} cannot be written: {error}", path.display()))
    };
    match fs::read(&path) {
        Ok(old) if !old.starts_with(format!("---\nname: {NAME}\n").as_bytes()) => {
            let message = format!("{} is not a skill of handeye", path.display());
            return Err(Error::new(ErrorCode::InvalidParameter, message)
                .with_next("Choose another folder with --dir."));
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir_all(folder).map_err(fault)?,
        Err(error) => return Err(fault(error)),
    }
    fs::write(&path, SKILL_MD).map_err(fault)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_replaces_an_older_one_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("handeye-skill-{}", std::process::id()));
        let path = put(&folder.join("new/handeye")).expect("a new folder");
        assert_eq!(fs::read_to_string(&path).expect("there"), SKILL_MD);
        fs::write(&path, format!("---\nname: {NAME}\nold: true\n---\n")).expect("written");
        put(&folder.join("new/handeye")).expect("an older one");
        assert_eq!(fs::read_to_string(&path).expect("there"), SKILL_MD);
        fs::write(&path, "---\nname: other\n---\n").expect("written");
        let error = put(&folder.join("new/handeye")).expect_err("somebody else's");
        assert_eq!(error.code, ErrorCode::InvalidParameter);
        assert!(fs::read_to_string(&path).expect("there").contains("other"));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
