//! Connecting to a local socket without waiting.

use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A connection to what listens at `address`; reading from it and writing to it give up after `patience`. What has a full queue of
/// connections that no process accepts counts as not listening.
pub(super) fn open(address: &SocketAddrUnix, patience: Duration) -> Result<UnixStream, Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, address)?;
    let stream = UnixStream::from(socket);
    let fault = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    stream.set_nonblocking(false).map_err(fault)?;
    stream.set_read_timeout(Some(patience)).map_err(fault)?;
    stream.set_write_timeout(Some(patience)).map_err(fault)?;
    Ok(stream)
}

/// The user whose process listens at the other end.
pub(super) fn listener(stream: &UnixStream) -> Result<u32, Errno> {
    Ok(socket_peercred(stream)?.uid.as_raw())
}

/// Whether something listens at a D-Bus address. Only local sockets are tried: other addresses start programs or use the network.
pub(super) fn is_reachable_bus(address: &str) -> bool {
    let parameter = |name: &str| {
        let first = address.split(';').next()?.strip_prefix("unix:")?;
        first.split(',').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    };
    let socket = match (parameter("path"), parameter("abstract")) {
        (Some(path), _) => SocketAddrUnix::new(path),
        (None, Some(name)) => SocketAddrUnix::new_abstract_name(name.as_bytes()),
        (None, None) => return false,
    };
    socket.and_then(|socket| open(&socket, Duration::from_millis(100))).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_bus_is_where_something_listens() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bus");
        let address = format!("unix:path={},guid=0", path.display());
        assert!(!is_reachable_bus(&address));
        let listener = UnixListener::bind(&path).expect("bound");
        assert!(is_reachable_bus(&address));
        drop(listener);
        assert!(!is_reachable_bus(&address), "the file stays, nobody listens");
        for other in ["", "unix:", "unixexec:path=/bin/true", "tcp:host=localhost,port=1"] {
            assert!(!is_reachable_bus(other), "{other}");
        }
    }
}
