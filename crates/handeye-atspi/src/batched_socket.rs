//! A socket over which many small messages cost few system calls: what is sent at about the same time goes out together, and as much as
//! has come is read at once.
//!
//! It is left open when the connection over it ends: closing this end is all that happens then, and who else has it keeps the connection.
//! zbus and tokio would shut it down for all processes.

use super::outbox::Outbox;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use tokio::net::UnixStream;
use zbus::Message;
use zbus::connection::socket::{ReadHalf, Socket, Split, WriteHalf};

/// Most bytes that are read ahead. An answer has about a hundred, and 64 calls are on their way at most.
const READ_AHEAD: usize = 16 << 10;

/// The socket.
#[derive(Debug)]
pub(super) struct BatchedSocket(Arc<UnixStream>);

impl BatchedSocket {
    /// Messages over this stream, for as long as the runtime lasts in which this is called.
    pub(super) fn new(stream: UnixStream) -> Self {
        Self(Arc::new(stream))
    }
}

impl Socket for BatchedSocket {
    type ReadHalf = Reader;
    type WriteHalf = Writer;

    fn split(self) -> Split<Reader, Writer> {
        let reader = Reader { stream: Arc::clone(&self.0), ahead: Vec::new(), taken: 0 };
        Split::new(reader, Writer(Outbox::of(self.0)))
    }
}

/// The half from which is read.
#[derive(Debug)]
pub(super) struct Reader {
    stream: Arc<UnixStream>,
    /// What was read before it was asked for.
    ahead: Vec<u8>,
    /// How many bytes of it were taken.
    taken: usize,
}

impl Reader {
    async fn read(stream: &UnixStream, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match stream.try_read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => stream.readable().await?,
                Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
                read => return read,
            }
        }
    }
}

#[async_trait::async_trait]
impl ReadHalf for Reader {
    async fn recvmsg(&mut self, buffer: &mut [u8]) -> Result<(usize, Vec<OwnedFd>)> {
        if self.taken == self.ahead.len() {
            if buffer.len() >= READ_AHEAD {
                return Ok((Self::read(&self.stream, buffer).await?, Vec::new()));
            }
            // Empty until the read has ended, which may be given up in between.
            self.taken = 0;
            let mut ahead = std::mem::take(&mut self.ahead);
            ahead.resize(READ_AHEAD, 0);
            let read = Self::read(&self.stream, &mut ahead).await?;
            ahead.truncate(read);
            self.ahead = ahead;
        }
        let next = &self.ahead[self.taken..];
        let length = next.len().min(buffer.len());
        buffer[..length].copy_from_slice(&next[..length]);
        self.taken += length;
        Ok((length, Vec::new()))
    }
}

/// The half to which is written.
#[derive(Debug)]
pub(super) struct Writer(Outbox);

#[async_trait::async_trait]
impl WriteHalf for Writer {
    async fn send_message(&mut self, message: &Message) -> zbus::Result<()> {
        let data = message.data();
        if !data.fds().is_empty() {
            return Err(no_files().into());
        }
        Ok(self.0.put(data).await?)
    }

    async fn sendmsg(&mut self, buffer: &[u8], files: &[BorrowedFd<'_>]) -> Result<usize> {
        if !files.is_empty() {
            return Err(no_files());
        }
        self.0.put(buffer).await?;
        Ok(buffer.len())
    }

    async fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

fn no_files() -> Error {
    Error::new(ErrorKind::Unsupported, "no files are sent here")
}
