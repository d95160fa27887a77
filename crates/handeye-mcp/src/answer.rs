//! Answers and errors in the shape of the protocol.

use crate::profile::Form;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_call::outcome::{Answer, FileLink, Picture};
use handeye_core::{Error, ErrorCode, Text};
use handeye_engine::Dialect;
use rmcp::model::{CallToolResult, ContentBlock, ImageContent, MetaObject, Resource};
use serde_json::{Value, json};

/// The field that has what the text blocks say, so that the fields are complete for a client that hands on nothing else.
pub(crate) const TEXT: &str = "text";
/// The field that has the notes of an answer whose own fields are specified, and say what the text says.
pub(crate) const NOTES: &str = "notes";
/// The field of a failed call.
pub(crate) const ERROR: &str = "error";

/// A call that was answered, in one of two forms. For a model: one text and pictures, as several texts may be joined without anything
/// between them, and links are lost or fatal in some clients; what they point to is named in the text. For a program: the text,
/// links, notes, pictures, and the fields beside them. If a part of it failed it is an error in the protocol's sense, results and all.
pub(crate) fn success(mut answer: Answer, dialect: Dialect, form: Form) -> CallToolResult {
    // The specifications of the other dialects have texts of their own for it.
    if let (Some(error), Dialect::Handeye) = (&answer.failure, dialect)
        && !answer.text.contains(&error.message)
    {
        answer.text.push_str(&format!("\n{}", explain(error, dialect)));
    }
    let fields = (form == Form::TextAndFields).then(|| complete_fields(&answer, dialect));
    let mut content: Vec<ContentBlock> = match form {
        Form::Text => vec![ContentBlock::text(joined(&answer.text, &answer.notes))],
        Form::TextAndFields => {
            let link = |link: FileLink| {
                let resource = Resource::new(link.uri, link.name).with_mime_type(link.mime_type);
                ContentBlock::resource_link(resource)
            };
            std::iter::once(ContentBlock::text(String::from(answer.text)))
                .chain(answer.links.into_iter().map(link))
                .chain(answer.notes.into_iter().map(|note| ContentBlock::text(String::from(note))))
                .collect()
        }
    };
    content.extend(answer.pictures.into_iter().map(image));
    let mut result = match &answer.failure {
        None => CallToolResult::success(content),
        Some(error) => CallToolResult::error(content).with_meta(meta(error, dialect)),
    };
    result.structured_content = fields;
    result
}

/// The fields of an answer with what only its text says.
fn complete_fields(answer: &Answer, dialect: Dialect) -> Value {
    let mut fields = answer.fields.clone();
    if let Some(fields) = fields.as_object_mut() {
        match dialect {
            Dialect::Handeye => {
                fields.insert(TEXT.into(), joined(&answer.text, &answer.notes).into());
            }
            Dialect::Peekaboo | Dialect::ScreenshotMac if !answer.notes.is_empty() => {
                let notes: Value = answer.notes.iter().map(Text::as_str).collect();
                fields.insert(NOTES.into(), notes);
            }
            Dialect::Peekaboo | Dialect::ScreenshotMac => {}
        }
    }
    fields
}

/// A text and its notes, each on lines of its own.
fn joined(text: &Text, notes: &[Text]) -> String {
    let mut text = text.to_string();
    for note in notes {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(note);
    }
    text
}

/// A picture, and beside it what it shows.
fn image(picture: Picture) -> ContentBlock {
    let image = ImageContent::new(STANDARD.encode(&picture.bytes), picture.mime_type);
    ContentBlock::Image(match picture.about {
        Some(Value::Object(about)) => image.with_meta(about.into()),
        _ => image,
    })
}

/// A failed call. It is a result and no protocol error, so that the model reads it and can do better.
pub(crate) fn failure(error: &Error, dialect: Dialect, form: Form) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(explain(error, dialect))])
        .with_meta(meta(error, dialect));
    result.structured_content =
        (form == Form::TextAndFields).then(|| json!({ ERROR: error.clone().in_words() }));
    result
}

/// The error as a model reads it: what happened, what was found instead, what to do next. It begins with the code where
/// the clients of the tool look for one there (mcp-screenshot-mac, requirement 5).
fn explain(error: &Error, dialect: Dialect) -> String {
    let label = match dialect {
        Dialect::ScreenshotMac => dialect.code(error.code).unwrap_or("Error"),
        Dialect::Handeye | Dialect::Peekaboo => "Error",
    };
    let mut text = format!("{label}: {}", error.message);
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

/// The codes of an error for clients that look for them in `_meta` (Peekaboo 1.1.2, section I.C, output schemas).
fn meta(error: &Error, dialect: Dialect) -> Option<MetaObject> {
    if dialect != Dialect::Peekaboo {
        return None;
    }
    let mut meta = MetaObject::default();
    if let Some(code) = dialect.code(error.code) {
        meta.insert("backend_error_code".into(), code.into());
    }
    if is_of_analysis(error.code) {
        meta.insert("analysis_error".into(), error.message.clone().into());
    }
    Some(meta)
}

const fn is_of_analysis(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::AnalysisUnavailable
            | ErrorCode::ProviderUnauthorized
            | ErrorCode::ProviderLimited
            | ErrorCode::ProviderFailed
            | ErrorCode::ProviderRefused
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::outcome::Outcome;

    #[test]
    fn an_error_says_what_was_found_and_what_to_do() {
        let error = Error::new(ErrorCode::AppNotFound, "no running application is called 'Mousepd'")
            .with_found(["Mousepad (pid 12)", "Firefox (pid 13)"])
            .with_next("Call ax_list_apps to see what runs.");
        let result = failure(&error, Dialect::Handeye, Form::TextAndFields);
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            explain(&error, Dialect::Handeye),
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
        let result = serde_json::to_value(success(answer, Dialect::Handeye, Form::TextAndFields))
            .expect("a result serialises");
        assert_eq!(result["content"][0]["text"], "captured");
        assert_eq!(result["content"][1], json!({"type": "image", "data": "AQID", "mimeType": "image/png"}));
        assert_eq!(result["structuredContent"], json!({"width": 1, "text": "captured"}));
        assert_eq!(result["isError"], false);
    }

    #[test]
    fn a_model_gets_one_text_and_pictures_and_nothing_else() {
        let answer = Outcome {
            links: vec![FileLink {
                uri: "file:///a.png".into(),
                name: "a.png".into(),
                mime_type: "image/png",
            }],
            notes: vec!["a warning".into(), "another".into()],
            pictures: vec![Picture { mime_type: "image/png", bytes: vec![1, 2, 3], about: None }],
            ..Outcome::new("done: a.png", json!({"width": 1}))
        };
        let result =
            serde_json::to_value(success(answer, Dialect::Handeye, Form::Text)).expect("a result serialises");
        assert_eq!(
            result["content"],
            json!([
                {"type": "text", "text": "done: a.png\na warning\nanother"},
                {"type": "image", "data": "AQID", "mimeType": "image/png"},
            ])
        );
        assert!(result.get("structuredContent").is_none(), "{result}");
        let error = Error::new(ErrorCode::AppNotFound, "why").with_next("Look.");
        let result =
            serde_json::to_value(failure(&error, Dialect::Handeye, Form::Text)).expect("a result serialises");
        assert_eq!(result["content"][0]["text"], "Error: why\n\nSuggestion: Look.");
        assert!(result.get("structuredContent").is_none(), "{result}");
    }

    #[test]
    fn the_fields_alone_say_what_the_texts_say() {
        let of = |dialect| {
            let notes = vec!["a warning".into()];
            let answer = Outcome { notes, ..Outcome::new("- button", json!({"shown": 1})) };
            success(answer, dialect, Form::TextAndFields).structured_content
        };
        assert_eq!(of(Dialect::Handeye), Some(json!({"shown": 1, "text": "- button\na warning"})));
        assert_eq!(of(Dialect::Peekaboo), Some(json!({"shown": 1, "notes": ["a warning"]})));
    }

    #[test]
    fn links_notes_and_pictures_follow_in_this_order() {
        let link = FileLink { uri: "file:///a.png".into(), name: "a.png".into(), mime_type: "image/png" };
        let about = Some(json!({"window_title": "A"}));
        let answer = Outcome {
            links: vec![link],
            notes: vec!["a warning".into()],
            pictures: vec![Picture { mime_type: "image/jpeg", bytes: vec![1], about }],
            ..Outcome::new("done", json!({}))
        };
        let result = serde_json::to_value(success(answer, Dialect::Handeye, Form::TextAndFields))
            .expect("a result serialises");
        assert_eq!(
            result["content"],
            json!([
                {"type": "text", "text": "done"},
                {"type": "resource_link", "uri": "file:///a.png", "name": "a.png", "mimeType": "image/png"},
                {"type": "text", "text": "a warning"},
                {"type": "image", "data": "AQ==", "mimeType": "image/jpeg", "_meta": {"window_title": "A"}},
            ])
        );
    }

    fn of(code: ErrorCode, dialect: Dialect) -> serde_json::Value {
        serde_json::to_value(failure(&Error::new(code, "why"), dialect, Form::TextAndFields))
            .expect("a result serialises")
    }

    #[test]
    fn clients_of_peekaboo_find_its_code_in_meta() {
        let result = of(ErrorCode::AppNotFound, Dialect::Peekaboo);
        assert_eq!(result["_meta"], json!({"backend_error_code": "APP_NOT_FOUND"}));
        assert_eq!(result["content"][0]["text"], "Error: why");
        assert_eq!(result["structuredContent"]["error"]["code"], "app_not_found");
        let result = of(ErrorCode::ProviderLimited, Dialect::Peekaboo);
        assert_eq!(result["_meta"], json!({"backend_error_code": "UNKNOWN_ERROR", "analysis_error": "why"}));
        assert!(of(ErrorCode::AppNotFound, Dialect::Handeye)["_meta"].is_null());
    }

    #[test]
    fn clients_of_mcp_screenshot_mac_find_its_code_in_the_text() {
        for (code, text) in [
            (ErrorCode::AppNotFound, "ProcessNotFound: why"),
            (ErrorCode::WindowNotFound, "NoWindow: why"),
            (ErrorCode::CaptureFailed, "CaptureFailed: why"),
            (ErrorCode::Timeout, "Timeout: why"),
            (ErrorCode::InvalidParameter, "Error: why"),
        ] {
            let result = of(code, Dialect::ScreenshotMac);
            assert_eq!(result["content"][0]["text"], text);
            assert_eq!(result["isError"], true);
        }
    }

    #[test]
    fn an_answer_of_which_a_part_failed_is_an_error_with_results() {
        let answer = Outcome {
            failure: Some(Error::new(ErrorCode::ProviderFailed, "no answer")),
            ..Outcome::new("saved", json!({"saved_files": [1]}))
        };
        let result = serde_json::to_value(success(answer, Dialect::Peekaboo, Form::TextAndFields))
            .expect("a result serialises");
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"], json!({"saved_files": [1]}));
        assert_eq!(result["_meta"]["analysis_error"], "no answer");
    }
}
