//! What a client of one connection waits for: its requests, within a bound, and when its session begins.

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta, JsonRpcMessage,
    ProtocolVersion, RequestId,
};
use rmcp::service::TxJsonRpcMessage;
use std::collections::HashSet;

/// Most requests of a client that wait for their answers.
const MAX_WAITING: usize = 1000;

/// The request that a message cancels.
pub(crate) fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    let JsonRpcMessage::Notification(notification) = message else { return None };
    let ClientNotification::CancelledNotification(cancelled) = &notification.notification else {
        return None;
    };
    cancelled.params.request_id.as_ref()
}

/// The requests that wait for their answers.
#[derive(Debug, Default)]
pub(crate) struct Requests(HashSet<RequestId>);

impl Requests {
    /// Takes note of what a client sent. A request that cannot be distinguished from another, or is one too many, is an error.
    pub(crate) fn note(&mut self, message: &ClientJsonRpcMessage) -> Result<(), (ErrorData, RequestId)> {
        // One that is cancelled gets no answer.
        if let Some(id) = cancelled(message) {
            self.0.remove(id);
        }
        let JsonRpcMessage::Request(request) = message else { return Ok(()) };
        let fault = if self.0.len() >= MAX_WAITING {
            format!("{MAX_WAITING} requests wait for their answers: read those first")
        } else if self.0.insert(request.id.clone()) {
            return Ok(());
        } else {
            "a request with this id waits for its answer".to_owned()
        };
        Err((ErrorData::invalid_request(fault, None), request.id.clone()))
    }

    /// Takes note that a message that was noted is not answered: its client sends it again.
    pub(crate) fn forget(&mut self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Request(request) = message {
            self.0.remove(&request.id);
        }
    }

    /// Takes note of what a client is sent.
    pub(crate) fn answered(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Response(response) => self.0.remove(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().is_some_and(|id| self.0.remove(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
        };
    }
}

/// Whether the SDK takes this message for the begin of a session. It reads nothing but requests until one came.
pub(crate) fn begins(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}
