//! What a process that has a desktop and one that wants something of it send to each other where they do not speak MCP: an operation by its
//! name, its input as JSON, and who calls.
//!
//! The serving side greets with [`Hello`]; the other one makes one [`Request`]; the serving side shows that it lives until it answers. Between,
//! it may ask the person behind the caller. How lines are carried, and who may send them, is the transport's affair.

pub mod reference;

use handeye_call::budget::Budget;
use handeye_call::client::{Form, Page};
use handeye_call::outcome::{Answer, Outcome, Outline, Picture, Table, Verdict};
use handeye_core::{Error, Text};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// The first line of the serving side.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hello {
    /// Its build. Two processes of one build understand each other in all details.
    pub build: String,
    /// Its process number.
    pub pid: u32,
}

/// A line of the caller.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Run an operation.
    Call(Box<CallRequest>),
    /// What came of a question.
    PersonReply {
        /// Its number.
        number: u32,
        /// What the person answered.
        reply: PersonReply,
    },
    /// The answer to the call is no longer wanted.
    Cancel,
    /// Report about yourself.
    Status,
    /// Take no more calls, end those that run, and go.
    Stop,
}

/// An operation to be run. Typed text and keys of providers are in it: it is never logged.
#[derive(Serialize, Deserialize)]
pub struct CallRequest {
    /// The name of its tool.
    pub operation: String,
    /// Its parameters, an object. One that leaves out `app` is about the application of the reference that it names.
    pub input: Value,
    /// What the caller calls itself: the programs of one user that have one name share what they were given.
    pub caller: String,
    /// How large the answer may be; without it, all that there is.
    pub budget: Option<Budget>,
    /// How long it may take, in milliseconds, if that is limited.
    pub limit_ms: Option<u64>,
    /// The settings of the call, made and read by the binary.
    pub settings: Value,
    /// Who can be asked meanwhile, if anybody.
    pub person: Option<PersonThere>,
    /// Whether the answer is the bytes of its first picture.
    pub picture: bool,
    /// Whether what is logged meanwhile is wanted too.
    pub logs: bool,
}

/// Without what was typed.
impl fmt::Debug for CallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a call of {:?} by {:?}", self.operation, self.caller)
    }
}

/// A person behind a caller.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct PersonThere {
    /// As in [`InteractionCapabilities`](handeye_call::client::InteractionCapabilities).
    pub unproven: bool,
}

/// A question to the person behind a caller.
#[derive(Debug, Serialize, Deserialize)]
pub struct Question {
    /// Which one it is of this call; the one before it is taken back.
    pub number: u32,
    /// What is shown.
    pub shown: Shown,
    /// How long the answer may take, in milliseconds.
    pub patience_ms: u64,
}

/// What a person is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// A form to fill in.
    Form(Form),
    /// A page to go to. Nothing is asked.
    Page(Page),
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonReply {
    /// The fields of the form; none for a page, which was shown.
    Filled(Map<String, Value>),
    /// It was closed without an answer: nothing or nonsense was typed, or the terminal has gone.
    Dismissed,
    /// Nobody answered in time.
    TooLate,
}

/// A line of the serving side after its first one.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The call still runs.
    Alive,
    /// The call needs an answer of a person.
    Ask(Box<Question>),
    /// What came of the call.
    Answer(Box<CallAnswer>),
    /// About the serving side.
    Status(Status),
    /// It takes no more calls; the end of the connection is its own end.
    Stopping,
    /// The request is none.
    Misunderstood,
}

/// What came of a call.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallAnswer {
    /// Its answer.
    pub result: Result<ShownAnswer, Error>,
    /// What was logged meanwhile.
    pub logs: Vec<String>,
}

/// An answer, as far as it is sent.
#[derive(Debug, Serialize, Deserialize)]
pub struct ShownAnswer {
    text: Text,
    outline: Option<Outline>,
    fields: Value,
    notes: Vec<Text>,
    failure: Option<Error>,
    verdict: Verdict,
    table: Option<Table>,
    /// How many bytes of a picture follow the line.
    pub picture_bytes: Option<usize>,
}

impl ShownAnswer {
    /// An answer as it is sent, and the bytes of its first picture if somebody `wants_picture`.
    pub fn of(mut answer: Answer, wants_picture: bool) -> (Self, Vec<u8>) {
        let picture = if wants_picture { answer.pictures.drain(..).next() } else { None };
        let shown = Self {
            text: answer.text,
            outline: answer.outline,
            fields: answer.fields,
            notes: answer.notes,
            failure: answer.failure,
            verdict: answer.verdict,
            table: answer.table,
            picture_bytes: picture.as_ref().map(|picture| picture.bytes.len()),
        };
        (shown, picture.map(|picture| picture.bytes).unwrap_or_default())
    }

    /// The answer, with the picture that followed it.
    pub fn with_picture(self, picture: Option<Vec<u8>>) -> Answer {
        let mut answer = Outcome::new(self.text, self.fields);
        answer.outline = self.outline;
        answer.notes = self.notes;
        answer.failure = self.failure;
        answer.verdict = self.verdict;
        answer.table = self.table;
        // It is written as it is, without its type.
        let as_it_is = |bytes| Picture { mime_type: "application/octet-stream", bytes, about: None };
        answer.pictures.extend(picture.map(as_it_is));
        answer
    }
}

/// About the serving side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Its process number.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// How long it has run.
    pub uptime_seconds: u64,
    /// After how long without a call it ends.
    pub idle_seconds: u64,
    /// Calls that it has answered.
    pub answered: u64,
    /// Calls that it works on now.
    pub calls: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_is_an_operation_an_input_and_a_caller() {
        let request = json!({ "call": {
            "operation": "ax_type", "input": { "text": "secret" }, "caller": "mine", "settings": null,
            "picture": false, "logs": false,
        } });
        let read: Request = serde_json::from_value(request).expect("the rest may be left out");
        assert!(format!("{read:?}").contains("ax_type") && !format!("{read:?}").contains("secret"));
    }
}
