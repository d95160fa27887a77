//! The errors of resources that cannot be read or watched, with the codes of the protocol.

use crate::Server;
use handeye_core::{Error, ErrorCode, screen_text};
use rmcp::ErrorData;
use serde_json::json;

/// How many characters of a URI that cannot be read an error repeats: no resource has one that long.
const LONGEST_REPEATED: usize = 8_192;

impl Server {
    /// The error of a resource that cannot be read or watched.
    pub(crate) fn refusal(&self, error: Error, uri: &str) -> ErrorData {
        refusal(&self.toolbox().advisable(error), uri)
    }
}

/// The code of a request that exceeds a limit (axterminator, section 13.5).
const RATE_LIMIT_EXCEEDED: i32 = -32_000;

/// The error of a request that exceeds a limit, with the milliseconds after which the next one is possible.
pub(crate) fn limited(message: String, retry_after_ms: Option<u64>) -> ErrorData {
    let data = json!({ "code": ErrorCode::RateLimitExceeded, "retry_after_ms": retry_after_ms });
    ErrorData::new(rmcp::model::ErrorCode(RATE_LIMIT_EXCEEDED), message, Some(data))
}

/// What is not there has the protocol's own code for that.
fn refusal(error: &Error, uri: &str) -> ErrorData {
    let mut message = error.message.clone();
    if !error.found.is_empty() {
        message.push_str(&format!(". There is: {}", error.found.join(", ")));
    }
    if let Some(next) = &error.next {
        message.push_str(&format!(". {next}"));
    }
    let data = json!({ "uri": screen_text::line(uri, LONGEST_REPEATED), "error": error.clone().in_words() });
    match error.code {
        ErrorCode::InvalidParameter
        | ErrorCode::AppNotFound
        | ErrorCode::AppAmbiguous
        | ErrorCode::AppGone
        | ErrorCode::WindowNotFound => ErrorData::resource_not_found(message, Some(data)),
        ErrorCode::TooLarge | ErrorCode::Refused | ErrorCode::NotSupported => {
            ErrorData::invalid_params(message, Some(data))
        }
        // Section 13.5: what is no call of a tool gets an error of the protocol.
        ErrorCode::RateLimitExceeded => limited(message, error.retry_after_ms),
        _ => ErrorData::internal_error(message, Some(data)),
    }
}
