//! The guard: the one place that grants the right to act.

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
    /// The right to do what was authorized just now.
    pub(super) fn grant(&self) -> Permit {
        self.authority.grant()
    }
}
