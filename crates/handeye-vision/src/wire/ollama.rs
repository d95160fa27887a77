//! `POST /api/generate`.

use super::{Ask, End, Said};
use serde_json::{Value, json};

pub(super) fn body(ask: &Ask<'_>) -> Value {
    let mut body = json!({"model": ask.model, "prompt": ask.question, "stream": false});
    if let Some(picture) = ask.part(|picture| json!([picture.data])) {
        body["images"] = picture;
    }
    body
}

pub(super) fn said(answer: &Value) -> Option<Said> {
    let text = answer.get("response")?.as_str()?.to_owned();
    if answer["done"] == false {
        return None;
    }
    let end = if answer["done_reason"] == "length" { End::TooLong } else { End::Done };
    Some(Said { text, end })
}
