//! What a command and the daemon say to each other: one JSON object a line, bounded in length, over a socket that both
//! sides know to be this user's.
//!
//! The daemon greets; the command makes one request; the daemon shows that it lives until it answers. Between, it may ask the
//! person behind the command. The bytes of a picture follow the line of the answer.

use crate::person::{PersonReply, Shown};
use handeye_call::outcome::{Outline, Table, Verdict};
use handeye_core::{Error, Text};
use rustix::process::geteuid;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ffi::OsString;
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

/// The first line of the daemon.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// Its build, as [`Build`](super::build::Build) shows it.
    pub(super) build: String,
    /// Its process number.
    pub(super) pid: u32,
}

/// A line of the command.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Run a command.
    Call(Box<CallRequest>),
    /// What came of a question.
    #[serde(rename = "said")]
    PersonReply {
        /// Its number.
        number: u32,
        /// What the person said.
        #[serde(rename = "said")]
        reply: PersonReply,
    },
    /// The answer to the call is no longer wanted.
    Cancel,
    /// Tell about yourself.
    Status,
    /// Take no more calls, end those that run, and go.
    Stop,
}

/// A command to be run. Typed text and keys of providers are in it: it is never logged.
#[derive(Serialize, Deserialize)]
pub(super) struct CallRequest {
    /// What the program at this end calls itself: programs of one name share what they were given.
    pub(super) caller: String,
    /// The words of the command line after the program's name.
    pub(super) words: Vec<OsString>,
    /// The settings of the command, made and read by the one who wires handeye.
    pub(super) settings: Value,
    /// How long it may take, in milliseconds, if the user said.
    pub(super) limit_ms: Option<u64>,
    /// Whether the answer is the bytes of its first picture.
    pub(super) picture: bool,
    /// Whether what is logged meanwhile is wanted too.
    pub(super) logs: bool,
    /// Who can be asked meanwhile, if anybody.
    pub(super) person: Option<PersonThere>,
}

/// A person behind a command.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct PersonThere {
    /// As in [`InteractionCapabilities`](handeye_call::client::InteractionCapabilities).
    pub(super) unproven: bool,
}

/// A question to the person behind a command.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Question {
    /// Which one it is of this call; the one before it is taken back.
    pub(super) number: u32,
    /// What is shown.
    pub(super) shown: Shown,
    /// How long the answer may take, in milliseconds.
    pub(super) patience_ms: u64,
}

/// Without what was typed.
impl std::fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a call of {} words", self.words.len())
    }
}

/// A line of the daemon after its first one.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    /// The call still runs.
    Alive,
    /// The call needs an answer of a person.
    Ask(Box<Question>),
    /// What came of the call.
    Answer(Box<CallAnswer>),
    /// About the daemon.
    Status(Status),
    /// It takes no more calls; the end of the connection is its own end.
    Stopping,
    /// The request is none.
    Misunderstood,
}

/// What came of a call.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CallAnswer {
    pub(super) result: Result<ShownAnswer, Error>,
    pub(super) logs: Vec<String>,
}

/// An answer, as far as a command line shows it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ShownAnswer {
    pub(super) text: Text,
    pub(super) outline: Option<Outline>,
    pub(super) fields: Value,
    pub(super) notes: Vec<Text>,
    pub(super) failure: Option<Error>,
    pub(super) verdict: Verdict,
    pub(super) table: Option<Table>,
    /// How many bytes of a picture follow the line.
    pub(super) picture_bytes: Option<usize>,
}

/// About a daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Status {
    /// Its process number.
    pub(super) pid: u32,
    /// Its version.
    pub(super) version: String,
    /// How long it has run.
    pub(super) uptime_seconds: u64,
    /// After how long without a command it ends.
    pub(super) idle_seconds: u64,
    /// Commands that it has answered.
    pub(super) answered: u64,
    /// Commands that it works on now.
    pub(super) calls: usize,
}

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

    #[tokio::test]
    async fn words_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let call = CallRequest {
            caller: "test".into(),
            words: vec!["tree".into(), OsString::from_vec(b"a\xffb".to_vec())],
            settings: Value::Null,
            limit_ms: None,
            picture: false,
            logs: false,
            person: None,
        };
        let (mut ours, theirs) = pair();
        let mut theirs = Channel::new(theirs).expect("this user's");
        let words = call.words.clone();
        assert_eq!(format!("{call:?}"), "a call of 2 words", "what was typed is in no log");
        theirs.write(&Request::Call(Box::new(call)), b"").await.expect("sent");
        let Ok(Some(Request::Call(read))) = ours.read(REQUEST).await else { panic!("no call") };
        assert_eq!(read.words, words);
    }
}
