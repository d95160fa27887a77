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
        refusal(&self.toolbox.advisable(error), uri)
    }
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
        _ => ErrorData::internal_error(message, Some(data)),
    }
}
