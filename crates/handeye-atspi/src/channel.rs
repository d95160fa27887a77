//! A connection of zbus, and calls beside its own over the same socket.

use super::batched_socket::BatchedSocket;
use super::call_line::CallLine;
use tokio::net::UnixStream;
use zbus::Connection;
use zbus::connection::Builder;

/// A connection. Clones are one, which ends with the last of them.
#[derive(Debug, Clone)]
pub(super) struct Channel {
    /// For what is not asked often, and what comes unasked.
    pub(super) connection: Connection,
    /// For calls of which there are many.
    pub(super) calls: CallLine,
}

impl Channel {
    /// A connection to the bus at the other end of `stream`, on which that many messages may wait to be read.
    pub(super) async fn to_bus(stream: UnixStream, queue: usize) -> zbus::Result<Self> {
        let (socket, calls) = BatchedSocket::new(stream);
        Ok(Self { connection: Builder::socket(socket).max_queued(queue).build().await?, calls })
    }

    /// A connection to the program at the other end of `stream`.
    pub(super) async fn to_peer(stream: UnixStream) -> zbus::Result<Self> {
        let (socket, calls) = BatchedSocket::new(stream);
        Ok(Self { connection: Builder::socket(socket).p2p().build().await?, calls })
    }
}
