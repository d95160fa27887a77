//! The daemon: one process for each desktop session that does what commands ask, so that the mirror stays warm and `e12`
//! means the same element from one command to the next.
//!
//! ```text
//! command: parse, settings ─▶ connect or start ([client], [endpoint]) ─▶ call ([channel]) ─────────┐
//!                                                                     daemon ([server]): gate ─▶ operation
//! command: print           ◀───────────────────────────── answer, or why not ────────────────────┘
//! ```
//!
//! What they exchange is [`wire`](handeye_service::wire): an operation, its input, and who calls.
//! A command reads its own flags, variables and configuration, and prints its own answer; the daemon has the desktop and the
//! memory. What keeps a command from using it is not an error of the command, which then works alone.

mod build;
mod channel;
mod client;
pub(crate) mod command;
mod endpoint;
mod person;
mod server;

pub(crate) use client::{Asked, Outcome};
pub use client::{Client, Launch, Prepare, Program};
pub use endpoint::Endpoint;
pub use server::{Configure, Server};

use crate::settings::DAEMON_IDLE;
use handeye_core::Result;
use std::time::Duration;

/// How long a daemon without a command lives when nobody says.
pub(crate) const IDLE: Duration = Duration::from_secs(600);
/// After how long without a command a daemon that is started now ends.
pub fn idle_time() -> Result<Duration> {
    Ok(DAEMON_IDLE.configured()?.unwrap_or(IDLE))
}
