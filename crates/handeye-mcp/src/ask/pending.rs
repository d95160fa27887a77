//! A question on its way.

use handeye_core::{Error, Result};
use rmcp::model::InputRequest;
use serde_json::Value;
use std::time::Duration;

/// A question that was asked and is not answered yet.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) method: &'static str,
    pub(super) params: Option<Value>,
    /// Which question exactly.
    pub(super) digest: String,
    /// How long the answer may take.
    pub(super) patience: Duration,
}

impl Pending {
    /// As the client gets it in an input-required result.
    pub(super) fn as_input_request(&self) -> Result<InputRequest> {
        let mut request = serde_json::json!({ "method": self.method });
        if let Some(params) = &self.params {
            request["params"] = params.clone();
        }
        serde_json::from_value(request).map_err(Error::internal)
    }
}
