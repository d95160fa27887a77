//! Who makes a request: which revision of the protocol it speaks and what it can do.

use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;

/// Who makes a request. The SDK knows it from the request itself (2026-07-28) or from the handshake of its session (before).
#[derive(Debug, Clone)]
pub(crate) struct Requester {
    /// The revision of the protocol.
    pub(crate) version: ProtocolVersion,
    /// What it can do.
    pub(crate) capabilities: ClientCapabilities,
}

impl Requester {
    /// Who makes the request of `context`.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            version: context.protocol_version().unwrap_or(ProtocolVersion::V_2024_11_05),
            capabilities: context.client_capabilities().unwrap_or_default(),
        }
    }

    /// Whether it speaks 2026-07-28 or later: no session, no requests from the server; questions travel in results.
    pub(crate) fn is_stateless(&self) -> bool {
        // Revisions are dates, which compare as text.
        self.version.as_str() >= ProtocolVersion::V_2026_07_28.as_str()
    }
}
