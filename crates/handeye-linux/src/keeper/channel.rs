//! What a process and its keeper say to each other: a JSON value a packet, with a file where one is handed over. Each request is
//! answered before the next.

use handeye_x11::Held;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{Error, ErrorKind, IoSlice, IoSliceMut, Result};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// No packet is longer: the longest names each of 248 keys twice.
const LONGEST: usize = 16 * 1024;

/// What the keeper is asked for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// This is held on its seat from now on, instead of what was held there before.
    Hold(Held),
    /// Nothing is held on this seat any more: `None` is the user's.
    Free(Option<String>),
    /// Release what is held on this seat: the process could not do it itself.
    Release(Option<String>),
    /// Keep the connection that comes with this request open. Lines of one application that come with a higher number of their
    /// group replace those of lower ones, which are not used any more.
    Line {
        /// The number of the group.
        group: u64,
    },
}

/// Whether it was done, or why not.
pub(super) type Answer = std::result::Result<(), String>;

/// Sends a message, with a file if there is one.
pub(super) fn send(socket: impl AsFd, message: &impl Serialize, file: Option<BorrowedFd<'_>>) -> Result<()> {
    let packet = serde_json::to_vec(message)?;
    if packet.len() > LONGEST {
        return Err(Error::new(ErrorKind::InvalidInput, "the message is too long"));
    }
    let files = [file.unwrap_or(socket.as_fd())];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if file.is_some() && !ancillary.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(Error::new(ErrorKind::InvalidInput, "the file does not fit into the message"));
    }
    // A keeper that has ended must not end this process too.
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    sendmsg(&socket, &[IoSlice::new(&packet)], &mut ancillary, flags)?;
    Ok(())
}

/// Receives a message and the file that came with it; `None` when the other side has ended. Blocks until there is one.
pub(super) fn receive<T: DeserializeOwned>(socket: impl AsFd) -> Result<Option<(T, Option<OwnedFd>)>> {
    let mut packet = vec![0; LONGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let length = loop {
        let mut parts = [IoSliceMut::new(&mut packet)];
        match recvmsg(&socket, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            // Its last words were not read.
            Err(Errno::CONNRESET) => return Ok(None),
            received => break received?.bytes,
        }
    };
    if length == 0 {
        return Ok(None);
    }
    let file = ancillary.drain().find_map(|part| match part {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    Ok(Some((serde_json::from_slice(&packet[..length])?, file)))
}

/// Waits at most `patience` for a message or the end of the other side; says whether there is one.
pub(super) fn wait(socket: impl AsFd, patience: Duration) -> Result<bool> {
    let until = Instant::now() + patience;
    let mut polled = [PollFd::new(&socket, PollFlags::IN)];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).map_err(|_| Error::from(ErrorKind::InvalidInput))?;
        match poll(&mut polled, Some(&left)) {
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use std::io::{Read, Write};

    #[test]
    fn messages_arrive_with_their_files_and_the_end_is_heard() {
        let (near, far) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .expect("a pair");
        let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().expect("a pair");
        send(&near, &Request::Line { group: 7 }, Some(theirs.as_fd())).expect("sent");
        send(&near, &Request::Release(None), None).expect("sent");
        drop(theirs);
        let (first, file) = receive::<Request>(&far).expect("read").expect("there");
        assert!(matches!(first, Request::Line { group: 7 }));
        std::fs::File::from(file.expect("a file")).write_all(b"kept").expect("open");
        let mut text = String::new();
        ours.read_to_string(&mut text).expect("read");
        assert_eq!(text, "kept");
        let (second, file) = receive::<Request>(&far).expect("read").expect("there");
        assert!(matches!(second, Request::Release(None)) && file.is_none());
        assert!(!wait(&far, Duration::ZERO).expect("polled"));
        drop(near);
        assert!(receive::<Request>(&far).expect("read").is_none());
    }
}
