//! The person behind a command, who can be asked in the middle of it.
//!
//! ```text
//! operation ─▶ Rounds ([rounds]) ─────────────────────────────▶ Terminal ([terminal]: [dialogue], [lines])
//!                  └▶ in the daemon: Afar ─▶ socket ─▶ command ─▶┘
//! ```
//!
//! An operation asks and is ended; the question is put to the person; the operation begins again with the reply available. It is
//! the same way in a command that works alone and in the daemon, and the same as over MCP.

mod dialogue;
mod lines;
mod rounds;
mod terminal;

pub(crate) use rounds::Rounds;
pub(crate) use terminal::Terminal;
pub use terminal::{ask_yes_no, can_ask};

use async_trait::async_trait;
use handeye_call::client::{Form, Page};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// What a person is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shown {
    /// A form to fill in.
    Form(Form),
    /// A page to go to. Nothing is asked.
    Page(Page),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PersonReply {
    /// The fields of the form; none for a page, which was shown.
    Filled(Map<String, Value>),
    /// It was closed without an answer: nothing or nonsense was typed, or the terminal has gone.
    Dismissed,
    /// Nobody answered in time.
    TooLate,
}

/// Who can be asked.
#[async_trait]
pub(crate) trait Person: Send + Sync {
    /// Puts a question, which may take `patience` to be answered. When this is dropped, the question is taken back.
    async fn answer(&self, shown: Shown, patience: Duration) -> PersonReply;
}
