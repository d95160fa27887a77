//! The side that has scripts run.

use super::environment;
use super::watcher::SCRIPTS_ARGUMENT;
use super::{MARK, Order, Report, SHELL};
use crate::desktop::SurroundingSandbox;
use crate::desktop::processes::{carrying, end_all};
use crate::own_program::own_program;
use async_trait::async_trait;
use handeye_core::{
    Error, ErrorCode, Permit, Result, Script, ScriptEnd, ScriptLanguage, ScriptOutput, ScriptRun, Scripts,
    Support,
};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Line;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Child;
use tokio::time::timeout;

/// How much longer than its script a watcher may take: to start, and to end what does not end when it is asked.
const SLACK: Duration = Duration::from_secs(8);
/// How long an output may stay open after everything of the script has ended: something outside of it may have it.
const LATE: Duration = Duration::from_millis(300);
/// The longest report of a watcher, in bytes.
const LONGEST: u64 = 8_192;

/// Runs scripts of the POSIX shell.
#[derive(Debug, Default)]
pub struct Shell {
    program: Option<PathBuf>,
    started: AtomicU64,
}

impl Shell {
    /// Its watchers are this very program, which has to call [`scripts_main`](super::scripts_main) when its first argument is
    /// [`SCRIPTS_ARGUMENT`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Its watchers are another program which does that.
    pub fn watched_by(program: PathBuf) -> Self {
        Self { program: Some(program), ..Self::default() }
    }

    /// Starts a watcher; returns it with the line to it.
    fn start(&self, mark: &str) -> io::Result<(Child, UnixStream)> {
        let (ours, theirs) = Line::pair()?;
        let mut command = match &self.program {
            Some(program) => Command::new(program),
            None => own_program("handeye"),
        };
        // What a script does, it does in the sandbox that the desktop's programs are in.
        if let Some(sandbox) = SurroundingSandbox::of_this_process() {
            sandbox.enter(&mut command, &[MARK]).arg(SurroundingSandbox::OWN_PROGRAM);
        }
        command.arg(SCRIPTS_ARGUMENT);
        environment::prepare(&mut command, mark);
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped()).current_dir("/");
        let watcher = tokio::process::Command::from(command).spawn()?;
        ours.set_nonblocking(true)?;
        Ok((watcher, UnixStream::from_std(ours)?))
    }
}

#[async_trait]
impl Scripts for Shell {
    fn language(&self, language: ScriptLanguage) -> Support {
        match language {
            ScriptLanguage::Shell if Path::new(SHELL).exists() => Support::Yes,
            ScriptLanguage::Shell => Support::no("there is no /bin/sh"),
            ScriptLanguage::AppleScript => Support::no("AppleScript runs on macOS alone"),
            ScriptLanguage::Jxa => Support::no("JavaScript for Automation runs on macOS alone"),
        }
    }

    fn home(&self) -> Result<PathBuf> {
        std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
            Error::new(ErrorCode::Io, "the environment names no home folder").with_next("Pass cwd.")
        })
    }

    async fn run(&self, _: &Permit, script: Script) -> Result<ScriptRun> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}", std::process::id());
        let (mut watcher, line) = self.start(&mark).map_err(|error| not_started(&error))?;
        let streams = (watcher.stdout.take(), watcher.stderr.take());
        let (Some(stdout), Some(stderr)) = streams else {
            return Err(Error::internal("the outputs of a script are not piped"));
        };
        let (mut out, mut errors) = (ScriptOutput::default(), ScriptOutput::default());
        let report = {
            let draining = async {
                tokio::join!(drain(stdout, &mut out), drain(stderr, &mut errors));
            };
            tokio::pin!(draining);
            let reporting = timeout(script.deadline + SLACK, exchange(line, &script));
            tokio::pin!(reporting);
            let mut is_drained = false;
            let report = loop {
                tokio::select! {
                    () = &mut draining, if !is_drained => is_drained = true,
                    report = &mut reporting => break report,
                }
            };
            // What is left is read and the rest given up, whatever has an end of it.
            if !is_drained && timeout(LATE, draining).await.is_err() {
                tracing::debug!("an output of a script is still open");
            }
            report
        };
        match report {
            Ok(Ok(report)) => run_of(report, out, errors),
            Ok(Err(error)) => Err(abandoned(watcher, mark, &error.to_string()).await),
            Err(_) => Err(abandoned(watcher, mark, "it does not answer").await),
        }
    }
}

/// Gives the watcher its order and waits for its report.
async fn exchange(mut line: UnixStream, script: &Script) -> io::Result<Report> {
    let order = Order {
        source: script.source.clone(),
        directory: script.directory.clone(),
        deadline_ms: u64::try_from(script.deadline.as_millis()).unwrap_or(u64::MAX),
    };
    let mut order = serde_json::to_vec(&order)?;
    order.push(b'\n');
    line.write_all(&order).await?;
    let mut report = Vec::new();
    (&mut line).take(LONGEST).read_to_end(&mut report).await?;
    if report.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it was ended"));
    }
    Ok(serde_json::from_slice(&report)?)
}

/// Reads an output to its end, so that no script waits for a reader.
async fn drain(mut stream: impl AsyncRead + Unpin, output: &mut ScriptOutput) {
    let mut part = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut part).await {
            Ok(0) => return,
            Ok(length) => output.take(&part[..length]),
            Err(error) => {
                tracing::debug!(%error, "an output of a script cannot be read");
                return;
            }
        }
    }
}

fn run_of(report: Report, stdout: ScriptOutput, stderr: ScriptOutput) -> Result<ScriptRun> {
    let (exit_code, signal, timed_out, left_running, alive, took_ms) = match report {
        Report::NotStarted(why) => return Err(not_started(&why)),
        Report::Ended { exit_code, signal, timed_out, left_running, alive, took_ms } => {
            (exit_code, signal, timed_out, left_running, alive, took_ms)
        }
    };
    if alive > 0 {
        return Err(Error::new(
            ErrorCode::ActionFailed,
            format!("the script ran, and {alive} of its processes could not be ended"),
        )
        .with_next("They are the user's: `ps` lists them."));
    }
    let end = match (timed_out, exit_code, signal) {
        (true, ..) => ScriptEnd::TimedOut,
        (false, Some(code), _) => ScriptEnd::Exited(code),
        (false, None, signal) => ScriptEnd::Killed(signal.unwrap_or_default()),
    };
    Ok(ScriptRun { end, stdout, stderr, left_running, took: Duration::from_millis(took_ms) })
}

fn not_started(why: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorCode::ActionFailed, format!("the script was not started: {why}"))
        .with_next("Check that processes can be started and that the folder can be entered.")
}

/// The watcher is gone, or stopped by its script: ends what can be found of both.
async fn abandoned(mut watcher: Child, mark: String, why: &str) -> Error {
    if let Err(error) = watcher.start_kill() {
        tracing::debug!(%error, "the watcher of a script has ended already");
    }
    let ending = move || end_all(|| carrying(MARK, OsStr::new(&mark)), Duration::ZERO).len();
    let alive = tokio::task::spawn_blocking(ending).await.unwrap_or_default();
    let rest = if alive > 0 { format!("; {alive} processes could not be ended") } else { String::new() };
    Error::new(
        ErrorCode::ActionFailed,
        format!("the script was ended, as the process that watches it cannot be used any more: {why}{rest}"),
    )
    .with_next("A script must not end or stop its parent process. It may have done a part of its work.")
}
