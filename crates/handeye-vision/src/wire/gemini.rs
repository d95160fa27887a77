//! `POST /v1beta/models/MODEL:generateContent`.

use super::{Ask, Completion, End, texts};
use serde_json::{Value, json};

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let picture =
        ask.part(|picture| json!({"inline_data": {"mime_type": picture.mime_type, "data": picture.data}}));
    let parts: Vec<Value> = picture.into_iter().chain([json!({"text": ask.question})]).collect();
    json!({"contents": [{"role": "user", "parts": parts}]})
}

pub(super) fn completion(answer: &Value) -> Option<Completion> {
    if let Some(reason) = answer.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        return Some(Completion {
            text: String::new(),
            end: End::Declined(Some(format!("blocked: {reason}"))),
        });
    }
    let candidate = answer.pointer("/candidates/0")?.as_object()?;
    let parts = candidate.get("content").and_then(|content| content.get("parts")).unwrap_or(&Value::Null);
    let text = texts(parts, |part| part["thought"] != true);
    let end = match candidate.get("finishReason").and_then(Value::as_str) {
        None | Some("STOP" | "FINISH_REASON_UNSPECIFIED") => End::Done,
        Some("MAX_TOKENS") => End::TooLong,
        Some(reason) => End::Declined(Some(format!("stopped: {reason}"))),
    };
    Some(Completion { text, end })
}
