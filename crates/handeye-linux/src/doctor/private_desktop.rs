//! Whether the programs are installed that a private desktop consists of. They are optional: a session of one's own needs none of them.

use super::Finding;
use crate::desktop;

/// Looks for the programs and starts none.
#[expect(clippy::unused_async, reason = "probes are futures")]
pub(super) async fn probe() -> Finding {
    match desktop::components() {
        Ok(programs) => Finding::ok(programs),
        Err(error) => Finding::warn(error.message, error.next.unwrap_or_default()),
    }
}
