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
use handeye_service::wire::{PersonReply, Shown};
use std::time::Duration;

/// Who can be asked.
#[async_trait]
pub(crate) trait Person: Send + Sync {
    /// Puts a question, which may take `patience` to be answered. When this is dropped, the question is taken back.
    async fn answer(&self, shown: Shown, patience: Duration) -> PersonReply;
}
