//! A connection within bounds: how long it may be silent and how long it may leave what is written to it unread. The library has
//! none of these.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// How long nothing may move. Longer than any call: a stream of events has a sign of life every 15 seconds, the answer of a
/// stateless call has none before it begins.
pub(super) const SILENCE: Duration = Duration::from_secs(15 * 60);
/// How long a client may leave unread what is written. Its session is blocked for that long.
const UNREAD: Duration = Duration::from_secs(60);

/// A connection that fails when its client neither reads nor says anything for too long.
pub(super) struct Connection {
    stream: TcpStream,
    silence: Pin<Box<Sleep>>,
    unread: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, silence: Box::pin(sleep(SILENCE)), unread: None }
    }

    fn moved(&mut self) {
        self.silence.as_mut().reset(Instant::now() + SILENCE);
    }

    /// What became of a write, unless the client has left all before it unread for too long.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if polled.is_ready() {
            self.unread = None;
            self.moved();
            return polled;
        }
        let unread = self.unread.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        ready!(unread.as_mut().poll(context));
        tracing::info!("a client does not read what it asked for; its connection is closed");
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_ready() {
            self.moved();
            return polled;
        }
        ready!(self.silence.as_mut().poll(context));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.written(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    async fn pair() -> (TcpStream, Connection) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        (client.expect("connected"), Connection::new(accepted.expect("connected").0))
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_a_connection() {
        let (mut client, mut server) = pair().await;
        client.write_all(b"x").await.expect("open");
        assert_eq!(server.read_u8().await.expect("open"), b'x');
        let began = Instant::now();
        let fault = server.read_u8().await.expect_err("silent");
        assert_eq!(fault.kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() >= SILENCE && began.elapsed() < SILENCE * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_let_go() {
        let (_client, mut server) = pair().await;
        let began = Instant::now();
        let fault = server.write_all(&vec![0; 64 * 1024 * 1024]).await.expect_err("unread");
        assert_eq!(fault.kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() >= UNREAD && began.elapsed() < UNREAD * 2);
    }
}
