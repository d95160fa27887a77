//! The guard: the one place that grants the right to act.

use crate::record::Record;
use handeye_core::{Authority, Permit};

/// Holds the only authority of the desk, so that nothing acts that was not judged here.
#[derive(Debug)]
pub struct Guard {
    authority: Authority,
}

impl Default for Guard {
    #[expect(clippy::disallowed_methods, reason = "the one place that grants permits")]
    fn default() -> Self {
        Self { authority: Authority::new() }
    }
}

impl Guard {
    /// The right to do what was authorized just now, and what the audit log has a record of.
    pub(super) fn grant(&self, _: &Record) -> Permit {
        self.authority.grant()
    }

    /// The right to do what changes nothing that could be lost. The audit log does not have it.
    pub(super) fn grant_harmless(&self) -> Permit {
        self.authority.grant()
    }
}
