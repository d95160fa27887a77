//! Answers of tools.

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};

/// An answer that is one text.
pub(crate) fn text(text: &str) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}
