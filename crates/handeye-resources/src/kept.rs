//! What is remembered about resources.

use super::event_log::Logs;
use super::fingerprint::Reads;
use super::pulse::Pulses;
use handeye_core::Application;
use std::time::Instant;

/// What is remembered about resources.
pub(crate) struct Kept {
    /// When this process began to serve.
    pub(super) started: Instant,
    /// What was seen to happen, for each application.
    pub(super) logs: Logs,
    /// What was read last.
    pub(super) reads: Reads,
    /// Who looks at applications that are watched.
    pub(super) pulses: Pulses,
    /// The applications that ran a moment ago, for callers that wait for one.
    pub(super) running: tokio::sync::Mutex<Option<(tokio::time::Instant, Vec<Application>)>>,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            logs: Logs::default(),
            reads: Reads::default(),
            pulses: Pulses::default(),
            running: tokio::sync::Mutex::default(),
        }
    }
}
