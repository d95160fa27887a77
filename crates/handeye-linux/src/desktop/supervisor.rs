//! The process that owns a private desktop: it starts the components and the command, notices when the process that asked for
//! the desktop is gone, and at the end takes everything away that the desktop has left.
//!
//! It is a child subreaper: whatever a program in the desktop starts, also what makes itself a daemon, stays
//! its descendant and is found at the end.

use super::channel::{self, LONGEST_MESSAGE, Order, Report};
use super::components::{Components, SANDBOX};
use super::folder::{self, DesktopInfo};
use super::isolation::{self, ENTER_ARGUMENT, INSIDE_ARGUMENT};
use super::launch::{self, Kind, LAUNCH_ARGUMENT, member};
use super::options::{MEMBER_VARIABLE, Plan, member_mark};
use super::processes::{carrying, descendants_of, end_all};
use super::sweep;
use handeye_core::{Error, ErrorCode, Result};
use rustix::process::{Signal, WaitOptions, WaitStatus, kill_process, setsid, wait};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::signal::unix::{SignalKind, signal};

/// How long programs get to save their work and go.
const PROGRAMS_GRACE: Duration = Duration::from_secs(2);
/// How long the components get to take their sockets away.
const COMPONENTS_GRACE: Duration = Duration::from_secs(1);

/// How long those that have joined get: their display and their buses are gone already.
const JOINED_GRACE: Duration = Duration::from_millis(500);

/// Runs this process as the supervisor of a desktop, or as the launcher of one of its processes: for the
/// arguments that follow [`SUPERVISOR_ARGUMENT`](super::SUPERVISOR_ARGUMENT). Call it first in `main`, before
/// any thread is started. Returns the exit code of the command that ran in the desktop.
pub fn supervisor_main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    match arguments.next() {
        Some(first) if first == LAUNCH_ARGUMENT => launch::launch(arguments),
        Some(first) if first == INSIDE_ARGUMENT => isolation::inside_main(),
        Some(first) if first == ENTER_ARGUMENT => isolation::enter(arguments),
        Some(folder) if Path::new(&folder).is_absolute() => {
            match Supervisor::new(PathBuf::from(folder), arguments.collect()).supervise() {
                Ok(code) => ExitCode::from(code),
                Err(error) => {
                    eprintln!("handeye: {error}");
                    ExitCode::from(error.code.exit_code())
                }
            }
        }
        _ => launch::launch(std::iter::empty()),
    }
}

struct Supervisor {
    folder: PathBuf,
    /// The command and its arguments; empty for a desktop without one.
    command: Vec<OsString>,
    components: Components,
    /// The command's process, while it runs.
    running: Option<i32>,
}

type Orders = tokio::io::Lines<BufReader<tokio::io::Take<OwnedReadHalf>>>;

impl Supervisor {
    fn new(folder: PathBuf, command: Vec<OsString>) -> Self {
        Self { folder, command, components: Components::default(), running: None }
    }

    fn supervise(mut self) -> Result<u8> {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
            .map_err(|error| Error::internal(format!("cannot become a subreaper: {error}")))?;
        let _proof_of_life = folder::lock_desktop(&self.folder)?
            .ok_or_else(|| Error::internal("another supervisor has this desktop"))?;
        if self.command.is_empty() {
            own_session();
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::internal(format!("no event loop: {error}")))?;
        let outcome = runtime.block_on(self.serve());
        // A thread may still wait for an X server that hangs.
        runtime.shutdown_background();
        self.clean_up();
        outcome
    }

    /// Builds the desktop and keeps it until it is to end. Returns the exit code to end with.
    async fn serve(&mut self) -> Result<u8> {
        let control = UnixStream::connect(channel::socket(&self.folder))
            .await
            .map_err(|error| Error::internal(format!("the client does not listen: {error}")))?;
        let (orders, mut reports) = control.into_split();
        let mut orders = BufReader::new(orders.take(LONGEST_MESSAGE as u64)).lines();
        let Some(Order::Build(plan)) = next_order(&mut orders).await else {
            return Err(Error::internal("the client sent no plan"));
        };
        let mut signals = Signals::new()?;
        let mut components = std::mem::take(&mut self.components);
        let started = tokio::select! {
            started = components.start(&plan, &self.folder) => Ok(started),
            order = next_order(&mut orders) => Err(match order {
                Some(Order::Signal { number, .. }) => exit_code_of_signal(number),
                _ => exit_code_of_signal(Signal::TERM.as_raw()),
            }),
            _ = signals.terminate.recv() => Err(exit_code_of_signal(Signal::TERM.as_raw())),
        };
        self.components = components;
        match started {
            Err(code) => return Ok(code),
            Ok(Err(error)) => {
                send(&mut reports, &Report::Failed(error.clone())).await?;
                return Err(error);
            }
            Ok(Ok(info)) => {
                folder::write_state(&info)?;
                self.start_command(&plan, &info)?;
            }
        }
        send(&mut reports, &Report::Ready).await?;
        self.keep(&plan, orders, signals).await
    }

    fn start_command(&mut self, plan: &Plan, info: &DesktopInfo) -> Result<()> {
        let Some(program) = self.command.first() else { return Ok(()) };
        let words = self.words_of_command(plan);
        let Some((first, arguments)) = words.split_first() else { return Ok(()) };
        let child = member(Kind::Command, first, &self.folder, &info.environment)
            .args(arguments)
            .spawn()
            .map_err(|error| super::fault::io_error("start", Path::new(program), &error))?;
        self.running = Some(child.id().cast_signed());
        // Only now, as the command has to stay in the caller's session, where its terminal is.
        own_session();
        Ok(())
    }

    /// The command, or in an isolated desktop that which starts it inside.
    fn words_of_command(&self, plan: &Plan) -> Vec<OsString> {
        let is_inside = plan.isolation.as_ref().is_some_and(|isolation| isolation.command_inside);
        let entering = is_inside.then(|| isolation::entering_words(&self.folder));
        entering.into_iter().flatten().chain(self.command.iter().cloned()).collect()
    }

    async fn keep(&mut self, plan: &Plan, mut orders: Orders, mut signals: Signals) -> Result<u8> {
        let mut caller_is_there = true;
        loop {
            tokio::select! {
                order = next_order(&mut orders), if caller_is_there => match order {
                    Some(Order::Signal { number, from_terminal }) => self.pass_on(number, from_terminal),
                    None if plan.detached => caller_is_there = false,
                    Some(Order::Stop | Order::Build(_)) | None => return Ok(0),
                },
                _ = signals.terminate.recv() => return Ok(exit_code_of_signal(Signal::TERM.as_raw())),
                _ = signals.child.recv() => {
                    if let Some(end) = self.reap()? {
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Delivers a signal to the command.
    fn pass_on(&self, number: i32, from_terminal: bool) {
        // The command is this process's child and not reaped yet: the number is still its own.
        let command = self.running.and_then(rustix::process::Pid::from_raw);
        if !from_terminal
            && let (Some(pid), Some(signal)) = (command, Signal::from_named_raw(number))
            && let Err(error) = kill_process(pid, signal)
        {
            tracing::debug!(%error, "signal was not delivered");
        }
    }

    /// Collects ended children. Returns the exit code when the command was among them.
    fn reap(&mut self) -> Result<Option<u8>> {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let pid = pid.as_raw_pid();
            if self.running == Some(pid) {
                self.running = None;
                return Ok(Some(exit_code(status)));
            }
            if let Some(name @ ("xserver" | "bus" | SANDBOX)) = self.components.name_of(pid) {
                return Err(Error::new(
                    ErrorCode::DisplayUnavailable,
                    format!("the {name} of the private desktop ended, so the desktop ends"),
                ));
            }
        }
        Ok(None)
    }

    /// Ends every process of the desktop, programs before components, and removes what it had on disk.
    fn clean_up(self) {
        let own = std::process::id().cast_signed();
        let components: HashSet<i32> = self.components.pids().collect();
        // What runs in the sandbox are programs; the sandbox itself goes with the components.
        let sandbox = self.components.sandbox();
        let frame: HashSet<i32> = sandbox.map(isolation::frame).into_iter().flatten().collect();
        let living = move || {
            while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
            descendants_of(own)
        };
        // What the components started (the accessibility bus, services) goes with them.
        let programs = || {
            let of_components: HashSet<_> = components
                .iter()
                .filter(|component| Some(**component) != sandbox)
                .flat_map(|component| descendants_of(*component))
                .collect();
            let is_program = |process: &super::processes::Process| {
                !components.contains(&process.pid)
                    && !frame.contains(&process.pid)
                    && !of_components.contains(process)
            };
            living().into_iter().filter(is_program).collect()
        };
        end_all(programs, PROGRAMS_GRACE);
        let left = end_all(living, COMPONENTS_GRACE);
        // What joined the desktop as a part of it and descends from another process.
        let mark = member_mark(&self.folder);
        end_all(|| carrying(MEMBER_VARIABLE, &mark), JOINED_GRACE);
        if !left.is_empty() {
            eprintln!("handeye: {} processes of the private desktop do not end", left.len());
        }
        sweep::remove_traces(&self.folder);
    }
}

/// The signals that a supervisor cares about. Those of a terminal are taken and ignored: they are the command's.
struct Signals {
    child: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    _ignored: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    fn new() -> Result<Self> {
        let listen = |kind| {
            signal(kind).map_err(|error| Error::internal(format!("cannot listen for signals: {error}")))
        };
        Ok(Self {
            child: listen(SignalKind::child())?,
            terminate: listen(SignalKind::terminate())?,
            _ignored: vec![
                listen(SignalKind::interrupt())?,
                listen(SignalKind::quit())?,
                listen(SignalKind::hangup())?,
            ],
        })
    }
}

async fn next_order(orders: &mut Orders) -> Option<Order> {
    let line = orders.next_line().await.ok()??;
    orders.get_mut().get_mut().set_limit(LONGEST_MESSAGE as u64);
    serde_json::from_str(&line).ok()
}

async fn send(reports: &mut OwnedWriteHalf, report: &Report) -> Result<()> {
    let line = channel::encode(report)?;
    reports.write_all(&line).await.map_err(|error| Error::internal(format!("the client is gone: {error}")))
}

fn own_session() {
    if let Err(error) = setsid() {
        tracing::debug!(%error, "no session of its own");
    }
}

fn exit_code(status: WaitStatus) -> u8 {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => u8::try_from(code).unwrap_or(u8::MAX),
        (None, Some(signal)) => exit_code_of_signal(signal),
        (None, None) => u8::MAX,
    }
}

/// The way of a shell: 128 and the number of the signal.
fn exit_code_of_signal(number: i32) -> u8 {
    u8::try_from(128 + number).unwrap_or(u8::MAX)
}
