//! The side of a private desktop that asks for it: start, run, list, stop.

use super::folder::{self, Base, DesktopInfo};
use super::options::{Options, REMOVED_VARIABLES};
use super::supervisor_process::SupervisorProcess;
use super::{forward, sweep};
use handeye_core::{Error, ErrorCode, Result};
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than all graces of the supervisor together.
const STOP_DEADLINE: Duration = Duration::from_secs(12);
const POLL: Duration = Duration::from_millis(2);

/// A private desktop that lives as long as this value: it is ended by [`stop`](Self::stop), by dropping the value, and
/// by the end of this process, however it comes. Its functions block: call them on a thread that may.
#[derive(Debug)]
pub struct PrivateDesktop {
    info: DesktopInfo,
    session: Option<SupervisorProcess>,
}

impl PrivateDesktop {
    /// Starts a desktop and returns when every part of it answers, after about a third of a second.
    ///
    /// [`ErrorCode::MissingDependency`] names every program that is missing, with its package.
    pub fn start(options: &Options) -> Result<Self> {
        let mut session = SupervisorProcess::open(options, false, &[])?;
        let info = ready(&mut session)?;
        Ok(Self { info, session: Some(session) })
    }

    /// What is known about it.
    pub fn info(&self) -> &DesktopInfo {
        &self.info
    }

    /// The variables that make a program a part of it. Those of [`REMOVED_VARIABLES`] that are not among them must
    /// not be set.
    pub fn environment(&self) -> BTreeMap<String, String> {
        self.info.environment.clone()
    }

    /// Makes a program that is about to be started a part of it.
    pub fn admit<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for variable in REMOVED_VARIABLES {
            command.env_remove(variable);
        }
        command.envs(&self.info.environment)
    }

    /// Ends it and waits until nothing is left of it.
    pub fn stop(mut self) -> Result<()> {
        self.session.take().map_or(Ok(()), SupervisorProcess::end)
    }
}

impl Drop for PrivateDesktop {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.session.take().map(SupervisorProcess::end) {
            tracing::warn!(%error, desktop = self.info.name, "the private desktop did not end cleanly");
        }
    }
}

/// Starts a desktop that stays when this process ends, until [`stop`] ends it.
pub fn start_detached(options: &Options) -> Result<DesktopInfo> {
    ready(&mut SupervisorProcess::open(options, true, &[])?)
}

/// Runs a command in a desktop of its own, with this process's standard streams, passes signals on to it, and ends the
/// desktop with it. Returns the command's exit code, or 128 and the number of the signal that ended it.
/// Not to be called on an asynchronous runtime.
pub fn run(options: &Options, command: &[OsString]) -> Result<u8> {
    let Some(program) = command.first() else {
        return Err(
            Error::invalid_parameter("command", "is empty").with_next("handeye desktop run -- COMMAND")
        );
    };
    // One that runs inside is looked for there.
    if !options.isolation.as_ref().is_some_and(|isolation| isolation.command_inside) {
        forward::check_program(program)?;
    }
    let signals = forward::Signals::listen()?;
    let mut session = SupervisorProcess::open(options, false, command)?;
    signals.forward_to(session.line()?)?;
    session.wait_until_ready()?;
    session.wait_for_command()
}

/// The desktops of this user that are up, in the order of their names.
pub fn list() -> Result<Vec<DesktopInfo>> {
    let folders = Base::locate().folders()?;
    Ok(folders
        .iter()
        .filter(|path| folder::is_alive(path))
        .filter_map(|path| folder::read_state(path))
        .collect())
}

/// Ends the desktop `name` and waits until nothing is left of it.
pub fn stop(name: &str) -> Result<()> {
    let base = Base::locate();
    let path = base.folder(name)?;
    let Some(info) = folder::read_state(&path).filter(|_| folder::is_alive(&path)) else {
        sweep::sweep_all(&base);
        return Err(Error::invalid_parameter("name", format!("no desktop '{name}' is running"))
            .with_found(list()?.into_iter().map(|info| info.name))
            .with_next("`handeye desktop status` lists those that are."));
    };
    info.process.signal(Signal::TERM);
    let deadline = Instant::now() + STOP_DEADLINE;
    while info.process.is_running() && Instant::now() < deadline {
        std::thread::sleep(POLL);
    }
    info.process.signal(Signal::KILL);
    sweep::sweep_all(&base);
    if path.exists() {
        return Err(Error::new(ErrorCode::Timeout, format!("the desktop '{name}' does not end")));
    }
    Ok(())
}

fn ready(session: &mut SupervisorProcess) -> Result<DesktopInfo> {
    session
        .wait_until_ready()?
        .ok_or_else(|| Error::new(ErrorCode::Cancelled, "the desktop was stopped before it had started"))
}
