//! A program of an isolated desktop, seen from outside: this process has it started inside with its own streams, passes signals on to
//! it, and ends with its exit code. When this process ends first, the program is ended.

use super::message::{Reply, Request, launcher, letters, receive, send, send_files};
use super::streams::Streams;
use crate::desktop::forward::Signals;
use crate::desktop::launch::SUPERVISOR_ARGUMENT;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The argument that makes a supervisor's executable this process.
pub(in crate::desktop) const ENTER_ARGUMENT: &str = "--enter";
/// Variables of a caller that its program gets beside those of the sandbox.
const PASSED_ON: [&str; 4] = ["COLORTERM", "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "TERM"];

/// What starts a program inside of the desktop in `folder`; the program and its arguments follow.
pub(in crate::desktop) fn words(folder: &Path) -> Vec<OsString> {
    std::iter::once("/proc/self/exe".into()).chain(arguments(folder, &[])).collect()
}

/// The arguments of this executable that do it, with the variables that the program gets of its caller.
pub(in crate::desktop) fn arguments(folder: &Path, variables: &[&str]) -> [OsString; 4] {
    [SUPERVISOR_ARGUMENT.into(), ENTER_ARGUMENT.into(), folder.into(), variables.join(",").into()]
}

/// Runs this process as the outer end of a program, for the arguments after [`ENTER_ARGUMENT`].
pub(in crate::desktop) fn enter(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(folder), Some(variables)) = (arguments.next().map(PathBuf::from), arguments.next()) else {
        eprintln!("handeye: this is a part of `handeye desktop` and not meant to be called");
        return ExitCode::from(2);
    };
    let command: Vec<OsString> = arguments.collect();
    match run(&folder, &variables, &command) {
        Ok(Reply::Ended(code)) => ExitCode::from(code),
        Ok(Reply::NotStarted(code, why)) => {
            eprintln!("handeye: {why}");
            ExitCode::from(code)
        }
        Ok(Reply::Failed(why)) => failed(&why),
        Ok(Reply::Listening) => failed("the answer is another question's"),
        Err(error) => failed(&error.to_string()),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("handeye: the program cannot be started in the sandbox: {why}");
    ExitCode::FAILURE
}

fn run(folder: &Path, variables: &OsStr, command: &[OsString]) -> io::Result<Reply> {
    let signals = Signals::listen().map_err(io::Error::other)?;
    let line = UnixStream::connect(launcher(folder))?;
    let named = variables.to_string_lossy();
    let named = named.split(',').chain(PASSED_ON).filter(|name| !name.is_empty());
    let variables: BTreeMap<String, String> =
        named.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect();
    // A folder that has been removed is as good as one that is not shared.
    let folder = std::env::current_dir().unwrap_or_default();
    let command = command.iter().map(|word| letters(word)).collect();
    send(&line, &Request::Start { command, variables, folder })?;
    let streams = Streams::open()?;
    send_files(&line, &streams.inside())?;
    let streams = streams.sent();
    signals.forward_to(line.try_clone()?).map_err(io::Error::other)?;
    let gone = || io::Error::new(io::ErrorKind::UnexpectedEof, "the sandbox has ended");
    let reply = receive(&line)?.ok_or_else(gone);
    streams.drain();
    reply
}
