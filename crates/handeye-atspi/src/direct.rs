//! Connections straight to an application, past the bus: where the application offers them, and is the one that answers there.
//!
//! The address comes from the application, so nothing about it is taken for granted: it may lead to a socket that nobody
//! serves, to another process, or to something that is not a socket.

use super::channel::Channel;
use super::read_call::PING;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// How long an application may take to accept a connection and to answer on it.
const OPEN_DEADLINE: Duration = Duration::from_millis(500);
/// Connections that may be opened at a time, to whichever application. One that hangs in the kernel takes a place for good.
const MAX_AT_A_TIME: usize = 64;
static PLACES: Semaphore = Semaphore::const_new(MAX_AT_A_TIME);
/// How long to wait before asking again for a place in a full queue of connections.
const QUEUE_IS_FULL: Duration = Duration::from_millis(5);

/// Where an application accepts connections of its own, and which process has to be there.
#[derive(Debug, Clone)]
pub(super) struct DirectAddress {
    socket: SocketAddrUnix,
    process: u32,
}

impl DirectAddress {
    /// The socket of a D-Bus address such as `unix:path=/run/user/0/at-spi2-XYZ/socket` or `unix:abstract=…`, at which `process` has
    /// to listen. `None` for any other address: what an application says must not start a program or reach the network.
    pub(super) fn parse(address: &str, process: u32) -> Option<Self> {
        let first = address.split(';').next().unwrap_or_default();
        let entries = first.strip_prefix("unix:")?.split(',');
        let socket = entries.filter_map(|entry| entry.split_once('=')).find_map(|(key, value)| match key {
            "path" => SocketAddrUnix::new(value).ok(),
            "abstract" => SocketAddrUnix::new_abstract_name(value.as_bytes()).ok(),
            _ => None,
        });
        Some(Self { socket: socket?, process })
    }

    /// Opens a connection, with a second handle to its socket. `None` where the application does not let us in, or another process is there.
    pub(super) async fn open(&self) -> Option<(Channel, OwnedFd)> {
        let open = async {
            let stream = tokio::net::UnixStream::from_std(self.connect().await?.into())?;
            let socket = stream.as_fd().try_clone_to_owned()?;
            let channel = Channel::to_peer(stream).await?;
            // The application serves a new connection only after the handshake; an answer says that it does.
            let ping =
                channel.connection.call_method(None::<&str>, "/", Some(PING.interface()), PING.member(), &());
            ping.await?;
            zbus::Result::Ok((channel, socket))
        };
        match tokio::time::timeout(OPEN_DEADLINE, open).await {
            Ok(Ok(opened)) => Some(opened),
            Ok(Err(error)) => {
                tracing::debug!(address = ?self.socket, %error, "no direct connection, the bus will do");
                None
            }
            Err(_) => {
                tracing::debug!(address = ?self.socket, "no direct connection in time, the bus will do");
                None
            }
        }
    }

    /// A connected socket. The kernel looks up the path, which may lie on a file system that does not answer, so this is done on another thread.
    async fn connect(&self) -> io::Result<OwnedFd> {
        let (address, process) = (self.clone(), self.process);
        let place = PLACES.try_acquire().map_err(io::Error::other)?;
        let connected = tokio::task::spawn_blocking(move || {
            let connected = address.connect_now();
            drop(place);
            connected
        });
        let socket = connected.await.map_err(io::Error::other)??;
        let peer = sockopt::socket_peercred(&socket)?;
        // In a sandbox with processes of its own the numbers differ; then nothing shows which process is there.
        if u32::try_from(peer.pid.as_raw_nonzero().get()) == Ok(process) {
            Ok(socket)
        } else {
            Err(io::Error::other("another process listens there"))
        }
    }

    fn connect_now(&self) -> io::Result<OwnedFd> {
        let begun = Instant::now();
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        loop {
            match connect(&socket, &self.socket) {
                Ok(()) => return Ok(socket),
                // As many as fit wait to be accepted already.
                Err(Errno::AGAIN | Errno::INTR) if begun.elapsed() < OPEN_DEADLINE => {
                    std::thread::sleep(QUEUE_IS_FULL);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DirectAddress;

    #[test]
    fn only_local_sockets_are_addresses() {
        for address in
            ["unix:path=/run/user/0/at-spi/bus", "unix:abstract=/tmp/dbus-x,guid=1", "unix:guid=1,path=/a"]
        {
            assert!(DirectAddress::parse(address, 1).is_some(), "{address}");
        }
        for address in [
            "",
            "unix:",
            "unix:tmpdir=/tmp",
            "tcp:host=localhost,port=1",
            "nonce-tcp:host=localhost",
            "unixexec:path=/bin/true",
            "launchd:env=X",
            "autolaunch:",
            "tcp:host=localhost;unix:path=/a",
            "/run/bus",
        ] {
            assert!(DirectAddress::parse(address, 1).is_none(), "{address}");
        }
    }
}
