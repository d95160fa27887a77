//! Systems that handeye has no desktop for yet: whatever needs one fails at its start, everything else works.

use clap::{ArgMatches, Command};
use handeye_cli::Output;
use handeye_core::{Error, ErrorCode, Platform, Result, Rules};
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

/// There are none.
pub(crate) const PRIVATE_DESKTOP_OPTIONS: &[&str] = &[];

fn unsupported() -> Error {
    Error::new(
        ErrorCode::NotSupported,
        format!("handeye cannot work on the desktop of {} yet", std::env::consts::OS),
    )
    .with_next("Run it on Linux, in a session with X11.")
}

/// No process is a part of another one.
pub(crate) fn part_of_this_program() -> Option<ExitCode> {
    None
}

/// There is none.
///
/// # Errors
/// Always: [`ErrorCode::NotSupported`].
pub(crate) fn find_session() -> Result<()> {
    Err(unsupported())
}

/// There is none.
///
/// # Errors
/// Always: [`ErrorCode::NotSupported`].
pub(crate) fn desktop(_rules: &Arc<dyn Rules>, _shows_cursor: bool) -> Result<Platform> {
    Err(unsupported())
}

/// This very program in a process of its own. Where its file is not known, it is looked for by its name.
pub(crate) fn own_process() -> std::process::Command {
    std::process::Command::new(std::env::current_exe().unwrap_or_else(|_| "handeye".into()))
}

/// A program of the desktop.
pub(crate) fn program_of_desktop(program: &std::ffi::OsStr) -> std::process::Command {
    std::process::Command::new(program)
}

/// What the file system knows of the file of this name, which may be another one by now.
///
/// # Errors
/// If there is none.
pub(crate) fn own_file() -> io::Result<Metadata> {
    std::fs::metadata(std::env::current_exe()?)
}

/// Does what this process is for, in its first thread.
pub(crate) fn beside_the_system<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    work()
}

/// There are none.
pub(crate) fn commands() -> Vec<Command> {
    Vec::new()
}

/// Whether this is the name of one of [`commands`].
pub(crate) fn is_command(_name: &str) -> bool {
    false
}

/// There is none to run.
///
/// # Errors
/// Always: [`ErrorCode::NotSupported`].
pub(crate) fn run_command(_arguments: &ArgMatches, _output: &Output) -> Result<ExitCode> {
    Err(unsupported())
}

/// There are none.
pub(crate) fn private_desktop_options(command: Command) -> Command {
    command
}

/// There can be none.
///
/// # Errors
/// Always: [`ErrorCode::NotSupported`].
pub(crate) fn run_in_private_desktop(_options: &ArgMatches, _program: &[OsString]) -> Result<ExitCode> {
    Err(unsupported())
}

/// The desktop session of this process: there is none, so nothing belongs to it.
pub(crate) mod session {
    use super::unsupported;
    use handeye_core::Result;
    use std::path::{Path, PathBuf};

    /// There is none to name.
    ///
    /// # Errors
    /// Always: [`NotSupported`](handeye_core::ErrorCode::NotSupported).
    pub(crate) fn name_with(_distinction: &str) -> Result<String> {
        Err(unsupported())
    }

    /// There is none.
    ///
    /// # Errors
    /// Always: [`NotSupported`](handeye_core::ErrorCode::NotSupported).
    pub(crate) fn make_control_folder() -> Result<PathBuf> {
        Err(unsupported())
    }

    /// There are none.
    pub(crate) fn control_folders() -> Vec<PathBuf> {
        Vec::new()
    }

    /// Where nothing is.
    pub(crate) fn socket_folder() -> PathBuf {
        std::env::temp_dir()
    }

    /// Makes no folder.
    ///
    /// # Errors
    /// Always: [`NotSupported`](handeye_core::ErrorCode::NotSupported).
    pub(crate) fn make_socket_folder(_folder: &Path) -> Result<()> {
        Err(unsupported())
    }

    /// It has.
    pub(crate) fn ended() -> std::future::Ready<()> {
        std::future::ready(())
    }
}
