//! The daemon: one process for each desktop session that does what commands ask, so that the mirror stays warm and `e12`
//! means the same element from one command to the next.
//!
//! ```text
//! command: parse, settings ─▶ connect or start ([client], [endpoint]) ─▶ words, settings ([wire]) ─┐
//!                                                                     daemon ([server]): gate ─▶ operation
//! command: print           ◀───────────────────────────── answer, or why not ────────────────────┘
//! ```
//!
//! A command reads its own flags, variables and configuration, and prints its own answer; the daemon has the desktop and the
//! memory. What keeps a command from using it is no error of the command: it then works alone.

mod build;
mod client;
pub(crate) mod command;
mod endpoint;
mod person;
mod server;
mod wire;

pub(crate) use client::{Asked, Outcome};
pub use client::{Client, Launch, Prepare};
pub use endpoint::Endpoint;
pub use server::{EngineFor, Server};

use crate::settings::DAEMON_IDLE;
use handeye_core::Result;
use std::time::Duration;

/// How long a daemon without a command lives when nobody says.
const IDLE: Duration = Duration::from_secs(600);
/// The longest that can be asked for, in seconds: a week.
const LONGEST_IDLE: f64 = 604_800.0;

/// After how long without a command a daemon that is started now ends.
pub fn idle_time() -> Result<Duration> {
    Ok(DAEMON_IDLE.parsed(seconds)?.unwrap_or(IDLE))
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= LONGEST_IDLE => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!("'{text}' is not a number of seconds above 0 and up to a week")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_idle_time_is_a_number_of_seconds() {
        assert_eq!(seconds(DAEMON_IDLE.default), Ok(IDLE), "the documented default is the real one");
        assert_eq!(seconds(" 1.5"), Ok(Duration::from_millis(1_500)));
        for bad in ["", "0", "-1", "nan", "inf", "soon", "1e9"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
