//! Calls over a connection beside those that zbus sends over it: written, and their replies taken out of what comes, by this crate itself.
//!
//! Their numbers are in the upper half, which those of zbus, counted from one, do not reach.

use super::call_error::CallError;
use super::message::{Call, Reply, first_text, variant};
use super::outbox::Outbox;
use serde::de::{Deserialize, DeserializeOwned};
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

    /// Sends a call and waits for its answer, for however long that takes; where this is given up, the answer is dropped.
    pub(super) async fn ask(&self, call: &Call<'_>, arguments: &[u8]) -> Result<Answer, CallError> {
        let (sender, answer) = oneshot::channel();
        let asked = self.replies.expect(call.destination, sender)?;
        let message = call.message(asked.number, arguments)?;
        self.outbox.put(&message).await.map_err(|_| CallError::Gone)?;
        answer.await.unwrap_or(Err(CallError::Gone))
    }
}

/// What answers a call, not decoded yet.
#[derive(Debug)]
pub(super) struct Answer {
    /// Of the body, without parentheses.
    signature: String,
    body: Data<'static, 'static>,
}

impl Answer {
    /// The answer as the type that is expected, which may borrow from it; `None` if it is another one.
    pub(super) fn decode<'a, R: Deserialize<'a> + Type>(&'a self) -> Option<R> {
        decoded(&self.signature, &self.body)
    }

    /// The value in an answer that is a variant; `None` if it is of another type.
    pub(super) fn decode_variant<R: DeserializeOwned + Type>(&self) -> Option<R> {
        if self.signature != "v" {
            return None;
        }
        let (signature, value) = variant(self.body.bytes())?;
        decoded(signature, &self.body.slice(value..))
    }

    /// Length of its body, in bytes.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// What an error says of itself, after its name.
    fn error_text(&self) -> Option<&str> {
        let begins_with_text = self.signature.starts_with('s');
        begins_with_text.then(|| first_text(self.body.context().endian(), self.body.bytes())).flatten()
    }
}

fn decoded<'a, R: Deserialize<'a> + Type>(signature: &str, body: &'a Data<'static, 'static>) -> Option<R> {
    if *R::SIGNATURE != *signature {
        return None;
    }
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
    answer: oneshot::Sender<Result<Answer, CallError>>,
}

impl Replies {
    /// Waits for the answer to a call of which the number is the result.
    ///
    /// # Errors
    /// [`CallError::Gone`] after the end of the connection.
    fn expect(
        &self,
        destination: Option<&str>,
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
        expected.by_number.insert(number, Asked { connection, answer });
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
            (Some(connection), Some(sender)) => **connection == *sender || sender == BUS,
            (None, _) | (_, None) => true,
        };
        if !is_from_there {
            tracing::debug!(sender = reply.sender, "a reply does not come from where the call went");
            return None;
        }
        let Asked { answer, .. } = expected.by_number.remove(&reply.serial)?;
        Some(Answering {
            answer,
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
