//! Who makes a request: which revision of the protocol it speaks and what it can do.

use axum::http::request::Parts;
use handeye_auth::Grant;
use handeye_call::caller::Caller;
use handeye_call::scopes::Scopes;
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;

/// What the client of a request may do. Over HTTP that is what its authorization grants, and nothing where there is none.
pub(crate) fn scopes(caller: &Caller, context: &RequestContext<RoleServer>) -> Scopes {
    if !caller.is_over_http() {
        return Scopes::ALL;
    }
    let grant = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Grant>());
    grant.map_or(Scopes::NONE, |grant| grant.scopes)
}

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
