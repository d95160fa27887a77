//! `POST /v1/messages`.

use super::{Ask, Completion, End, texts};
use serde_json::{Value, json};

/// Anthropic wants a limit; this is enough for a transcript of a full screen.
const MAX_TOKENS: u32 = 4096;

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let picture = ask.part(|picture| {
        let source = json!({"type": "base64", "media_type": picture.mime_type, "data": picture.data});
        json!({"type": "image", "source": source})
    });
    let text = json!({"type": "text", "text": ask.question});
    let content: Vec<Value> = picture.into_iter().chain([text]).collect();
    json!({
        "model": ask.model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": content}],
    })
}

pub(super) fn completion(answer: &Value) -> Option<Completion> {
    let content = answer.get("content").filter(|content| content.is_array())?;
    let text = texts(content, |part| part["type"] == "text");
    let end = match answer["stop_reason"].as_str() {
        Some("refusal") => End::Declined(None),
        Some("max_tokens" | "model_context_window_exceeded") => End::TooLong,
        _ => End::Done,
    };
    Some(Completion { text, end })
}
