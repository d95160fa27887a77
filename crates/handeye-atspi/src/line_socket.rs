//! A socket that is left open when the connection over it ends: closing this end is all that happens then, and who else has it
//! keeps the connection. zbus and tokio would shut it down for all processes.

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use tokio::net::UnixStream;
use zbus::connection::socket::{ReadHalf, Socket, Split, WriteHalf};

/// The socket, and each half of it.
#[derive(Debug, Clone)]
pub(super) struct LeftOpen(Arc<UnixStream>);

impl LeftOpen {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self(Arc::new(stream))
    }
}

impl Socket for LeftOpen {
    type ReadHalf = Self;
    type WriteHalf = Self;

    fn split(self) -> Split<Self, Self> {
        Split::new(self.clone(), self)
    }
}

#[async_trait::async_trait]
impl ReadHalf for LeftOpen {
    async fn recvmsg(&mut self, buffer: &mut [u8]) -> Result<(usize, Vec<OwnedFd>)> {
        loop {
            self.0.readable().await?;
            match self.0.try_read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
                read => return Ok((read?, Vec::new())),
            }
        }
    }
}

#[async_trait::async_trait]
impl WriteHalf for LeftOpen {
    async fn sendmsg(&mut self, buffer: &[u8], files: &[BorrowedFd<'_>]) -> Result<usize> {
        if !files.is_empty() {
            return Err(Error::new(ErrorKind::Unsupported, "no files are sent here"));
        }
        loop {
            self.0.writable().await?;
            match self.0.try_write(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                written => return written,
            }
        }
    }

    async fn close(&mut self) -> Result<()> {
        Ok(())
    }
}
