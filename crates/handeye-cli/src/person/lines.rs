//! Lines from a terminal, which can be given up at any time. All of it blocks, and belongs on a thread of its own.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::termios::{QueueSelector, tcflush};
use std::io::{self, Stdin, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Longest line, in bytes; more than a terminal lets one type.
const MAX_LINE: usize = 8 * 1024;

/// What came instead of a line, or a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// What was typed, without the end of the line.
    Typed(String),
    /// The terminal has ended, or the person ended its input.
    Ended,
    /// Nothing came in time.
    TooLate,
    /// Nobody wants it any more.
    TakenBack,
}

/// The terminal of this process: questions go to standard error, answers come from standard input.
pub(super) struct Lines {
    input: Stdin,
    /// Its other end is closed when the lines are wanted no more.
    wanted: UnixStream,
    until: Instant,
}

impl Lines {
    /// Lines that come within `patience` and while the other end of `wanted` is open.
    pub(super) fn new(wanted: UnixStream, patience: Duration) -> Self {
        Self { input: io::stdin(), wanted, until: Instant::now() + patience }
    }

    /// Asks for a line. What was typed before is not an answer: it was typed for something else.
    pub(super) fn ask(&self, prompt: &str) -> io::Result<Line> {
        tcflush(&self.input, QueueSelector::IFlush)?;
        show(prompt)?;
        let line = self.next()?;
        if matches!(line, Line::Ended | Line::TooLate) {
            // What comes next begins on a line of its own.
            show("\n")?;
        }
        Ok(line)
    }

    fn next(&self) -> io::Result<Line> {
        let mut typed = Vec::new();
        loop {
            match self.readable()? {
                Readable::Input => {}
                Readable::TooLate => return Ok(Line::TooLate),
                Readable::TakenBack => return Ok(Line::TakenBack),
            }
            let mut bytes = [0; 1024];
            // It buffers no bytes, as a reader of the standard library would: those belong to the next reader.
            let count = match retry_on_intr(|| rustix::io::read(&self.input, &mut bytes)) {
                Ok(count) => count,
                // The other end of the terminal is closed.
                Err(Errno::IO) => 0,
                Err(error) => return Err(error.into()),
            };
            typed.extend_from_slice(&bytes[..count]);
            // A terminal that edits no lines ends them as its keys do.
            let end = typed.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            if let Some(end) = end {
                return Ok(Line::Typed(String::from_utf8_lossy(&typed[..end]).into_owned()));
            }
            if count == 0 || typed.len() > MAX_LINE {
                return Ok(Line::Ended);
            }
        }
    }

    /// Waits until something was typed, or will not be any more.
    fn readable(&self) -> io::Result<Readable> {
        loop {
            let remaining = self.until.saturating_duration_since(Instant::now());
            let limit = Timespec::try_from(remaining).map_err(io::Error::other)?;
            let mut ends =
                [PollFd::new(&self.wanted, PollFlags::IN), PollFd::new(&self.input, PollFlags::IN)];
            match poll(&mut ends, Some(&limit)) {
                Ok(0) => return Ok(Readable::TooLate),
                Ok(_) if !ends[0].revents().is_empty() => return Ok(Readable::TakenBack),
                Ok(_) => return Ok(Readable::Input),
                // For example the process was stopped and goes on.
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Shows a text.
pub(super) fn show(text: &str) -> io::Result<()> {
    let mut output = io::stderr().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Why the wait is over.
enum Readable {
    Input,
    TooLate,
    TakenBack,
}
