//! What the audit log has of a call, whatever is done in it. The gate states it.

use serde_json::{Map, Value};

/// The part of a call that every record of its actions has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Audited {
    /// Whom the call is from.
    pub session_id: String,
    /// Its arguments, without values that may be secret.
    pub args: Map<String, Value>,
}
