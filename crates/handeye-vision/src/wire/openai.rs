//! `POST /v1/chat/completions`.

use super::{Ask, Completion, End, texts};
use serde_json::{Value, json};

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let picture = ask.part(|picture| {
        let url = format!("data:{};base64,{}", picture.mime_type, picture.data);
        json!({"type": "image_url", "image_url": {"url": url}})
    });
    let text = json!({"type": "text", "text": ask.question});
    let content: Vec<Value> = [text].into_iter().chain(picture).collect();
    json!({"model": ask.model, "messages": [{"role": "user", "content": content}]})
}

pub(super) fn completion(answer: &Value) -> Option<Completion> {
    let choice = answer.pointer("/choices/0")?;
    let message = choice.get("message")?.as_object()?;
    let content = message.get("content").unwrap_or(&Value::Null);
    let text = content.as_str().map_or_else(|| texts(content, |_| true), str::to_owned);
    let refusal = message.get("refusal").and_then(Value::as_str).filter(|refusal| !refusal.is_empty());
    let end = match (choice["finish_reason"].as_str(), refusal) {
        (_, Some(refusal)) => End::Declined(Some(refusal.to_owned())),
        (Some("content_filter"), None) => {
            End::Declined(Some("its content filter stopped the answer".to_owned()))
        }
        (Some("length"), None) => End::TooLong,
        _ => End::Done,
    };
    Some(Completion { text, end })
}
