//! Connections, within bounds: how many there are, how long one may be silent and how long it may leave what is written to it
//! unread. The library has none of these.

use axum::serve::Listener;
use std::io::{self, ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// Most connections at once; one more is closed at once. Below the 1,024 open files that a process may have by default.
const MAX_CONNECTIONS: usize = 512;
/// How long nothing may move. Longer than any call: a stream of events has a sign of life every 15 seconds, the answer of a
/// stateless call has none before it begins.
const SILENCE: Duration = Duration::from_secs(15 * 60);
/// How long a client may leave unread what is written. Its session is blocked for that long.
const UNREAD: Duration = Duration::from_secs(60);

/// Takes connections.
pub(super) struct Connections {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Connections {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(MAX_CONNECTIONS)) }
    }
}

impl Listener for Connections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let (stream, peer) = Listener::accept(&mut self.listener).await;
            let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
                tracing::warn!(connections = MAX_CONNECTIONS, "no more connections are accepted");
                continue;
            };
            if let Err(fault) = stream.set_nodelay(true) {
                tracing::debug!(%fault, "answers may come late");
            }
            return (Connection::new(stream, place), peer);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that fails when its client neither reads nor says anything for too long.
pub(super) struct Connection {
    stream: TcpStream,
    silence: Pin<Box<Sleep>>,
    unread: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

impl Connection {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit) -> Self {
        Self { stream, silence: Box::pin(sleep(SILENCE)), unread: None, _place: place }
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

    async fn pair(connections: &mut Connections) -> (TcpStream, Connection) {
        let address = connections.local_addr().expect("an address");
        let (client, (server, _)) = tokio::join!(TcpStream::connect(address), connections.accept());
        (client.expect("connected"), server)
    }

    async fn connections() -> Connections {
        Connections::new(TcpListener::bind("127.0.0.1:0").await.expect("a free port"))
    }

    #[tokio::test]
    async fn one_connection_more_is_closed_and_the_place_of_one_that_ends_is_free() {
        let mut connections = connections().await;
        connections.places = Arc::new(Semaphore::new(1));
        let address = connections.local_addr().expect("an address");
        let (_first, server) = pair(&mut connections).await;
        let mut second = TcpStream::connect(address).await.expect("connected");
        let taking = tokio::spawn(async move { connections.accept().await });
        assert_eq!(second.read(&mut [0]).await.expect("closed by the server"), 0);
        drop(server);
        let mut third = TcpStream::connect(address).await.expect("connected");
        third.write_all(b"x").await.expect("open");
        let (mut server, _) = taking.await.expect("taken");
        assert_eq!(server.read_u8().await.expect("open"), b'x');
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_a_connection() {
        let mut connections = connections().await;
        let (mut client, mut server) = pair(&mut connections).await;
        client.write_all(b"x").await.expect("open");
        assert_eq!(server.read_u8().await.expect("open"), b'x');
        let began = Instant::now();
        let fault = server.read_u8().await.expect_err("silent");
        assert_eq!(fault.kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() >= SILENCE && began.elapsed() < SILENCE * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_let_go() {
        let mut connections = connections().await;
        let (_client, mut server) = pair(&mut connections).await;
        let began = Instant::now();
        let fault = server.write_all(&vec![0; 64 * 1024 * 1024]).await.expect_err("unread");
        assert_eq!(fault.kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() >= UNREAD && began.elapsed() < UNREAD * 2);
    }
}
