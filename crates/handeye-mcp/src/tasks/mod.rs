//! Tasks: calls that go on by themselves while the client asks how far they are. One store, and the shapes in which two
//! revisions of the protocol see it.
//!
//! - `task`: one of them, from its beginning to its end; `store`: all of them.
//! - `extension`: since 2026-07-28 the extension `io.modelcontextprotocol/tasks` (SEP-2663), where the server decides.
//! - `legacy`: in 2025-11-25 a part of the protocol (SEP-1686), where the client decides; the SDK knows nothing of it any more;
//!   `courier` brings the questions of such a task to its client.

mod courier;
pub(crate) mod extension;
pub(crate) mod legacy;
mod owner;
mod store;
mod task;

pub(crate) use owner::Owner;
pub(crate) use store::Tasks;
pub(crate) use task::{Request, Unanswered};
pub use task::{Task, Work};

use handeye_engine::Meta;
use jiff::Timestamp;
use rmcp::ErrorData;
use std::time::Duration;

/// How often a client should ask.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How long a result can be asked for after the longest time that its call may take, if the client asks for nothing else.
const KEPT_FOR: Duration = Duration::from_secs(300);

/// The shortest and the longest life of a task, from its beginning.
const TTL: std::ops::RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(3600);

/// How long a task may live: as long as the client asks for, within limits; else what `allowance` its call has, and a while.
pub(crate) fn time_to_live(asked: Option<Duration>, allowance: Duration) -> Duration {
    asked.unwrap_or_else(|| allowance.saturating_add(KEPT_FOR)).clamp(*TTL.start(), *TTL.end())
}

/// The status message of a task that begins. A model may read it too, so it contains nothing of the arguments.
pub(crate) fn beginning(meta: &Meta) -> String {
    format!("{} is under way", meta.tool)
}

/// A duration as the protocol has it.
fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A point in time as the protocol has it.
fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The error of a task that cannot be cancelled any more.
fn already_over(task: &Task) -> ErrorData {
    ErrorData::invalid_params(format!("task '{}' is over: there is nothing to cancel", task.id), None)
}
