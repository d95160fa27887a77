//! The first process inside: starts programs for clients of its socket, with the streams that they send, and ends one when nobody
//! waits for it any more. It ends with the sandbox.

use super::message::{Reply, Request, receive, receive_files, send, send_files, word};
use crate::desktop::channel::Order;
use crate::desktop::processes::{Process, descendants_of, end_all};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::Duration;

/// The argument that makes a supervisor's executable this process.
pub(in crate::desktop) const INSIDE_ARGUMENT: &str = "--inside";
/// What it writes when it listens.
pub(super) const READY: &str = "ready";
/// How long a program gets to end that nobody waits for.
const GRACE: Duration = Duration::from_secs(2);
/// How long a message may take that has begun.
const MESSAGE_DEADLINE: Duration = Duration::from_secs(5);

/// The exit code of a shell that finds no such program.
const NOT_FOUND: u8 = 127;
/// The exit code of a shell that cannot run the program.
const NOT_RUNNABLE: u8 = 126;

/// Runs this process as the first one inside. Its standard input is the socket that listens.
pub(in crate::desktop) fn inside_main() -> ExitCode {
    match listen() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("handeye: the sandbox cannot take programs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn listen() -> io::Result<()> {
    let listener = UnixListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    writeln!(io::stdout(), "{READY}")?;
    loop {
        let (line, _) = listener.accept()?;
        // One thread for each program that runs; programs limit themselves, as those of a session without a sandbox do.
        let serving = std::thread::Builder::new().name("program".into()).spawn(move || {
            if let Err(error) = serve(&line) {
                tracing::debug!(%error, "a caller went away");
            }
        });
        if let Err(error) = serving {
            eprintln!("handeye: a program was not started: {error}");
        }
    }
}

fn serve(line: &UnixStream) -> io::Result<()> {
    line.set_read_timeout(Some(MESSAGE_DEADLINE))?;
    match receive(line)? {
        Some(Request::Start { command, variables, folder }) => {
            let streams = receive_files(line)?;
            let words: Vec<OsString> = command.iter().map(|letters| word(letters)).collect();
            let reply = match start(&words, &variables, &folder, streams) {
                Ok(program) => Reply::Ended(code_of(attend(line, program)?)),
                Err(error) => not_started(&words, &error),
            };
            send(line, &reply)
        }
        Some(Request::Listen(addresses)) => match bind(&addresses) {
            Ok(sockets) => {
                send(line, &Reply::Listening)?;
                let sockets: Vec<_> = sockets.iter().map(AsFd::as_fd).collect();
                send_files(line, &sockets)
            }
            Err(error) => send(line, &Reply::Failed(error.to_string())),
        },
        None => Ok(()),
    }
}

fn start(
    words: &[OsString],
    variables: &BTreeMap<String, String>,
    folder: &Path,
    streams: Vec<OwnedFd>,
) -> io::Result<Child> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let streams: [OwnedFd; 3] = streams.try_into().map_err(|_| io::ErrorKind::InvalidInput)?;
    let [input, output, errors] = streams;
    let home = std::env::var_os("HOME").map_or_else(|| "/".into(), PathBuf::from);
    let folder = if folder.is_dir() { folder } else { &home };
    let mut command = Command::new(program);
    command.args(arguments).envs(variables).current_dir(folder).process_group(0);
    command.stdin(input).stdout(output).stderr(errors).spawn()
}

fn not_started(words: &[OsString], error: &io::Error) -> Reply {
    let name = words.first().map(|program| program.to_string_lossy().into_owned()).unwrap_or_default();
    if error.kind() == io::ErrorKind::NotFound {
        let why =
            format!("there is no program '{name}' in the sandbox; `--allow-path` shares a folder with it");
        return Reply::NotStarted(NOT_FOUND, why);
    }
    Reply::NotStarted(NOT_RUNNABLE, format!("cannot run {name}: {error}"))
}

/// Passes signals on to a program until it ends. When its caller is gone, it is ended with all that it has started.
fn attend(line: &UnixStream, mut program: Child) -> io::Result<ExitStatus> {
    let pid = i32::try_from(program.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut polled = [PollFd::new(&handle, PollFlags::IN), PollFd::new(line, PollFlags::IN)];
        match poll(&mut polled, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !polled[0].revents().is_empty() {
            return program.wait();
        }
        if polled[1].revents().is_empty() {
            continue;
        }
        let Ok(Some(Order::Signal { number, .. })) = receive(line) else {
            end_with_descendants(pid.as_raw_pid());
            return program.wait();
        };
        // The program is this process's child and not reaped yet: the number is still its own.
        if let Some(signal) = Signal::from_named_raw(number)
            && let Err(error) = kill_process(pid, signal)
        {
            tracing::debug!(%error, "signal was not delivered");
        }
    }
}

fn end_with_descendants(program: i32) {
    let own = Process::of(program);
    let living = || own.filter(|own| own.is_running()).into_iter().chain(descendants_of(program)).collect();
    end_all(living, GRACE);
}

/// The way of a shell: 128 and the number of a signal.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|number| 128 + number));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

fn bind(addresses: &[SocketAddr]) -> io::Result<Vec<TcpListener>> {
    let bind = |address: &SocketAddr| {
        TcpListener::bind(address)
            .map_err(|error| io::Error::new(error.kind(), format!("{address}: {error}")))
    };
    addresses.iter().map(bind).collect()
}
