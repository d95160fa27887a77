//! The process that runs one script and ends everything of it.

use super::{Order, Report, SHELL};
use crate::desktop::processes::{descendants_of, end_all};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper, setsid};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The first argument that makes the executable the watcher of a script. It finds its line at standard input; its other streams are those of
/// the script.
pub const SCRIPTS_ARGUMENT: &str = "script-watcher";
/// How long its order may take to arrive.
const ORDER: Duration = Duration::from_secs(3);
/// The longest order, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// How long the processes of a script may take to end when they are asked to, before they are ended by force.
const GRACE: Duration = Duration::from_millis(200);

/// Runs this process as the watcher of a script. Call it first in `main`, when the first argument is [`SCRIPTS_ARGUMENT`].
pub fn scripts_main() -> ExitCode {
    match watch() {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads a message: the standard error is the script's.
        Err(_) => ExitCode::FAILURE,
    }
}

fn watch() -> io::Result<()> {
    // No key that is pressed in a terminal reaches the script, and it cannot read one.
    if let Err(error) = setsid() {
        tracing::debug!(%error, "no session of its own");
    }
    let mut line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    line.set_read_timeout(Some(ORDER))?;
    line.set_write_timeout(Some(ORDER))?;
    let mut order = Vec::new();
    BufReader::new((&line).take(LONGEST)).read_until(b'\n', &mut order)?;
    let order: Order = serde_json::from_slice(&order)?;
    set_child_subreaper(Some(getpid()))?;
    let report = match start(&order) {
        Ok(script) => ended(&line, script, Duration::from_millis(order.deadline_ms))?,
        Err(error) => Report::NotStarted(error.to_string()),
    };
    line.write_all(&serde_json::to_vec(&report)?)
}

/// Starts the shell. It reads the script from a file without a name, which no other program can change or see in a list of processes.
fn start(order: &Order) -> io::Result<Child> {
    // It is inherited on purpose: the shell opens it by its number.
    let mut file = File::from(memfd_create("script", MemfdFlags::empty())?);
    file.write_all(order.source.as_bytes())?;
    Command::new(SHELL)
        .arg(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .current_dir(&order.directory)
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Waits for the end of the script, its deadline or the end of the process that wants it, and ends all that is left.
fn ended(line: &UnixStream, mut script: Child, deadline: Duration) -> io::Result<Report> {
    let started = Instant::now();
    let pid = i32::try_from(script.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
    let handle = pidfd_open(pid, PidfdFlags::empty())?;
    let how = wait(line, &handle, started + deadline)?;
    let took_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    // Before anything is ended: a process that ends by itself at this moment was not left running.
    let own = getpid().as_raw_pid();
    let left = descendants_of(own).into_iter().filter(|process| process.pid != pid.as_raw_pid()).count();
    let alive = end_all(|| descendants_of(own), GRACE).len();
    let status = script.try_wait()?;
    let timed_out = how == Waited::Deadline;
    Ok(Report::Ended {
        exit_code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        timed_out,
        left_running: if timed_out { 0 } else { left },
        alive,
        took_ms,
    })
}

/// What came first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    Script,
    Deadline,
    /// Nobody wants the script any more.
    Unwanted,
}

fn wait(line: &UnixStream, script: &OwnedFd, until: Instant) -> io::Result<Waited> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Waited::Deadline);
        }
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        let mut polled = [PollFd::new(script, PollFlags::IN), PollFd::new(line, PollFlags::IN)];
        match poll(&mut polled, Some(&left)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        // Nothing comes on the line after the order but its end.
        if !polled[1].revents().is_empty() {
            return Ok(Waited::Unwanted);
        }
        if !polled[0].revents().is_empty() {
            return Ok(Waited::Script);
        }
    }
}
