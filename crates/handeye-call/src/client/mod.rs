//! The client behind a call, as far as an operation may ask it something: its person, its model, its folders.
//!
//! An operation does not know which revision of the protocol the client speaks, nor whether there is one at all: it asks, and gets
//! a reply, or [`ErrorCode::NotSupported`] if this client cannot be asked that. Between the question and the reply the operation may
//! be ended with [`ErrorCode::InputRequired`] and run again from its beginning, with the reply available. So an operation
//!
//! - passes that error up with `?`,
//! - asks before it does anything that cannot be done twice,
//! - gives a question the same key in every run, and no two questions of a call the same one.
//!
//! While a person thinks, the operation holds no lock and its deadline does not run; what it finds when it runs again may be
//! something else than what was asked about. A reply therefore counts for exactly the question that was asked, its
//! [`about`](Question::about) included, and anything else is asked again.

mod form;
mod prefixed;
mod sampling;
mod through;

pub use form::{Choice, Field, FieldKind, Fields, Form};
pub use prefixed::Prefixed;
pub use sampling::{Content, Message, Sampled, Sampling, Speaker, Tool};
pub use through::Through;

use async_trait::async_trait;
use handeye_core::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a person may take for one question by default.
pub const PATIENCE_WITH_PEOPLE: Duration = Duration::from_secs(300);
/// How long a client's model may take for one answer.
pub const PATIENCE_WITH_MODELS: Duration = Duration::from_secs(120);
/// How long a client may take to list its folders.
pub const PATIENCE_WITH_PROGRAMS: Duration = Duration::from_secs(10);

/// What a client lets itself be asked.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the capabilities of the protocol and one doubt, each by itself"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InteractionCapabilities {
    /// Its person can fill in a form.
    pub form: bool,
    /// Its person can be sent to a page.
    pub url: bool,
    /// Its model can be asked.
    pub sampling: bool,
    /// Its model can be given tools.
    pub sampling_tools: bool,
    /// It lists its folders.
    pub roots: bool,
    /// Nothing shows that a person fills in its forms: whatever writes to a terminal can.
    pub unproven: bool,
}

/// Something to ask a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its name within the call.
    pub key: String,
    /// What it is about beyond what it shows, for example the reference of the element: a reply to the same words about something
    /// else does not count. The client never sees it.
    pub about: String,
    /// What is asked.
    pub ask: Ask,
}

/// What is asked, and who answers it.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// The person, by a form.
    Form(Form),
    /// The person, by a page that the client opens.
    Page(Page),
    /// The model.
    Sampling(Sampling),
    /// The client itself: which folders it works in.
    Roots,
}

impl Ask {
    /// How long a program that is asked may take; a person's time is a setting.
    pub const fn patience(&self) -> Option<Duration> {
        match self {
            Self::Form(_) | Self::Page(_) => None,
            Self::Sampling(_) => Some(PATIENCE_WITH_MODELS),
            Self::Roots => Some(PATIENCE_WITH_PROGRAMS),
        }
    }
}

/// A page that the client opens for its person. What the person does there never passes through the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Why.
    pub message: String,
    /// Where; `https` or a page of this machine.
    pub url: String,
}

/// A folder that a client works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// `file://…`
    pub uri: String,
    /// The client's name for it.
    pub name: Option<String>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The form, filled in and not yet checked; or the consent to open the page.
    Accepted(Map<String, Value>),
    /// The person declined.
    Declined,
    /// The person closed the question without an answer.
    Dismissed,
    /// The answer of the model.
    Sampled(Sampled),
    /// The folders.
    Roots(Vec<Root>),
}

/// The field of a form that asks whether something may be done.
pub const CONFIRM: &str = "confirm";
/// The field of a form that asks whether a script may run.
pub const APPROVE: &str = "approve";
/// The field of a form that asks whether something may be done with the rights of an administrator.
pub const PROCEED: &str = "proceed";
/// The fields in which a no is a refusal of the whole call.
pub const REFUSALS: [&str; 3] = [CONFIRM, APPROVE, PROCEED];

impl Reply {
    /// Whether it is a refusal: the person declined, closed the question, or left it unconfirmed.
    pub fn is_no(&self) -> bool {
        match self {
            Self::Declined | Self::Dismissed => true,
            Self::Accepted(fields) => {
                REFUSALS.iter().any(|name| fields.get(*name) == Some(&Value::Bool(false)))
            }
            Self::Sampled(_) | Self::Roots(_) => false,
        }
    }
}

/// The client behind a call.
#[async_trait]
pub trait Client: Send + Sync {
    /// What it lets itself be asked.
    fn capabilities(&self) -> InteractionCapabilities;

    /// Why no person's yes can be had from it, as the beginning of a sentence: it shows no form, or one that a program may fill in.
    fn without_yes(&self) -> &'static str {
        "No person can be asked here"
    }

    /// The key of a question of this call whose answer has come, if one begins so: where an operation goes on that was run before.
    fn answered(&self, _beginning: &str) -> Option<String> {
        None
    }

    /// The key of a question of this call that was asked before, answered or not, if one begins so: where an operation goes on that must not
    /// be done twice.
    fn begun(&self, _beginning: &str) -> Option<String> {
        None
    }

    /// Whether the person declined a form of this call whose key begins so.
    fn has_refused_among(&self, beginning: &str) -> bool;

    /// Whether the person declined a form of this call. Nothing is done in it from then on, also where the operation that runs again would ask
    /// another question or none: what was asked about may have become something else meanwhile.
    fn has_refused(&self) -> bool {
        self.has_refused_among("")
    }

    /// Asks. The typed questions of [`Call`](crate::call::Call) are the way to do it: they check the capabilities and the reply.
    ///
    /// # Errors
    /// [`ErrorCode::InputRequired`] until the reply is known; [`ErrorCode::Timeout`] if none came in time.
    async fn ask(&self, question: Question) -> Result<Reply>;
}

impl fmt::Debug for dyn Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({:?})", self.capabilities())
    }
}

/// A client that cannot be asked: that of a call which handeye itself makes.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoClient;

#[async_trait]
impl Client for NoClient {
    fn capabilities(&self) -> InteractionCapabilities {
        InteractionCapabilities::default()
    }

    fn has_refused_among(&self, _beginning: &str) -> bool {
        false
    }

    async fn ask(&self, _question: Question) -> Result<Reply> {
        Err(cannot_be_asked("anything"))
    }
}

/// A client that cannot be asked.
pub fn nobody() -> Arc<dyn Client> {
    Arc::new(NoClient)
}

/// The error of a question that this client takes no questions of; `what` ends the sentence "this client cannot be asked".
pub fn cannot_be_asked(what: &str) -> Error {
    Error::new(ErrorCode::NotSupported, format!("this client cannot be asked {what}"))
}

/// The error of a question that was asked and is not answered yet.
pub fn input_required() -> Error {
    Error::new(ErrorCode::InputRequired, "the call goes on when its question is answered")
}
