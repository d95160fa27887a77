//! A socket over which many small messages cost few system calls: what is sent at about the same time goes out together, and as much as
//! has come is read at once.
//!
//! It is left open when the connection over it ends: closing this end is all that happens then, and who else has it keeps the connection.
//! zbus and tokio would shut it down for all processes.

use super::call_line::{CallLine, Replies};
use super::outbox::{Health, Outbox};
use super::splitter::Splitter;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use tokio::net::UnixStream;
use zbus::Message;
use zbus::connection::socket::{ReadHalf, Socket, Split, WriteHalf};

/// Room for what is read at a time, in bytes. An answer has about a hundred, and 64 calls are on their way at most.
const ROOM: usize = 16 << 10;
/// The same while a long answer comes.
const MOST_ROOM: usize = 256 << 10;

/// The socket.
#[derive(Debug)]
pub(super) struct BatchedSocket {
    stream: Arc<UnixStream>,
    outbox: Arc<Outbox>,
    replies: Replies,
}

impl BatchedSocket {
    /// Messages over this stream, for as long as the runtime lasts in which this is called, and a way of calls beside those of zbus, which
    /// can be used once the connection stands.
    pub(super) fn new(stream: UnixStream) -> (Self, CallLine) {
        let stream = Arc::new(stream);
        let outbox = Arc::new(Outbox::of(Arc::clone(&stream)));
        let replies = Replies::default();
        let line = CallLine::new(Arc::clone(&outbox), replies.clone());
        (Self { stream, outbox, replies }, line)
    }
}

impl Socket for BatchedSocket {
    type ReadHalf = Reader;
    type WriteHalf = Writer;

    fn split(self) -> Split<Reader, Writer> {
        let Self { stream, outbox, replies } = self;
        let health = outbox.health();
        let splitter = Splitter::new(replies.clone());
        Split::new(Reader { stream, health, splitter, replies }, Writer(outbox))
    }
}

/// The half from which is read.
#[derive(Debug)]
pub(super) struct Reader {
    stream: Arc<UnixStream>,
    /// Where questions are not sent, answers are not waited for.
    health: Health,
    splitter: Splitter,
    replies: Replies,
}

impl Reader {
    /// Waits for more than has come so far. Where this is given up, nothing is lost.
    async fn read_more(&mut self) -> Result<()> {
        loop {
            // Who sends without an end must not keep the others from their turns.
            tokio::task::consume_budget().await;
            let room = self.splitter.wanted().clamp(ROOM, MOST_ROOM);
            let input = self.splitter.input();
            if room == ROOM && input.is_empty() && input.capacity() > 4 * ROOM {
                // Room for a long answer is not kept.
                *input = Vec::new();
            }
            input.reserve(room);
            match self.stream.try_read_buf(input) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => tokio::select! {
                    ready = self.stream.readable() => ready?,
                    failed = self.health.failed() => return Err(failed.into()),
                },
                Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
                read => return read.map(drop),
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.replies.end();
    }
}

#[async_trait::async_trait]
impl ReadHalf for Reader {
    async fn recvmsg(&mut self, buffer: &mut [u8]) -> Result<(usize, Vec<OwnedFd>)> {
        loop {
            match self.splitter.pass(buffer) {
                0 => self.read_more().await?,
                passed => return Ok((passed, Vec::new())),
            }
        }
    }
}

/// The half to which is written.
#[derive(Debug)]
pub(super) struct Writer(Arc<Outbox>);

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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::os::fd::AsFd as _;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    fn pair() -> (Reader, Writer, UnixStream) {
        let (near, far) = UnixStream::pair().expect("two sockets");
        let (reader, writer) = BatchedSocket::new(near).0.split().take();
        (reader, writer, far)
    }

    #[tokio::test]
    async fn what_has_come_is_read_in_whatever_parts_are_asked_for() {
        let (mut reader, _writer, mut far) = pair();
        let sent: Vec<u8> = (0..40_000_u32).map(|number| (number % 251) as u8).collect();
        far.write_all(&sent).await.expect("sent");
        let mut read = Vec::new();
        for size in [16, 100, ROOM - 1, 1, 2 * ROOM].into_iter().cycle() {
            let mut part = vec![0; size];
            let (length, _) = reader.recvmsg(&mut part).await.expect("more");
            read.extend_from_slice(&part[..length]);
            if read.len() == sent.len() {
                break;
            }
        }
        assert!(read == sent);
    }

    #[tokio::test]
    async fn a_read_that_is_given_up_loses_nothing() {
        let (mut reader, _writer, mut far) = pair();
        let mut part = [0; 4];
        assert!(reader.recvmsg(&mut part).now_or_never().is_none(), "nothing was sent");
        far.write_all(b"word").await.expect("sent");
        assert_eq!(reader.recvmsg(&mut part).await.expect("an answer").0, 4);
        assert_eq!(&part, b"word");
    }

    #[tokio::test]
    async fn where_writing_fails_reading_fails() {
        let (near, far) = std::os::unix::net::UnixStream::pair().expect("two sockets");
        near.set_nonblocking(true).expect("an option");
        let near = UnixStream::from_std(near).expect("a stream");
        let (mut reader, mut writer) = BatchedSocket::new(near).0.split().take();
        // It takes nothing any more, and may still send.
        far.shutdown(std::net::Shutdown::Read).expect("shut down");
        writer.sendmsg(b"is somebody there?", &[]).await.expect("it is gathered");
        let mut part = [0; 4];
        let read = tokio::time::timeout(Duration::from_secs(5), reader.recvmsg(&mut part));
        let failed = read.await.expect("it is noticed").expect_err("nothing is answered");
        assert_eq!(failed.kind(), ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn who_else_has_the_socket_keeps_it_open() {
        let (near, mut far) = UnixStream::pair().expect("two sockets");
        let kept = near.as_fd().try_clone_to_owned().expect("a second handle");
        let (socket, calls) = BatchedSocket::new(near);
        let in_use = Arc::downgrade(&socket.stream);
        let (reader, mut writer) = socket.split().take();
        writer.sendmsg(b"last", &[]).await.expect("sent");
        writer.close().await.expect("closed");
        drop((reader, writer, calls));
        let closed = async {
            while in_use.strong_count() > 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), closed).await.expect("this end is closed");
        let mut read = [0; 4];
        far.read_exact(&mut read).await.expect("what was sent");
        assert!(far.read(&mut read).now_or_never().is_none(), "the other handle keeps it open");
        drop(kept);
        assert_eq!(far.read(&mut read).await.expect("the end"), 0);
    }
}
