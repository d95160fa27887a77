//! A socket to the X server on which no wait is endless.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use x11rb::rust_connection::{DefaultStream, PollMode, Stream};
use x11rb::utils::RawFdContainer;

/// How long an X server may stay silent when an answer is due before it counts as hung.
const PATIENCE: Duration = Duration::from_millis(1_800);

/// The socket of an X connection. Where the plain stream would wait for ever for a server that hangs,
/// this one gives up after [`PATIENCE`] with [`ErrorKind::TimedOut`].
#[derive(Debug)]
pub(super) struct PatientStream {
    stream: DefaultStream,
    /// Whether there was no room for what was written last.
    is_full: AtomicBool,
}

impl PatientStream {
    pub(super) fn new(stream: DefaultStream) -> Self {
        Self { stream, is_full: AtomicBool::new(false) }
    }

    /// Whether the server has closed its end. Costs no round trip.
    pub(super) fn is_hung_up(&self) -> bool {
        match self.wait(PollFlags::IN, Duration::ZERO) {
            Ok(ready) => ready.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL),
            Err(_) => true,
        }
    }

    /// Waits at most `patience` for something to read; says whether there is.
    pub(super) fn wait_readable(&self, patience: Duration) -> Result<bool> {
        Ok(!self.wait(PollFlags::IN, patience)?.is_empty())
    }

    /// The outcome of a write, noted where there was no room.
    fn noting(&self, written: Result<usize>) -> Result<usize> {
        if written.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
            self.is_full.store(true, Ordering::Relaxed);
        }
        written
    }

    /// What became ready within `patience`; empty when nothing did.
    fn wait(&self, wanted: PollFlags, patience: Duration) -> Result<PollFlags> {
        let until = Instant::now() + patience;
        let mut fds = [PollFd::new(&self.stream, wanted)];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(|_| Error::from(ErrorKind::InvalidInput))?;
            match poll(&mut fds, Some(&left)) {
                Ok(0) => return Ok(PollFlags::empty()),
                Ok(_) => return Ok(fds[0].revents()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsFd for PatientStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

impl Stream for PatientStream {
    fn poll(&self, mode: PollMode) -> Result<()> {
        // x11rb asks before each request that it gathers, and waits here only where there is no room.
        if mode.writable() && !self.is_full.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let mut wanted = PollFlags::empty();
        wanted.set(PollFlags::IN, mode.readable());
        wanted.set(PollFlags::OUT, mode.writable());
        if self.wait(wanted, PATIENCE)?.is_empty() {
            return Err(Error::new(ErrorKind::TimedOut, "it accepts connections but does not answer"));
        }
        Ok(())
    }

    fn read(&self, buf: &mut [u8], fd_storage: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.stream.read(buf, fd_storage)
    }

    fn write(&self, buf: &[u8], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.noting(self.stream.write(buf, fds))
    }

    fn write_vectored(&self, bufs: &[IoSlice<'_>], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.noting(self.stream.write_vectored(bufs, fds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;

    #[test]
    fn room_is_waited_for_only_after_there_was_none() {
        let (near, mut far) = UnixStream::pair().expect("two sockets");
        let stream = PatientStream::new(DefaultStream::from_unix_stream(near).expect("a stream").0);
        let block = [7; 4096];
        let full = loop {
            stream.poll(PollMode::ReadAndWritable).expect("nothing is waited for");
            if let Err(error) = stream.write(&block, &mut Vec::new()) {
                break error;
            }
        };
        assert_eq!(full.kind(), ErrorKind::WouldBlock);
        let waited = stream.poll(PollMode::Writable).expect_err("nobody reads");
        assert_eq!(waited.kind(), ErrorKind::TimedOut);
        stream.write(&block, &mut Vec::new()).expect_err("there is no room still");
        far.set_nonblocking(true).expect("an option");
        while far.read(&mut [0; 4096]).is_ok() {}
        stream.poll(PollMode::Writable).expect("there is room");
        stream.write(&block, &mut Vec::new()).expect("there is room");
    }
}
