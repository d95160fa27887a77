//! The side that has things kept: starts the keeper when it is needed first, and again when it has ended.

use super::KEEPER_ARGUMENT;
use super::channel::{self, Answer, Request};
use crate::desktop::Surrounding;
use crate::own_program::own_program;
use handeye_atspi::LineKeeper;
use handeye_core::{Error, ErrorCode, Result};
use handeye_x11::{Held, SeatKeeper};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a keeper may take to start.
const START_DEADLINE: Duration = Duration::from_secs(5);
/// How long it may take for one request, the connection to the X server included.
const DEADLINE: Duration = Duration::from_secs(3);
/// What it needs to know of the desktop. Everything else of the environment, such as the keys of AI providers, is not its business.
pub(crate) const PASSED_ON: [&str; 6] =
    ["DISPLAY", "XAUTHORITY", "HOME", "PATH", "HANDEYE_DESKTOP", "HANDEYE_DESKTOP_MEMBER"];

/// The keeper of this process. Its functions block, each for a few seconds at most: call them on a thread that may.
#[derive(Debug, Default)]
pub struct Keeper {
    program: Option<PathBuf>,
    running: Mutex<Running>,
    groups: AtomicU64,
}

#[derive(Debug, Default)]
struct Running {
    socket: Option<OwnedFd>,
    /// How often one was started: what an earlier one kept, a later one does not.
    generation: u64,
    /// Those that were started, as long as they run.
    processes: Vec<Child>,
}

impl Keeper {
    /// One that is this very program, which has to call [`keeper_main`](super::keeper_main) when its first argument is
    /// [`KEEPER_ARGUMENT`].
    pub fn new() -> Self {
        Self::default()
    }

    /// One that is another program which does that.
    pub fn run_by(program: PathBuf) -> Self {
        Self { program: Some(program), ..Self::default() }
    }

    fn ask(&self, request: &Request, file: Option<BorrowedFd<'_>>) -> Result<u64> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // One that was ended from outside is replaced once.
        for again in [false, true] {
            let socket = match running.socket.take() {
                Some(socket) => socket,
                None => self.start(&mut running).map_err(|error| no_keeper(&error))?,
            };
            match exchange(&socket, request, file) {
                Ok(answer) => {
                    running.socket = Some(socket);
                    return answer.map(|()| running.generation).map_err(|why| no_keeper(&why));
                }
                Err(error) if again => return Err(no_keeper(&error)),
                Err(error) => tracing::debug!(%error, "the keeper does not answer; starting another one"),
            }
        }
        Err(no_keeper(&"it ends at once"))
    }

    fn start(&self, running: &mut Running) -> io::Result<OwnedFd> {
        running.processes.retain_mut(|process| matches!(process.try_wait(), Ok(None)));
        let (socket, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let mut command = match &self.program {
            Some(program) => Command::new(program),
            None => own_program("handeye"),
        };
        command.arg(KEEPER_ARGUMENT).env_clear();
        for name in PASSED_ON {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some(desktop) = Surrounding::of_this_process() {
            desktop.admit(&mut command);
        }
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
        running.processes.push(command.spawn()?);
        // The parent's copy of the other end goes with the command.
        drop(command);
        if !channel::wait(&socket, START_DEADLINE)? {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not start in time"));
        }
        match channel::receive::<Answer>(&socket)? {
            Some((Ok(()), _)) => {
                running.generation += 1;
                Ok(socket)
            }
            Some((Err(why), _)) => Err(io::Error::other(why)),
            None => Err(io::Error::other("it ended at once")),
        }
    }
}

impl SeatKeeper for Keeper {
    fn hold(&self, held: &Held) -> Result<()> {
        self.ask(&Request::Hold(held.clone()), None).map(drop)
    }

    fn let_go(&self, seat: Option<&str>, released: bool) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let seat = seat.map(str::to_owned);
        let request = if released { Request::Free(seat) } else { Request::Release(seat) };
        // Where no keeper runs there is nothing to do.
        if let Some(socket) = running.socket.take() {
            match exchange(&socket, &request, None) {
                Ok(_) => running.socket = Some(socket),
                // Its end of the socket says the same.
                Err(error) => tracing::debug!(%error, "the keeper could not be notified and is abandoned"),
            }
        }
    }
}

impl LineKeeper for Keeper {
    fn group(&self) -> u64 {
        self.groups.fetch_add(1, Ordering::Relaxed)
    }

    /// Which of the keepers runs.
    fn generation(&self) -> u64 {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).generation
    }

    fn keep_line(&self, line: BorrowedFd<'_>, group: u64) -> Result<u64> {
        self.ask(&Request::Line { group }, Some(line))
    }
}

fn exchange(socket: &OwnedFd, request: &Request, file: Option<BorrowedFd<'_>>) -> io::Result<Answer> {
    channel::send(socket, request, file)?;
    if !channel::wait(socket, DEADLINE)? {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer in time"));
    }
    let answer = channel::receive::<Answer>(socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(answer.0)
}

/// Nothing is pressed and nothing asked for that could not be undone.
fn no_keeper(why: &dyn std::fmt::Display) -> Error {
    Error::new(
        ErrorCode::Refused,
        format!("the action was not dispatched: the process that would undo it if this one ended cannot be used: {why}"),
    )
    .with_next("Check that processes can be started and that the X server answers, then try again.")
}
