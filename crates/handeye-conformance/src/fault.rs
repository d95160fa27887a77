//! Errors of the protocol.

use handeye_core::Error;
use rmcp::ErrorData;

/// The error of a fault of our own.
#[allow(clippy::needless_pass_by_value, reason = "it is passed by map_err")]
pub(crate) fn internal(fault: impl ToString) -> ErrorData {
    ErrorData::internal_error(fault.to_string(), None)
}

/// The error of a request that brings a wrong answer.
pub(crate) fn refused(fault: Error) -> ErrorData {
    ErrorData::invalid_params(fault.message, None)
}
