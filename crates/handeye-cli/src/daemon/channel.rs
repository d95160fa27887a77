//! How a command and the daemon carry [`wire`](handeye_service::wire): one JSON object a line, bounded in length, over a socket that both
//! sides know to be this user's. The bytes of a picture follow the line of the answer.

use rustix::process::geteuid;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// Longest greeting, in bytes.
pub(super) const SHORT: usize = 4 * 1024;
/// Longest line between a request and its answer: what a person filled in.
pub(super) const PERSON_REPLY: usize = 64 * 1024;
/// Longest request: more than the kernel lets a command line be, in the notation of JSON.
pub(super) const REQUEST: usize = 16 * 1024 * 1024;
/// Longest answer, and largest picture after it.
pub(super) const ANSWER: usize = 512 * 1024 * 1024;
/// How often the daemon shows that it lives while a call runs.
pub(super) const ALIVE: Duration = Duration::from_secs(1);

/// One end of a connection between a command and the daemon.
pub(super) struct Channel {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    /// The number of the user at the other end.
    pub(super) user: u32,
    /// The beginning of a line that has not come whole yet.
    begun: Vec<u8>,
}

impl Channel {
    /// The connection, if the other end is a process of this user.
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        let peer = stream.peer_cred()?;
        if peer.uid() != geteuid().as_raw() {
            let why = format!("the other end is a process of user {}", peer.uid());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let (reader, writer) = stream.into_split();
        Ok(Self { reader: BufReader::new(reader), writer, user: peer.uid(), begun: Vec::new() })
    }

    /// The next line; `None` at the end. A call that is dropped loses nothing: the next one goes on.
    pub(super) async fn read<T: DeserializeOwned>(&mut self, limit: usize) -> io::Result<Option<T>> {
        let malformed = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let room = (limit + 1).saturating_sub(self.begun.len());
        (&mut self.reader).take(room as u64).read_until(b'\n', &mut self.begun).await?;
        let line = std::mem::take(&mut self.begun);
        match line.last() {
            None => Ok(None),
            Some(b'\n') => serde_json::from_slice(&line).map(Some).map_err(|_| malformed("not a message")),
            Some(_) if line.len() > limit => Err(malformed("a message is too long")),
            Some(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// The next bytes.
    pub(super) async fn read_bytes(&mut self, count: usize) -> io::Result<Vec<u8>> {
        if count > ANSWER {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a picture is too large"));
        }
        let mut bytes = Vec::new();
        (&mut self.reader).take(count as u64).read_to_end(&mut bytes).await?;
        if bytes.len() == count { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Sends a line, and `bytes` after it.
    pub(super) async fn write(&mut self, message: &impl Serialize, bytes: &[u8]) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.writer.write_all(&line).await?;
        self.writer.write_all(bytes).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_service::wire::{Hello, Request};

    fn pair() -> (Channel, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        (Channel::new(ours).expect("this user's"), theirs)
    }

    #[tokio::test]
    async fn lines_come_whole_however_they_were_sent() {
        let (mut ours, mut theirs) = pair();
        theirs.write_all(b"{\"build\":\"x\",\"p").await.expect("sent");
        let half = tokio::time::timeout(Duration::from_millis(20), ours.read::<Hello>(SHORT)).await;
        assert!(half.is_err(), "it is not whole yet");
        theirs.write_all(b"id\":7}\n\"cancel\"\n").await.expect("sent");
        assert_eq!(ours.read::<Hello>(SHORT).await.expect("read").map(|hello| hello.pid), Some(7));
        assert!(matches!(ours.read(SHORT).await, Ok(Some(Request::Cancel))));
        drop(theirs);
        assert!(matches!(ours.read::<Request>(SHORT).await, Ok(None)));
    }

    #[tokio::test]
    async fn what_is_too_long_torn_or_no_message_is_an_error() {
        for (sent, limit) in
            [(&b"\"cancel\"\n"[..], 5), (b"\"can", SHORT), (b"\xff\n", SHORT), (b"{\"call\":1}\n", SHORT)]
        {
            let (mut ours, mut theirs) = pair();
            theirs.write_all(sent).await.expect("sent");
            drop(theirs);
            assert!(ours.read::<Request>(limit).await.is_err(), "{sent:?}");
        }
    }
}
