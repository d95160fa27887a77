//! What a keeper does on the desktop: it releases what another process held, and looks whether an application shows a dialog.

use super::drag::abandon_drop;
use super::fault::Outcome;
use super::held::Held;
use super::keyboard::take_back;
use super::masters::{TakenOver, take_over};
use super::ping::{Pong, ping};
use super::removal::{AT_THE_END, remove, remove_abandoned};
use super::undo::undo;
use super::windows::list;
use super::x_session::XSession;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// How long an application may take to handle the events of its windows before it counts as busy.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long the server may take to notice that the process has ended which had a seat.
const LEAVES: Duration = Duration::from_secs(1);
/// Time between two looks at that.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// How long an application may hang before the seat stays.
const HANGS: Duration = Duration::from_secs(30);
/// Time between two attempts at the removal.
const TRY_AGAIN: Duration = Duration::from_millis(500);

/// What an application looks like from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApparentState {
    /// It handles its events and shows no dialog.
    Quiet,
    /// It shows a dialog.
    Dialog,
    /// It does not handle its events at the moment.
    Busy,
    /// It has no window here, or there is no display.
    Unseen,
}

/// A connection to a display, opened when it is needed first.
#[derive(Default)]
pub struct Caretaker {
    display: Option<String>,
    session: Option<XSession>,
}

impl Caretaker {
    /// Opens the connection, so that what is pressed next can be released for certain.
    pub fn prepare(&mut self, display: Option<&str>) -> Result<(), String> {
        let lost = self.session.as_ref().is_none_or(|session| session.connection.stream().is_hung_up());
        if lost || self.display.as_deref() != display {
            self.session = None;
            let session = XSession::open(display)
                .map_err(|fault| fault.into_error(display.unwrap_or_default(), None).message)?;
            self.display = display.map(str::to_owned);
            self.session = Some(session);
        }
        Ok(())
    }

    /// Releases what is held.
    pub fn undo(&mut self, held: &Held) -> Result<(), String> {
        self.prepare(held.display.as_deref())?;
        let Some(name) = held.seat() else { return self.work(|session| undo(session, held)) };
        let removed = self.work(|session| remove_seat(session, name, held));
        // It has taken the seat over; the end of the connection gives it back.
        self.session = None;
        removed
    }

    /// Looks at the windows of a process.
    pub fn look_at(&mut self, pid: u32) -> ApparentState {
        let display = self.display.clone();
        if self.prepare(display.as_deref()).is_err() {
            return ApparentState::Unseen;
        }
        self.work(|session| look_at(session, pid)).unwrap_or(ApparentState::Unseen)
    }

    /// Discards what the server sends without having been asked, so that it does not pile up there.
    pub fn read_away(&mut self) {
        if self.session.is_some() && self.work(|session| session.drain_events()).is_err() {
            self.session = None;
        }
    }

    /// The socket of the connection.
    pub fn connection(&self) -> Option<BorrowedFd<'_>> {
        self.session.as_ref().map(|session| session.connection.stream().as_fd())
    }

    fn work<T>(&mut self, work: impl FnOnce(&mut XSession) -> Outcome<T>) -> Result<T, String> {
        let session = self.session.as_mut().ok_or("there is no connection to the X server")?;
        work(session).map_err(|fault| {
            self.session = None;
            fault.into_error(self.display.as_deref().unwrap_or_default(), None).message
        })
    }
}

/// Releases what an agent's seat held and removes it.
fn remove_seat(session: &mut XSession, name: &str, held: &Held) -> Outcome<()> {
    let until = Instant::now() + LEAVES;
    loop {
        match take_over(session, name)? {
            TakenOver::Entered => break,
            TakenOver::InUse if Instant::now() < until => session.pause(LOOK_AGAIN)?,
            // Another process has it by now; the keys that were lent are those of the user's keyboard.
            TakenOver::InUse | TakenOver::Gone => {
                take_back(session, &held.lent)?;
                return session.sync();
            }
        }
    }
    abandon_drop(session)?;
    undo(session, held)?;
    let until = Instant::now() + HANGS;
    while !remove(session, AT_THE_END)? {
        if Instant::now() >= until {
            tracing::debug!(name, "an agent's seat stays for the next one");
            return Ok(());
        }
        session.pause(TRY_AGAIN)?;
    }
    remove_abandoned(session)
}

fn look_at(session: &mut XSession, pid: u32) -> Outcome<ApparentState> {
    let mut windows = list(session)?;
    windows.retain(|window| window.pid == Some(pid));
    let Some(first) = windows.first().and_then(|window| u32::try_from(window.id.number()).ok()) else {
        return Ok(ApparentState::Unseen);
    };
    // An action that blocks its application may open its dialog when it goes on.
    if ping(session, first, PATIENCE)? == Pong::Missed {
        return Ok(ApparentState::Busy);
    }
    // One that has just opened a dialog has sent that to the server before it answers.
    let dialog = list(session)?
        .into_iter()
        .any(|window| window.pid == Some(pid) && (window.modal || window.transient_for.is_some()));
    Ok(if dialog { ApparentState::Dialog } else { ApparentState::Quiet })
}
