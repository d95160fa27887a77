//! One call on its way through the gate.

use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// Which face a call came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// An MCP client.
    Mcp,
    /// The command line.
    Cli,
}

/// What surrounds one call: who asked, until when, and whether it is still wanted.
#[derive(Debug, Clone)]
pub struct Call {
    /// Which face it came through.
    pub face: Face,
    /// When it has to be over.
    pub deadline: Instant,
    /// Cancelled when the client no longer wants the answer.
    pub cancelled: CancellationToken,
}
