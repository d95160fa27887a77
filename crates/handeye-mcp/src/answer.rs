//! Answers and errors in the shape of the protocol.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_core::Error;
use handeye_engine::operation::Answer;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::json;

/// A successful call: the text for a reader, then the pictures, and the fields beside them.
pub(crate) fn success(answer: Answer) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.text)];
    content.extend(
        answer
            .pictures
            .iter()
            .map(|picture| ContentBlock::image(STANDARD.encode(&picture.bytes), picture.mime_type)),
    );
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(answer.fields);
    result
}

/// A failed call. It is a result and no protocol error, so that the model reads it and can do better.
pub(crate) fn failure(error: &Error) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(explain(error))]);
    result.structured_content = Some(json!({ "error": error }));
    result
}

/// The error as a model reads it: what happened, what was found instead, what to do next.
fn explain(error: &Error) -> String {
    let mut text = format!("Error: {}", error.message);
    if !error.found.is_empty() {
        text.push_str("\n\n");
        text.push_str(&error.found.join("\n"));
    }
    if let Some(next) = &error.next {
        text.push_str("\n\nSuggestion: ");
        text.push_str(next);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ErrorCode;
    use handeye_engine::operation::{Outcome, Picture};

    #[test]
    fn an_error_says_what_was_found_and_what_to_do() {
        let error = Error::new(ErrorCode::AppNotFound, "no running application is called 'Mousepd'")
            .with_found(["Mousepad (pid 12)", "Firefox (pid 13)"])
            .with_next("Call ax_list_apps to see what runs.");
        let result = failure(&error);
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            explain(&error),
            "Error: no running application is called 'Mousepd'\n\nMousepad (pid 12)\nFirefox (pid 13)\n\n\
             Suggestion: Call ax_list_apps to see what runs."
        );
        let fields = result.structured_content.expect("an error carries its fields");
        assert_eq!(fields["error"]["code"], "app_not_found");
        assert_eq!(fields["error"]["next"], "Call ax_list_apps to see what runs.");
    }

    #[test]
    fn a_picture_follows_the_text() {
        let answer = Outcome {
            pictures: vec![Picture { mime_type: "image/png", bytes: vec![1, 2, 3], about: None }],
            ..Outcome::new("captured", json!({"width": 1}))
        };
        let result = serde_json::to_value(success(answer)).expect("a result serialises");
        assert_eq!(result["content"][0]["text"], "captured");
        assert_eq!(result["content"][1], json!({"type": "image", "data": "AQID", "mimeType": "image/png"}));
        assert_eq!(result["structuredContent"], json!({"width": 1}));
        assert_eq!(result["isError"], false);
    }
}
