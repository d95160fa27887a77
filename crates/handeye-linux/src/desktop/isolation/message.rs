//! What a program outside and the first process inside say to each other, over a socket with a line of JSON for each message.
//!
//! The files that a program gets, or that are passed on, come before the message, with one byte.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// No message is longer: a command line has at most 2 MB.
const LONGEST_MESSAGE: usize = 6 * 1024 * 1024;
/// Most files that come with one message.
pub(super) const MOST_FILES: usize = 64;
/// The byte that files come with.
const WITH_FILES: u8 = b'F';

/// The socket where the first process inside takes programs. It is not seen from inside.
pub(super) fn launcher(folder: &Path) -> PathBuf {
    folder.join("launcher")
}

/// From outside.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Start a program whose standard streams came before.
    Start {
        /// The program and its arguments, as [`letters`].
        command: Vec<String>,
        /// Variables beside those of the sandbox.
        variables: BTreeMap<String, String>,
        /// Where it works, if that is there.
        folder: PathBuf,
    },
    /// Listen at these addresses of the sandbox's own network, and give the sockets out.
    Listen(Vec<SocketAddr>),
}

/// From inside.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The program ended with this code, in the way of a shell.
    Ended(u8),
    /// The program cannot be started: the code of a shell for it, and why.
    NotStarted(u8, String),
    /// Sockets come next.
    Listening,
    /// What was asked for failed.
    Failed(String),
}

/// The bytes of a word as a text that JSON can have: a character for each.
pub(super) fn letters(word: &OsStr) -> String {
    word.as_bytes().iter().map(|byte| char::from(*byte)).collect()
}

/// What such a text stands for.
pub(super) fn word(letters: &str) -> OsString {
    OsString::from_vec(
        letters.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')).collect(),
    )
}

/// Sends files.
pub(super) fn send_files(line: &UnixStream, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many files for one message"));
    }
    sendmsg(line, &[IoSlice::new(&[WITH_FILES])], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Takes the files that come next.
pub(super) fn receive_files(line: &UnixStream) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = recvmsg(line, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes != 1 || byte != [WITH_FILES] {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no files came"));
    }
    let rights = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    Ok(rights.flatten().collect())
}

/// Sends a message.
pub(super) fn send(mut line: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(message)?;
    text.push(b'\n');
    line.write_all(&text)
}

/// Takes the message that comes next; `None` at the end. Nothing of what follows is taken.
pub(super) fn receive<T: DeserializeOwned>(line: &UnixStream) -> io::Result<Option<T>> {
    let mut text = Vec::new();
    // One byte at a time: what follows may be files, which a buffer would lose.
    BufReader::with_capacity(1, line.take(LONGEST_MESSAGE as u64)).read_until(b'\n', &mut text)?;
    if text.is_empty() { Ok(None) } else { Ok(Some(serde_json::from_slice(&text)?)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    #[test]
    fn files_and_messages_arrive_in_order() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let file = tempfile::tempfile().expect("a file");
        (&file).write_all(b"kept").expect("written");
        send(&ours, &Request::Listen(vec![])).expect("sent");
        send_files(&ours, &[file.as_fd(), file.as_fd()]).expect("sent");
        send(&ours, &Reply::Ended(3)).expect("sent");
        drop(ours);
        assert!(matches!(receive(&theirs), Ok(Some(Request::Listen(addresses))) if addresses.is_empty()));
        let files = receive_files(&theirs).expect("received");
        assert_eq!(files.len(), 2);
        let same = File::from(files.into_iter().next().expect("a file"));
        assert_eq!(same.metadata().expect("known").len(), 4);
        assert!(matches!(receive(&theirs), Ok(Some(Reply::Ended(3)))));
        assert!(matches!(receive::<Reply>(&theirs), Ok(None)));
    }

    #[test]
    fn every_word_arrives_as_it_is() {
        for bytes in [&b"plain"[..], "größe".as_bytes(), &[0xff, 0x80, b'x']] {
            let own = OsString::from_vec(bytes.to_vec());
            assert_eq!(word(&letters(&own)), own);
        }
    }

    #[test]
    fn a_message_where_files_should_be_is_an_error() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        send(&ours, &Reply::Listening).expect("sent");
        assert!(receive_files(&theirs).is_err());
    }
}
