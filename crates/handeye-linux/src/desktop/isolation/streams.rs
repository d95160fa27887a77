//! The standard streams of a program inside. A file of the caller is not passed on itself: a program that has one can open it again by `/proc`,
//! and then read what is to be written and write what is to be read. It is copied through a pipe.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// How long the rest of an output may take after its program has ended: what it has started may have it open for much longer.
const LATE: Duration = Duration::from_millis(500);

/// The streams of this process, as a program inside gets them.
pub(super) struct Streams {
    inside: Vec<OwnedFd>,
    copies: Copies,
}

/// The outputs that are still copied.
pub(super) struct Copies {
    count: usize,
    ended: Receiver<()>,
}

impl Streams {
    /// Opens them.
    pub(super) fn open() -> io::Result<Self> {
        let (ends, ended) = channel();
        let mut copies = Copies { count: 0, ended };
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let mut inside = vec![if is_file(&input)? { read_through(input)? } else { input }];
        for output in [io::stdout().as_fd().try_clone_to_owned()?, io::stderr().as_fd().try_clone_to_owned()?]
        {
            inside.push(if is_file(&output)? {
                copies.count += 1;
                write_through(output, ends.clone())?
            } else {
                output
            });
        }
        Ok(Self { inside, copies })
    }

    /// Input, output and errors.
    pub(super) fn inside(&self) -> Vec<BorrowedFd<'_>> {
        self.inside.iter().map(AsFd::as_fd).collect()
    }

    /// They were passed on; this process has no end of them any more.
    pub(super) fn sent(self) -> Copies {
        self.copies
    }
}

impl Copies {
    /// Waits until the outputs were written down, but not for what goes on without the program.
    pub(super) fn drain(self) {
        for _ in 0..self.count {
            if self.ended.recv_timeout(LATE).is_err() {
                return;
            }
        }
    }
}

fn is_file(stream: &OwnedFd) -> io::Result<bool> {
    Ok(File::from(stream.try_clone()?).metadata()?.is_file())
}

fn read_through(file: OwnedFd) -> io::Result<OwnedFd> {
    let (reader, mut writer): (PipeReader, PipeWriter) = io::pipe()?;
    // It ends with this process, or when nobody reads any more.
    thread::Builder::new().name("input".into()).spawn(move || {
        if let Err(error) = io::copy(&mut File::from(file), &mut writer) {
            tracing::debug!(%error, "not all of the input was read");
        }
    })?;
    Ok(reader.into())
}

fn write_through(file: OwnedFd, ends: Sender<()>) -> io::Result<OwnedFd> {
    let (mut reader, writer): (PipeReader, PipeWriter) = io::pipe()?;
    thread::Builder::new().name("output".into()).spawn(move || {
        if let Err(error) = io::copy(&mut reader, &mut File::from(file)) {
            tracing::debug!(%error, "not all of an output was written");
        }
        if ends.send(()).is_err() {
            tracing::debug!("an output ended late");
        }
    })?;
    Ok(writer.into())
}
