//! Takes apart what comes over a connection: replies to calls of a [`CallLine`](super::call_line::CallLine) go there, the rest to zbus.

use super::call_line::{Answering, Replies};
use super::message::{FIXED, Frame, MOST_HEAD};
use zbus::zvariant::Endian;

/// Room that is made for the beginning of an answer, which says itself how long it is.
const FIRST_ROOM: usize = 64 << 10;

/// What has come and was not taken yet, and where in a message that is.
#[derive(Debug)]
pub(super) struct Splitter {
    replies: Replies,
    /// What has come. What was taken of it is at its beginning.
    ahead: Vec<u8>,
    taken: usize,
    next: Next,
}

/// What the next byte belongs to.
#[derive(Debug)]
enum Next {
    /// The greeting: lines, before the first message.
    Greeting { in_line: bool },
    /// The beginning of a message.
    Message,
    /// A message for zbus, of which so many bytes are left.
    Passed(usize),
    /// The body of a reply that is as long as that.
    Body { length: usize, endian: Endian, body: Vec<u8>, answering: Answering },
    /// So many bytes that nobody waits for.
    Dropped(usize),
}

impl Splitter {
    /// Before the first byte of a connection.
    pub(super) fn new(replies: Replies) -> Self {
        Self { replies, ahead: Vec::new(), taken: 0, next: Next::Greeting { in_line: false } }
    }

    /// Where what comes is appended.
    pub(super) fn input(&mut self) -> &mut Vec<u8> {
        self.ahead.drain(..self.taken);
        self.taken = 0;
        &mut self.ahead
    }

    /// How much more the answer has that is coming.
    pub(super) fn wanted(&self) -> usize {
        match &self.next {
            Next::Body { length, body, .. } => length - body.len(),
            _ => 0,
        }
    }

    /// Writes what is for zbus into `output`, and returns how much. Nothing means that more has to come.
    pub(super) fn pass(&mut self, output: &mut [u8]) -> usize {
        loop {
            let rest = &self.ahead[self.taken..];
            match &mut self.next {
                Next::Greeting { in_line: false } if matches!(rest.first(), Some(b'l' | b'B')) => {
                    self.next = Next::Message;
                }
                Next::Greeting { in_line } => {
                    let line = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
                    let passed = line.min(output.len());
                    if passed > 0 {
                        *in_line = rest[passed - 1] != b'\n';
                    }
                    output[..passed].copy_from_slice(&rest[..passed]);
                    self.taken += passed;
                    return passed;
                }
                Next::Message => {
                    let Some((taken, next)) = begin(&self.replies, rest) else { return 0 };
                    self.next = next;
                    self.taken += taken;
                }
                Next::Passed(0) | Next::Dropped(0) => self.next = Next::Message,
                Next::Passed(left) => {
                    let passed = rest.len().min(output.len()).min(*left);
                    output[..passed].copy_from_slice(&rest[..passed]);
                    *left -= passed;
                    self.taken += passed;
                    return passed;
                }
                Next::Dropped(left) => {
                    let dropped = rest.len().min(*left);
                    *left -= dropped;
                    self.taken += dropped;
                    if *left > 0 {
                        return 0;
                    }
                }
                Next::Body { length, body, .. } => {
                    let more = rest.len().min(*length - body.len());
                    body.extend_from_slice(&rest[..more]);
                    self.taken += more;
                    if body.len() < *length {
                        return 0;
                    }
                    if let Next::Body { endian, body, answering, .. } =
                        std::mem::replace(&mut self.next, Next::Message)
                    {
                        answering.with(endian, body);
                    }
                }
            }
        }
    }
}

/// What begins here, and how much of it is known by that; `None` where more has to come first.
fn begin(replies: &Replies, rest: &[u8]) -> Option<(usize, Next)> {
    // What is no message is left to zbus, which ends the connection.
    let Some(frame) = Frame::read(rest.first_chunk::<FIXED>()?) else {
        return Some((0, Next::Passed(usize::MAX)));
    };
    let pass = Some((0, Next::Passed(frame.whole())));
    if !frame.is_reply() || frame.head() > MOST_HEAD {
        return pass;
    }
    let head = rest.get(..frame.head())?;
    let Some(reply) = frame.reply(head).filter(Replies::are_for) else { return pass };
    let next = match replies.take(&reply) {
        None => Next::Dropped(frame.body),
        Some(answering) if frame.body > answering.most => {
            answering.too_long(frame.body);
            Next::Dropped(frame.body)
        }
        Some(answering) => {
            let body = Vec::with_capacity(frame.body.min(FIRST_ROOM));
            Next::Body { length: frame.body, endian: frame.endian, body, answering }
        }
    };
    Some((head.len(), next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_error::CallError;
    use crate::call_line::{Answer, CallLine};
    use crate::message::Call;
    use crate::outbox::Outbox;
    use futures_util::FutureExt;
    use proptest::prelude::*;
    use std::sync::Arc;
    use tokio::net::UnixStream;
    use zbus::Message;

    /// Longest answer that the calls of these tests accept, in bytes.
    const MOST: usize = 1 << 20;

    /// A way of calls to nobody, and where the replies are given.
    fn line() -> (CallLine, Splitter, UnixStream) {
        let (near, far) = UnixStream::pair().expect("two sockets");
        let replies = Replies::default();
        let line = CallLine::new(Arc::new(Outbox::of(Arc::new(near))), replies.clone());
        (line, Splitter::new(replies), far)
    }

    fn call(destination: Option<&'static str>) -> Call<'static> {
        Call { destination, path: "/a", interface: "a.b", member: "C", signature: "" }
    }

    /// The reply to the call with this number in the upper half, with this body, as the other end writes it.
    fn reply(number: u32, sender: Option<&str>, body: &str) -> Vec<u8> {
        let template = Message::method_call("/a", "C").and_then(|call| call.build(&())).expect("a call");
        let builder = Message::method_return(&template.header()).expect("a reply");
        let builder = match sender {
            Some(sender) => builder.sender(sender).expect("a name"),
            None => builder,
        };
        let message = builder.build(&body).expect("a reply");
        let own = template.primary_header().serial_num().get().to_le_bytes();
        let mut bytes = message.data().bytes().to_vec();
        // The number that it answers is the one field of four bytes with this content behind its signature.
        let at = bytes.windows(8).position(|part| part[..4] == [5, 1, b'u', 0] && part[4..] == own);
        let at = at.expect("the number") + 4;
        bytes[at..at + 4].copy_from_slice(&((1 << 31) | number).to_le_bytes());
        bytes
    }

    /// All that passes of these bytes, given in parts of this length and taken in parts of that one.
    fn passed(splitter: &mut Splitter, bytes: &[u8], given: usize, taken: usize) -> Vec<u8> {
        let mut passed = Vec::new();
        let mut output = vec![0; taken];
        for part in bytes.chunks(given) {
            splitter.input().extend_from_slice(part);
            loop {
                let length = splitter.pass(&mut output);
                if length == 0 {
                    break;
                }
                passed.extend_from_slice(&output[..length]);
            }
        }
        passed
    }

    fn text(answer: Option<Result<Answer, CallError>>) -> Option<String> {
        answer?.expect("an answer").decode::<String>()
    }

    proptest! {
        #[test]
        fn replies_go_to_their_calls_and_the_rest_to_zbus(
            given in 1_usize..400,
            taken in 1_usize..400,
            order in proptest::collection::vec(0_usize..4, 1..12),
            words in "[^\x00]{0,40}",
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let (line, mut splitter, _far) = line();
                let signal = Message::signal("/a", "a.b", "Changed").and_then(|signal| signal.build(&words.as_str()));
                let signal = signal.expect("a signal").data().bytes().to_vec();
                let greeting = b"OK 0123456789\r\nAGREE_UNIX_FD\r\n";
                let mut bytes = greeting.to_vec();
                let mut for_zbus = bytes.clone();
                let mut asked = Vec::new();
                for what in order {
                    match what {
                        0 => {
                            bytes.extend(&signal);
                            for_zbus.extend(&signal);
                        }
                        // One that is not waited for any more.
                        1 => bytes.extend(reply(1_000, Some(":1.7"), &words)),
                        _ => {
                            let number = u32::try_from(asked.len()).expect("a few");
                            let line = line.clone();
                            let mut waits = async move { line.ask_on_line(&call(Some(":1.7")), &[], MOST).await }.boxed();
                            assert!((&mut waits).now_or_never().is_none());
                            asked.push(waits);
                            bytes.extend(reply(number, Some(":1.7"), &format!("{words}{number}")));
                        }
                    }
                }
                prop_assert_eq!(passed(&mut splitter, &bytes, given, taken), for_zbus);
                for (number, waits) in asked.into_iter().enumerate() {
                    prop_assert_eq!(text(waits.now_or_never()), Some(format!("{words}{number}")));
                }
                Ok(())
            })?;
        }

        #[test]
        fn whatever_comes_ends(bytes in proptest::collection::vec(any::<u8>(), 0..300), given in 1_usize..100) {
            let mut splitter = Splitter::new(Replies::default());
            prop_assert!(passed(&mut splitter, &bytes, given, 16).len() <= bytes.len());
        }
    }

    #[tokio::test]
    async fn a_reply_of_somebody_else_is_none() {
        let (line, mut splitter, _far) = line();
        let mut waits = async { line.ask_on_line(&call(Some(":1.7")), &[], MOST).await }.boxed();
        assert!((&mut waits).now_or_never().is_none());
        for sender in [Some(":1.8"), None] {
            let forged = reply(0, sender, "forged");
            assert_eq!(passed(&mut splitter, &forged, 1000, 1000), Vec::<u8>::new());
        }
        assert!((&mut waits).now_or_never().is_none(), "it is waited for still");
        passed(&mut splitter, &reply(0, Some(":1.7"), "true"), 1000, 1000);
        assert_eq!(text(waits.now_or_never()), Some("true".to_owned()));
    }

    #[tokio::test]
    async fn a_call_ends_with_its_connection_and_none_follows() {
        let (near, far) = UnixStream::pair().expect("two sockets");
        let (socket, line) = crate::batched_socket::BatchedSocket::new(near);
        let split = zbus::connection::socket::Socket::split(socket).take();
        let mut waits = async { line.ask_on_line(&call(None), &[], MOST).await }.boxed();
        assert!((&mut waits).now_or_never().is_none());
        drop((split, far));
        assert!(matches!(waits.await, Err(CallError::Gone)));
        assert!(matches!(line.ask_on_line(&call(None), &[], MOST).await, Err(CallError::Gone)));
    }

    #[tokio::test]
    async fn an_answer_that_is_too_long_is_not_kept() {
        let (line, mut splitter, _far) = line();
        let mut waits = async { line.ask_on_line(&call(None), &[], MOST).await }.boxed();
        assert!((&mut waits).now_or_never().is_none());
        let mut head = reply(0, None, "");
        let body = u32::try_from(MOST + 1).expect("a number");
        head[4..8].copy_from_slice(&body.to_le_bytes());
        passed(&mut splitter, &head, 1000, 1000);
        assert!(matches!(waits.now_or_never(), Some(Err(CallError::TooLong(length))) if length == MOST + 1));
        assert!(splitter.input().len() < 100, "what comes of it is dropped");
    }
}
