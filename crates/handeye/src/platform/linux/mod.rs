//! Linux: desktops on X11 with AT-SPI, and private desktops.

mod desktop_command;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use desktop_command::{SandboxOptions, ScreenOptions};
use handeye_cli::Output;
use handeye_core::{Error, ErrorCode, Platform, Result, Rules};
use handeye_linux::desktop::{SUPERVISOR_ARGUMENT, Surrounding, SurroundingSandbox, run, supervisor_main};
use handeye_linux::own_program::own_program;
use handeye_linux::{
    COPIES_ARGUMENT, KEEPER_ARGUMENT, SCRIPTS_ARGUMENT, copies_main, discovery, keeper_main, scripts_main,
};
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) use handeye_linux::own_program::own_file;
pub(crate) use handeye_linux::session;

/// The options of [`private_desktop_options`], by their ids.
pub(crate) const PRIVATE_DESKTOP_OPTIONS: &[&str] =
    &["size", "monitors", "scale", "isolate", "allow_path", "allow_host"];

/// When this process was started as a part of another one: is that part, and returns its exit code.
pub(crate) fn part_of_this_program() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next()?;
    if first == KEEPER_ARGUMENT {
        return Some(keeper_main());
    }
    if first == COPIES_ARGUMENT {
        return Some(copies_main());
    }
    if first == SCRIPTS_ARGUMENT {
        return Some(scripts_main());
    }
    (first == SUPERVISOR_ARGUMENT).then(|| supervisor_main(arguments))
}

/// Does what this process is for, in its first thread: no port of this system needs that thread for itself.
pub(crate) fn beside_the_system<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    work()
}

/// Makes this process one of the user's desktop session, where its environment does not name it. Call it before there is a runtime.
///
/// # Errors
/// If that takes this program to start itself again, and it cannot.
pub(crate) fn find_session() -> Result<()> {
    discovery::complete_environment()
}

/// The desktop session of this process, without what `rules` deny in other applications, and with a cursor that shows where an
/// agent acts, if so wanted. Nothing is connected before the first call needs it.
#[expect(clippy::unnecessary_wraps, reason = "other systems have none")]
pub(crate) fn desktop(rules: &Arc<dyn Rules>, shows_cursor: bool) -> Result<Platform> {
    Ok(handeye_linux::platform(rules, shows_cursor))
}

/// This very program in a process of its own, as a part of the private desktop that surrounds this one.
pub(crate) fn own_process() -> std::process::Command {
    let mut command = own_program("handeye");
    if let Some(desktop) = Surrounding::of_this_process() {
        desktop.admit(&mut command);
    }
    command
}

/// A program of the desktop that surrounds this process: inside of its sandbox, where it has one.
pub(crate) fn program_of_desktop(program: &OsStr) -> std::process::Command {
    match SurroundingSandbox::of_this_process() {
        Some(sandbox) => {
            let mut command = own_program("handeye");
            sandbox.enter(&mut command, &[]).arg(program);
            command
        }
        None => std::process::Command::new(program),
    }
}

/// The commands that only this system has.
pub(crate) fn commands() -> Vec<Command> {
    vec![desktop_command::command().about("Run programs in a private desktop that is not visible")]
}

/// Whether this is the name of one of [`commands`].
pub(crate) fn is_command(name: &str) -> bool {
    name == desktop_command::NAME
}

/// Runs one of [`commands`]. Blocks, and must not run inside of a runtime.
pub(crate) fn run_command(arguments: &ArgMatches, output: &Output) -> Result<ExitCode> {
    desktop_command::run(arguments, output)
}

/// Adds what a private desktop should look like to the options of a command.
pub(crate) fn private_desktop_options(command: Command) -> Command {
    SandboxOptions::augment_args(ScreenOptions::augment_args(command))
}

/// Runs a program in a private desktop that looks as the `options` say, and ends the desktop with it. Blocks, and must not run inside
/// of a runtime.
///
/// # Errors
/// If there can be no such desktop.
pub(crate) fn run_in_private_desktop(options: &ArgMatches, program: &[OsString]) -> Result<ExitCode> {
    let invalid = |fault: clap::Error| Error::new(ErrorCode::InvalidParameter, fault.to_string());
    let screen = ScreenOptions::from_arg_matches(options).map_err(invalid)?;
    let sandbox = SandboxOptions::from_arg_matches(options).map_err(invalid)?;
    Ok(ExitCode::from(run(&screen.options(None, sandbox.isolation(false)), program)?))
}
