//! `POST /api/generate`.

use super::{Ask, Completion, End};
use serde_json::{Value, json};

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({"model": ask.model, "prompt": ask.question, "stream": false});
    if let Some(picture) = ask.part(|picture| json!([picture.data])) {
        body["images"] = picture;
    }
    body
}

pub(super) fn completion(answer: &Value) -> Option<Completion> {
    let text = answer.get("response")?.as_str()?.to_owned();
    if answer["done"] == false {
        return None;
    }
    let end = if answer["done_reason"] == "length" { End::TooLong } else { End::Done };
    Some(Completion { text, end })
}
