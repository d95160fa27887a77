//! The keeper itself.

use super::channel::{self, Answer, Request};
use super::lines::Lines;
use handeye_x11::{Caretaker, Held};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::setsid;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// How often it is looked whether a line can be closed, once it is not used any more.
const LOOK: Duration = Duration::from_secs(1);
/// Most seats of one process; an X server has room for fewer.
const MOST_SEATS: usize = 256;

/// Runs this process as the keeper of the one at the other end of its standard input. Call it first in `main`, when the first
/// argument is [`KEEPER_ARGUMENT`](super::KEEPER_ARGUMENT).
pub fn keeper_main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads a message; the exit code is for a user who started it by hand.
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    // No key that is pressed in the terminal of a command reaches it. It fails where it was started as the first of a session.
    if let Err(error) = setsid() {
        tracing::debug!(%error, "no session of its own");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // What asks everything to end must not end it before the process that it serves: it ends by itself right after.
    let _ignored = {
        let _entered = runtime.enter();
        [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?]
    };
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    channel::send(&socket, &Answer::Ok(()), None)?;
    Kept {
        socket: Some(socket),
        held: BTreeMap::new(),
        removals: Vec::new(),
        desk: Caretaker::default(),
        lines: Lines::default(),
    }
    .keep()
}

/// Everything that is kept.
struct Kept {
    /// The process that is served, as long as it runs.
    socket: Option<OwnedFd>,
    /// What is held on each seat, by its name; `None` is the user's.
    held: BTreeMap<Option<String>, Held>,
    /// The removals of agents' seats that go on.
    removals: Vec<JoinHandle<Answer>>,
    desk: Caretaker,
    lines: Lines,
}

impl Kept {
    fn keep(mut self) -> io::Result<()> {
        while self.socket.is_some() || !self.lines.are_empty() {
            let ready = self.wait()?;
            if ready && let Some(socket) = self.socket.take() {
                // Else it has ended, or says what no process of this program would.
                if let Ok(Some((request, file))) = channel::receive::<Request>(&socket) {
                    let answer = self.answer(request, file);
                    if channel::send(&socket, &answer, None).is_ok() {
                        self.socket = Some(socket);
                    }
                }
                if self.socket.is_none() {
                    self.owner_ended();
                }
            }
            self.desk.read_away();
            self.lines.look(&mut self.desk);
        }
        Ok(())
    }

    /// Waits until something happens; says whether the process that is served has something to say or has ended.
    fn wait(&self) -> io::Result<bool> {
        let look = Timespec::try_from(LOOK).map_err(io::Error::other)?;
        let timeout = self.lines.any_left().then_some(look);
        let mut polled: Vec<PollFd<'_>> = Vec::new();
        polled.extend(self.socket.iter().map(|socket| PollFd::new(socket, PollFlags::IN)));
        polled.extend(self.desk.connection().map(|desk| PollFd::from_borrowed_fd(desk, PollFlags::IN)));
        // Of these only the end is read: what comes on them is for the process that is served.
        polled.extend(self.lines.sockets().map(|line| PollFd::new(line, PollFlags::empty())));
        match poll(&mut polled, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.socket.is_some() && !polled[0].revents().is_empty())
    }

    fn answer(&mut self, request: Request, file: Option<OwnedFd>) -> Answer {
        match (request, file) {
            (Request::Hold(held), _) => {
                if !held.is_empty() {
                    self.desk.prepare(held.display.as_deref())?;
                }
                let seat = held.seat().map(str::to_owned);
                if self.held.len() >= MOST_SEATS && !self.held.contains_key(&seat) {
                    return Err(format!("more than {MOST_SEATS} seats are held"));
                }
                self.held.insert(seat, held);
                Ok(())
            }
            (Request::Free(seat), _) => {
                self.held.remove(&seat);
                Ok(())
            }
            (Request::Release(seat), _) => self.release(seat.as_ref()),
            (Request::Line { group }, Some(socket)) => self.lines.add(socket, group),
            (Request::Line { .. }, None) => Err("no connection came with the request".into()),
        }
    }

    fn release(&mut self, seat: Option<&String>) -> Answer {
        match self.held.remove(&seat.cloned()) {
            // That may take seconds, for which the process that is served must not wait.
            Some(held) if held.seat().is_some() => {
                let removing = std::thread::Builder::new().name("removal".into());
                let removing = removing.spawn(move || Caretaker::default().undo(&held));
                self.removals.retain(|removal| !removal.is_finished());
                self.removals.push(removing.map_err(|error| error.to_string())?);
                Ok(())
            }
            Some(held) if !held.is_empty() => self.desk.undo(&held),
            _ => Ok(()),
        }
    }

    fn owner_ended(&mut self) {
        while let Some(seat) = self.held.keys().next().cloned() {
            // Where the X server does not let it, nothing is held there any more.
            if let Err(why) = self.release(seat.as_ref()) {
                tracing::debug!(why, "could not release what was held");
            }
        }
        for removal in std::mem::take(&mut self.removals) {
            match removal.join() {
                Ok(Ok(())) => {}
                Ok(Err(why)) => tracing::debug!(why, "an agent's seat could not be removed"),
                Err(_) => tracing::debug!("the removal of an agent's seat broke off"),
            }
        }
        self.lines.leave_all();
    }
}
