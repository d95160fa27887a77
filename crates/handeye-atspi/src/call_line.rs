//! Calls over a connection beside those that zbus sends over it: written, and their replies taken out of what comes, by this crate itself.
//!
//! Their numbers are in the upper half, which those of zbus, counted from one, do not reach.

use super::call_error::CallError;
use super::marshalled::Reader;
use super::message::{Call, Reply, first_text, variant};
use super::outbox::Outbox;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use zbus::zvariant::serialized::{Context, Data};
use zbus::zvariant::{Endian, Type};

/// The lowest number of a call of this kind.
const FIRST: u32 = 1 << 31;
/// The bus, which answers for who does not exist or does not answer.
const BUS: &str = "org.freedesktop.DBus";

/// The way of calls over one connection. Clones are one.
#[derive(Debug, Clone)]
pub(super) struct CallLine {
    outbox: Arc<Outbox>,
    replies: Replies,
}

impl CallLine {
    /// Calls that are put into `outbox`, and whose replies come to `replies`.
    pub(super) fn new(outbox: Arc<Outbox>, replies: Replies) -> Self {
        Self { outbox, replies }
    }

    /// Sends a call and waits for its answer, for however long that takes; where this is given up, the answer is dropped. So is one of more than
    /// `most` bytes, as it comes.
    pub(super) async fn ask_on_line(
        &self,
        call: &Call<'_>,
        arguments: &[u8],
        most: usize,
    ) -> Result<Answer, CallError> {
        let (sender, answer) = oneshot::channel();
        let asked = self.replies.register(call.destination, most, sender)?;
        let message = call.message(asked.number, arguments)?;
        self.outbox.put(&message).await.map_err(|_| CallError::Gone)?;
        answer.await.unwrap_or(Err(CallError::Gone))
    }
}

/// What answers a call, not decoded yet.
#[derive(Debug)]
pub(super) struct Answer {
    /// Of the body, as it was sent.
    signature: String,
    body: Data<'static, 'static>,
}

impl Answer {
    /// The answer as the type that is expected; `None` if it is another one.
    pub(super) fn decode<R: DeserializeOwned + Type>(&self) -> Option<R> {
        // Several results, and one result that has several parts, are the same bytes.
        let is_expected = self.signature == R::SIGNATURE.to_string_no_parens()
            || self.signature == R::SIGNATURE.to_string();
        if is_expected { decoded(&self.body) } else { None }
    }

    /// The values in an answer of the type `signature`, which are read from it where they are; `None` if it is of another one.
    pub(super) fn values(&self, signature: &str) -> Option<Reader<'_>> {
        (self.signature == signature).then(|| Reader::new(self.body.context().endian(), self.body.bytes()))
    }

    /// The value in an answer that is a variant; `None` if it is of another type.
    pub(super) fn decode_variant<R: DeserializeOwned + Type>(&self) -> Option<R> {
        if self.signature != "v" {
            return None;
        }
        let (signature, value) = variant(self.body.bytes())?;
        if signature != R::SIGNATURE.to_string() {
            return None;
        }
        decoded(&self.body.slice(value..))
    }

    /// What an error says of itself, after its name.
    fn error_text(&self) -> Option<&str> {
        let begins_with_text = self.signature.starts_with('s');
        begins_with_text.then(|| first_text(self.body.context().endian(), self.body.bytes())).flatten()
    }
}

fn decoded<R: DeserializeOwned + Type>(body: &Data<'static, 'static>) -> Option<R> {
    body.deserialize().ok().map(|(value, _)| value)
}

/// The calls over one connection that are not answered yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Replies(Arc<Mutex<Expected>>);

#[derive(Debug, Default)]
struct Expected {
    by_number: HashMap<u32, Asked>,
    /// How many there were so far.
    asked: u32,
    /// Whether nothing will come any more.
    has_ended: bool,
}

#[derive(Debug)]
struct Asked {
    /// Whom it was sent to over a bus, if that is the name of one connection.
    connection: Option<Box<str>>,
    most: usize,
    answer: oneshot::Sender<Result<Answer, CallError>>,
}

impl Replies {
    /// A number for a call whose reply is expected from now on.
    ///
    /// # Errors
    /// [`CallError::Gone`] after the end of the connection.
    fn register(
        &self,
        destination: Option<&str>,
        most: usize,
        answer: oneshot::Sender<Result<Answer, CallError>>,
    ) -> Result<Expectation, CallError> {
        let connection = destination.filter(|name| name.starts_with(':')).map(Box::from);
        let mut expected = self.expected();
        if expected.has_ended {
            return Err(CallError::Gone);
        }
        // Of two thousand million calls one may still be unanswered.
        let number = loop {
            let number = FIRST | expected.asked;
            expected.asked = (expected.asked + 1) % FIRST;
            if !expected.by_number.contains_key(&number) {
                break number;
            }
        };
        expected.by_number.insert(number, Asked { connection, most, answer });
        Ok(Expectation { replies: self.clone(), number })
    }

    /// Whether a reply is one to a call of this kind, be it expected or not.
    pub(super) fn are_for(reply: &Reply<'_>) -> bool {
        reply.serial >= FIRST
    }

    /// The call that this answers, if it is expected from there.
    pub(super) fn take(&self, reply: &Reply<'_>) -> Option<Answering> {
        let mut expected = self.expected();
        let asked = expected.by_number.get(&reply.serial)?;
        let is_from_there = match (&asked.connection, reply.sender) {
            (Some(connection), sender) => sender == Some(&**connection) || sender == Some(BUS),
            (None, _) => true,
        };
        if !is_from_there {
            tracing::debug!(sender = reply.sender, "a reply does not come from where the call went");
            return None;
        }
        let Asked { answer, most, .. } = expected.by_number.remove(&reply.serial)?;
        Some(Answering {
            answer,
            most,
            signature: reply.signature.to_owned(),
            error: reply.error.map(str::to_owned),
        })
    }

    /// Ends all calls, and those that follow: nothing comes any more.
    pub(super) fn end(&self) {
        let mut expected = self.expected();
        expected.has_ended = true;
        expected.by_number.clear();
    }

    /// Held for moments only. Every change is one step, so a poisoned lock is taken over.
    fn expected(&self) -> MutexGuard<'_, Expected> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer to this call is waited for until this ends.
struct Expectation {
    replies: Replies,
    number: u32,
}

impl Drop for Expectation {
    fn drop(&mut self) {
        self.replies.expected().by_number.remove(&self.number);
    }
}

/// A call whose answer has begun to come.
#[derive(Debug)]
pub(super) struct Answering {
    answer: oneshot::Sender<Result<Answer, CallError>>,
    /// Longest body that is accepted, in bytes.
    pub(super) most: usize,
    signature: String,
    error: Option<String>,
}

impl Answering {
    /// Answers with this body.
    pub(super) fn with(self, endian: Endian, body: Vec<u8>) {
        let answer =
            Answer { signature: self.signature, body: Data::new(body, Context::new_dbus(endian, 0)) };
        let result = match self.error {
            Some(name) => Err(CallError::of_reply(&name, answer.error_text())),
            None => Ok(answer),
        };
        send(self.answer, result);
    }

    /// Answers that the answer is too long, by that many bytes in all.
    pub(super) fn too_long(self, bytes: usize) {
        send(self.answer, Err(CallError::TooLong(bytes)));
    }
}

fn send(answer: oneshot::Sender<Result<Answer, CallError>>, result: Result<Answer, CallError>) {
    if answer.send(result).is_err() {
        tracing::trace!("an answer comes when nobody waits for it any more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::RawReference;
    use futures_util::FutureExt;
    use std::collections::HashMap;
    use tokio::net::UnixStream;
    use zbus::zvariant::{DynamicType, ObjectPath, Value, to_bytes};

    const MOST: usize = 1 << 20;
    const CALL: Call<'static> =
        Call { destination: Some(":1.7"), path: "/a", interface: "a.b", member: "C", signature: "" };

    fn line() -> (CallLine, Replies, UnixStream) {
        let (near, far) = UnixStream::pair().expect("two sockets");
        let replies = Replies::default();
        (CallLine::new(Arc::new(Outbox::of(Arc::new(near))), replies.clone()), replies, far)
    }

    fn reply(number: u32) -> Reply<'static> {
        Reply { serial: FIRST | number, sender: Some(":1.7"), signature: "", error: None }
    }

    fn answer(endian: Endian, value: &(impl serde::Serialize + DynamicType)) -> Answer {
        let body = to_bytes(Context::new_dbus(endian, 0), value).expect("a body");
        let signature = value.signature().to_string_no_parens();
        Answer { signature, body: Data::new(body.bytes().to_vec(), Context::new_dbus(endian, 0)) }
    }

    #[test]
    fn values_in_variants_are_decoded_as_their_types() {
        for endian in [Endian::Little, Endian::Big] {
            let variant = |value: Value<'static>| answer(endian, &value);
            assert_eq!(variant(Value::from("text")).decode_variant(), Some("text".to_owned()));
            assert_eq!(variant(Value::from(-7_i32)).decode_variant(), Some(-7_i32));
            assert_eq!(variant(Value::from(0.5_f64)).decode_variant(), Some(0.5_f64));
            assert_eq!(variant(Value::from(7_u32)).decode_variant::<i32>(), None, "another type");
            let path = ObjectPath::try_from("/a/b").expect("a path");
            let reference: Option<RawReference> = variant(Value::from((":1.7", path))).decode_variant();
            let reference = reference.expect("a reference");
            assert_eq!((reference.bus.as_str(), reference.path.as_str()), (":1.7", "/a/b"));
            assert_eq!(answer(endian, &7_i32).decode_variant::<i32>(), None, "no variant");
        }
    }

    #[test]
    fn several_results_and_one_of_several_parts_are_the_same() {
        let mut extents = answer(Endian::Little, &(1_i32, 2_i32, 3_i32, 4_i32));
        for signature in ["iiii", "(iiii)"] {
            signature.clone_into(&mut extents.signature);
            assert_eq!(extents.decode(), Some((1_i32, 2_i32, 3_i32, 4_i32)), "{signature}");
        }
        for signature in ["(iiii", "iiiiii", "(iii)"] {
            signature.clone_into(&mut extents.signature);
            assert_eq!(extents.decode::<(i32, i32, i32, i32)>(), None, "{signature}");
        }
    }

    #[test]
    fn bodies_are_decoded_as_what_they_are_and_as_nothing_else() {
        for endian in [Endian::Little, Endian::Big] {
            let extents = answer(endian, &(1_i32, 2_i32, 30_i32, -40_i32));
            assert_eq!(extents.decode(), Some((1_i32, 2_i32, 30_i32, -40_i32)));
            assert_eq!(extents.decode::<(i32, i32)>(), None);
            assert_eq!(answer(endian, &[0, 0, 0, 0, 0, 0_i32]).decode::<(i32, i32, i32, i32)>(), None);
            let attributes = HashMap::from([("toolkit", "gtk")]);
            let read: Option<HashMap<String, String>> = answer(endian, &attributes).decode();
            assert_eq!(read.expect("attributes")["toolkit"], "gtk");
            assert_eq!(answer(endian, &()).decode(), Some(()));
        }
    }

    #[tokio::test]
    async fn errors_mean_what_their_names_do_whether_the_application_or_the_bus_sends_them() {
        let (line, replies, _far) = line();
        let text = to_bytes(Context::new_dbus(Endian::Little, 0), "why").expect("a body");
        let errors = [
            (":1.7", "org.freedesktop.DBus.Error.UnknownObject"),
            (BUS, "org.freedesktop.DBus.Error.NoReply"),
            (":1.7", "org.a.Failed"),
        ];
        let mut results = Vec::new();
        for (number, (sender, error)) in errors.into_iter().enumerate() {
            let mut waits = line.ask_on_line(&CALL, &[], MOST).boxed();
            assert!((&mut waits).now_or_never().is_none());
            let number = u32::try_from(number).expect("a few");
            let failed = Reply { sender: Some(sender), signature: "s", error: Some(error), ..reply(number) };
            let answering = replies.take(&failed).expect("it is expected");
            answering.with(Endian::Little, text.bytes().to_vec());
            results.push(waits.await.expect_err("an error"));
        }
        assert!(matches!(results[0], CallError::NoSuchObject));
        assert!(matches!(results[1], CallError::Gone));
        assert!(matches!(&results[2], CallError::Rejected(text) if text == "why"));
    }

    #[tokio::test]
    async fn an_answer_that_comes_too_late_is_not_that_of_the_next_call() {
        let (line, replies, _far) = line();
        assert!(line.ask_on_line(&CALL, &[], MOST).now_or_never().is_none(), "it is given up here");
        let mut waits = line.ask_on_line(&CALL, &[], MOST).boxed();
        assert!((&mut waits).now_or_never().is_none());
        assert!(replies.take(&reply(0)).is_none(), "nobody waits for it");
        replies.take(&reply(1)).expect("it is expected").with(Endian::Little, Vec::new());
        assert_eq!(waits.await.expect("an answer").decode(), Some(()));
        assert!(replies.expected().by_number.is_empty());
    }
}
