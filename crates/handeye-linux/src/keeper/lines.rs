//! Connections on which actions were asked for, kept open while a dialog may block one.
//!
//! GTK 3 runs an action inside of the dispatch of its connection. Closing that connection before the action has come back, which a
//! modal dialog holds up for as long as it is open, freezes the application at its next key press. From outside it cannot be seen
//! whether an action has come back. So a line that is not used any more is closed only after its application has handled the
//! events of its windows and shown no dialog for [`QUIET`] without a break; where its windows cannot be seen, it is kept
//! until the application ends.

use handeye_x11::{ApparentState, Caretaker};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::socket_peercred;
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// How long an application has to be responsive and without a dialog.
const QUIET: Duration = Duration::from_secs(10);
/// Most lines. A process has at most 32 to one application.
const MAX_LINES: usize = 512;

#[derive(Debug)]
struct Line {
    socket: OwnedFd,
    /// Process of the application.
    pid: Option<u32>,
    group: u64,
    /// Whether it may still be used.
    left: bool,
}

/// The lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    /// Since when an application has been quiet.
    quiet: HashMap<u32, Instant>,
}

impl Lines {
    pub(super) fn are_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether there are lines that are not used any more.
    pub(super) fn any_left(&self) -> bool {
        self.lines.iter().any(|line| line.left)
    }

    pub(super) fn sockets(&self) -> impl Iterator<Item = &OwnedFd> {
        self.lines.iter().map(|line| &line.socket)
    }

    /// Keeps a connection open.
    pub(super) fn add(&mut self, socket: OwnedFd, group: u64) -> Result<(), String> {
        if self.lines.len() >= MAX_LINES {
            return Err(format!("it keeps {MAX_LINES} connections already"));
        }
        // The process that listens there, according to the kernel.
        let pid = socket_peercred(&socket).ok().and_then(|peer| u32::try_from(peer.pid.as_raw_pid()).ok());
        for line in self.lines.iter_mut().filter(|line| line.pid == pid && line.group < group) {
            line.left = true;
        }
        self.lines.push(Line { socket, pid, group, left: false });
        Ok(())
    }

    /// Records that the process that used them has ended.
    pub(super) fn leave_all(&mut self) {
        for line in &mut self.lines {
            line.left = true;
        }
    }

    /// Closes those whose application has ended, and those that no dialog can block any more.
    pub(super) fn look(&mut self, desk: &mut Caretaker) {
        self.lines.retain(|line| !has_ended(&line.socket));
        let mut left: Vec<u32> =
            self.lines.iter().filter(|line| line.left).filter_map(|line| line.pid).collect();
        left.sort_unstable();
        left.dedup();
        self.quiet.retain(|pid, _| left.contains(pid));
        for pid in left {
            match desk.look_at(pid) {
                ApparentState::Quiet => {
                    let since = *self.quiet.entry(pid).or_insert_with(Instant::now);
                    if since.elapsed() >= QUIET {
                        self.lines.retain(|line| !(line.left && line.pid == Some(pid)));
                    }
                }
                ApparentState::Dialog | ApparentState::Busy | ApparentState::Unseen => {
                    self.quiet.remove(&pid);
                }
            }
        }
    }
}

/// Whether the application has closed its end.
fn has_ended(socket: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(socket, PollFlags::empty())];
    let ready = poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    ready.is_ok() && polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}
