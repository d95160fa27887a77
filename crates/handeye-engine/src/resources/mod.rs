//! Resources: what can be read of the desktop by a URI, and what tells when that has changed.
//!
//! [`address`] says which resource a URI means, [`catalog`] which ones there are, [`read`] makes their content, [`watch`] wakes
//! when the content has become another one. Nothing here knows a protocol: a face puts it into the protocol's shape.

pub mod address;
mod apps;
pub mod catalog;
mod clipboard;
mod equals;
mod events;
mod fingerprint;
mod log;
mod look;
mod pace;
mod patterns;
mod pulse;
pub mod read;
mod screenshot;
mod state;
mod status;
mod tree;
pub mod watch;

#[cfg(test)]
mod tests;

pub use address::{Address, View};
pub use read::{READ, ReadResource};

use crate::resources::fingerprint::Reads;
use crate::resources::log::Logs;
use crate::resources::pulse::Pulses;
use handeye_core::Application;
use std::time::Instant;

/// What is remembered about resources.
pub struct Resources {
    /// When this process began to serve.
    started: Instant,
    /// What was seen to happen, for each application.
    logs: Logs,
    /// What was read last.
    reads: Reads,
    /// Who looks at applications that are watched.
    pulses: Pulses,
    /// The applications that ran a moment ago, for those who wait for one.
    running: tokio::sync::Mutex<Option<(tokio::time::Instant, Vec<Application>)>>,
}

impl Default for Resources {
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
