//! The supervisor, seen from the process that asked for the desktop.

use super::channel::{self, LONGEST_MESSAGE, Order, Report};
use super::fault::io_error;
use super::folder::{self, Base, DesktopInfo};
use super::launch::{SUPERVISOR_ARGUMENT, own_executable};
use super::options::{Options, check_name};
use super::requirements::{Programs, bubblewrap};
use super::sweep;
use handeye_core::{Error, ErrorCode, Result};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the supervisor's program may take to start and call back.
const CALL_BACK_DEADLINE: Duration = Duration::from_secs(10);
/// Longer than the supervisor's own deadline for bringing the desktop up.
const READY_DEADLINE: Duration = Duration::from_secs(30);
/// Longer than all graces of the supervisor together.
const END_DEADLINE: Duration = Duration::from_secs(12);
const POLL: Duration = Duration::from_millis(2);

/// A supervisor that this process has spawned. It ends the desktop when this value, with its socket, is dropped.
#[derive(Debug)]
pub(super) struct SupervisorProcess {
    child: Child,
    control: UnixStream,
    folder: PathBuf,
    base: Base,
}

impl SupervisorProcess {
    /// Makes the desktop's folder, spawns a supervisor for it, and sends it the plan. With a `command`, the supervisor
    /// has this process's standard streams, to pass them on.
    pub(super) fn open(options: &Options, detached: bool, command: &[OsString]) -> Result<Self> {
        // Faults of the options come before anything is made.
        options.plan(String::new(), detached)?;
        options.name.as_deref().map_or(Ok(()), check_name)?;
        // Asked here as well as by the supervisor, so that nothing has to be made and removed for this answer.
        Programs::find()?;
        options.isolation.as_ref().map_or(Ok(()), |_| bubblewrap().map(|_| ()))?;
        let base = Base::locate();
        let lock = base.lock()?;
        sweep::sweep(&base, &lock);
        let opened = choose_name(&base, options).and_then(|(name, folder)| {
            let plan = options.plan(name, detached)?;
            let session = spawn(options, &base, &folder, command);
            session.and_then(|mut session| session.order(&Order::Build(plan)).map(|()| session)).inspect_err(
                |_| {
                    folder::ignore_absent(fs::remove_dir_all(&folder), &folder);
                },
            )
        });
        if opened.is_err() {
            base.remove_if_empty(&lock);
        }
        opened
    }

    /// A second handle on the line to the supervisor.
    pub(super) fn line(&self) -> Result<UnixStream> {
        self.control.try_clone().map_err(|error| Error::internal(format!("the control socket: {error}")))
    }

    /// Waits for the desktop; `None` when the supervisor ended before, because it was asked to.
    pub(super) fn wait_until_ready(&mut self) -> Result<Option<DesktopInfo>> {
        let fault = |error: std::io::Error| {
            Error::new(ErrorCode::Timeout, format!("the desktop's supervisor does not answer: {error}"))
        };
        self.control.set_read_timeout(Some(READY_DEADLINE)).map_err(fault)?;
        let mut line = String::new();
        BufReader::new((&self.control).take(LONGEST_MESSAGE as u64)).read_line(&mut line).map_err(fault)?;
        if line.is_empty() {
            return Ok(None);
        }
        match serde_json::from_str(&line).map_err(Error::internal)? {
            Report::Failed(error) => Err(error),
            Report::Ready => folder::read_state(&self.folder)
                .map(Some)
                .ok_or_else(|| Error::internal("the desktop is up but wrote no state")),
        }
    }

    /// Waits for the end of the supervisor, which ends with its command's exit code.
    pub(super) fn wait_for_command(mut self) -> Result<u8> {
        let status = self.child.wait().map_err(|error| Error::internal(format!("cannot wait: {error}")))?;
        let code = status.code().map(|code| u8::try_from(code).unwrap_or(u8::MAX));
        code.ok_or_else(|| {
            sweep::sweep_all(&self.base);
            Error::internal("the desktop's supervisor was killed; what it left has been removed")
        })
    }

    /// Ends the desktop and waits until nothing is left of it.
    pub(super) fn end(mut self) -> Result<()> {
        // An error says that the supervisor is gone already, which is what was wanted.
        if let Err(error) = self.order(&Order::Stop) {
            tracing::debug!(%error, "the supervisor is gone already");
        }
        let deadline = Instant::now() + END_DEADLINE;
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(Some(status)) if status.code().is_some() => return Ok(()),
                Ok(None) => std::thread::sleep(POLL),
                Ok(Some(_)) | Err(_) => break,
            }
        }
        if let Err(error) = self.child.kill().and_then(|()| self.child.wait().map(|_| ())) {
            tracing::debug!(%error, "the supervisor cannot be ended");
        }
        sweep::sweep_all(&self.base);
        if self.folder.exists() {
            return Err(Error::new(
                ErrorCode::Timeout,
                format!("the desktop in {} does not end", self.folder.display()),
            ));
        }
        Ok(())
    }

    fn order(&mut self, order: &Order) -> Result<()> {
        let line = channel::encode(order)?;
        self.control
            .write_all(&line)
            .map_err(|error| Error::internal(format!("the desktop's supervisor does not listen: {error}")))
    }
}

/// The name that was asked for, or the first free one. The caller holds the base's lock.
fn choose_name(base: &Base, options: &Options) -> Result<(String, PathBuf)> {
    if let Some(name) = &options.name {
        let folder = base.folder(name)?;
        if folder.exists() {
            return Err(Error::invalid_parameter("name", format!("there is a desktop '{name}' already"))
                .with_next(format!("Choose another name, or end that one: handeye desktop stop {name}")));
        }
        return Ok((name.clone(), folder));
    }
    let mut number = 1_u32;
    loop {
        let name = format!("desktop-{number}");
        let folder = base.folder(&name)?;
        if !folder.exists() {
            return Ok((name, folder));
        }
        number += 1;
    }
}

fn spawn(options: &Options, base: &Base, folder: &Path, command: &[OsString]) -> Result<SupervisorProcess> {
    folder::create(folder)?;
    let socket = channel::socket(folder);
    let listener = UnixListener::bind(&socket).map_err(|error| io_error("listen at", &socket, &error))?;
    let mut supervisor = match &options.supervisor {
        None => own_executable(),
        Some(program) => {
            let mut supervisor = Command::new(program);
            supervisor.arg(SUPERVISOR_ARGUMENT);
            supervisor
        }
    };
    supervisor.arg(folder).args(command);
    if command.is_empty() {
        let log = folder::log_folder(folder).join("supervisor");
        let file = File::create(&log).map_err(|error| io_error("create", &log, &error))?;
        supervisor.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    }
    let mut child = supervisor
        .spawn()
        .map_err(|error| Error::internal(format!("the desktop's supervisor cannot be started: {error}")))?;
    match accept(&listener, &mut child) {
        Ok(control) => {
            folder::ignore_absent(fs::remove_file(&socket), &socket);
            Ok(SupervisorProcess { child, control, folder: folder.to_owned(), base: base.clone() })
        }
        Err(error) => {
            if let Err(fault) = child.kill().and_then(|()| child.wait().map(|_| ())) {
                tracing::debug!(%fault, "the supervisor cannot be ended");
            }
            Err(error)
        }
    }
}

/// Waits for the supervisor to call back.
fn accept(listener: &UnixListener, child: &mut Child) -> Result<UnixStream> {
    let fault = |error: std::io::Error| Error::internal(format!("the control socket: {error}"));
    listener.set_nonblocking(true).map_err(fault)?;
    let deadline = Instant::now() + CALL_BACK_DEADLINE;
    loop {
        match listener.accept() {
            Ok((control, _)) => {
                control.set_nonblocking(false).map_err(fault)?;
                return Ok(control);
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(fault(error)),
        }
        if let Some(status) = child.try_wait().map_err(fault)? {
            return Err(Error::internal(format!("the desktop's supervisor ended at once: {status}")));
        }
        if Instant::now() >= deadline {
            return Err(Error::new(ErrorCode::Timeout, "the desktop's supervisor did not start in time"));
        }
        std::thread::sleep(POLL);
    }
}
