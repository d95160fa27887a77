//! Questions and answers in the words of the protocol, as each revision has them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_call::client::{
    Ask, Content, Field, FieldKind, Form, Message, REFUSALS, Reply, Root, Sampled, Sampling, Speaker,
};
use handeye_core::{Error, ErrorCode, Result};
use rmcp::model::{CancelledNotificationParam, ProtocolVersion, RequestId};
use rmcp::{Peer, RoleServer};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// The method of a form or a page.
pub(super) const ELICIT: &str = "elicitation/create";
/// The method of a question to the model.
const CREATE_MESSAGE: &str = "sampling/createMessage";
/// The method that asks for the folders.
pub(super) const LIST_ROOTS: &str = "roots/list";

/// Most folders that are taken from a client.
const MAX_ROOTS: usize = 100;

/// How a revision says it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// Forms have a mode, and choices are titled by `oneOf` (from 2025-11-25 on).
    modes: bool,
    /// A page has an id (2025-11-25 alone).
    page_ids: bool,
}

impl Words {
    pub(super) fn of(version: &ProtocolVersion) -> Self {
        let since = |first: ProtocolVersion| version.as_str() >= first.as_str();
        Self {
            modes: since(ProtocolVersion::V_2025_11_25),
            page_ids: since(ProtocolVersion::V_2025_11_25) && !since(ProtocolVersion::V_2026_07_28),
        }
    }
}

/// The request that asks.
pub(super) fn request(ask: &Ask, words: Words) -> (&'static str, Option<Value>) {
    match ask {
        Ask::Form(form) => {
            let mut params =
                json!({ "message": form.whole_message(), "requestedSchema": schema(form, words) });
            if words.modes {
                params["mode"] = "form".into();
            }
            (ELICIT, Some(params))
        }
        Ask::Page(page) => {
            let mut params = json!({ "mode": "url", "message": page.message, "url": page.url });
            if words.page_ids {
                params["elicitationId"] = Uuid::new_v4().to_string().into();
            }
            (ELICIT, Some(params))
        }
        Ask::Sampling(sampling) => (CREATE_MESSAGE, Some(create_message(sampling))),
        Ask::Roots => (LIST_ROOTS, None),
    }
}

/// Whether this is the answer of a person who declined a form. Answers of models and of programs have no `action`.
pub(super) fn is_no(answer: &Value) -> bool {
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => REFUSALS.iter().any(|name| {
            answer.get("content").and_then(|filled| filled.get(name)) == Some(&Value::Bool(false))
        }),
        Some(_) => true,
        None => false,
    }
}

/// What a person reads, without what differs from one time to the next.
pub(super) fn shown(ask: &Ask) -> Value {
    match ask {
        Ask::Form(form) => {
            json!([form.whole_message(), schema(form, Words { modes: true, page_ids: false })])
        }
        Ask::Page(page) => json!([page.message, page.url]),
        Ask::Sampling(_) | Ask::Roots => Value::Null,
    }
}

fn schema(form: &Form, words: Words) -> Value {
    let properties: Map<String, Value> =
        form.fields.iter().map(|field| (field.name.clone().into_owned(), property(field, words))).collect();
    let required: Vec<&str> =
        form.fields.iter().filter(|field| field.required).map(|field| &*field.name).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn property(field: &Field, words: Words) -> Value {
    let title = &field.title;
    match &field.kind {
        FieldKind::YesNo { default } => json!({ "type": "boolean", "title": title, "default": default }),
        FieldKind::Text { max_length } => {
            json!({ "type": "string", "title": title, "maxLength": max_length })
        }
        FieldKind::Integer { minimum, maximum, default } => {
            json!({ "type": "integer", "title": title, "minimum": minimum, "maximum": maximum, "default": default })
        }
        FieldKind::Choice(choices) if words.modes => {
            let choices: Vec<Value> = choices
                .iter()
                .map(|choice| json!({ "const": choice.value, "title": choice.title }))
                .collect();
            json!({ "type": "string", "title": title, "oneOf": choices })
        }
        FieldKind::Choice(choices) => {
            let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
            let names: Vec<&str> = choices.iter().map(|choice| choice.title.as_str()).collect();
            json!({ "type": "string", "title": title, "enum": values, "enumNames": names })
        }
    }
}

fn create_message(sampling: &Sampling) -> Value {
    let messages: Vec<Value> = sampling.messages.iter().map(message).collect();
    let mut params = json!({
        "messages": messages,
        "systemPrompt": sampling.system_prompt,
        "maxTokens": sampling.max_tokens,
        "modelPreferences": { "intelligencePriority": 0.8, "speedPriority": 0.5, "costPriority": 0.3 },
    });
    if !sampling.tools.is_empty() {
        let tools: Vec<Value> = sampling
            .tools
            .iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema }))
            .collect();
        params["tools"] = tools.into();
        params["toolChoice"] = json!({ "mode": "auto" });
    }
    params
}

fn message(message: &Message) -> Value {
    let role = match message.speaker {
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
    };
    let mut parts: Vec<Value> = message.content.iter().map(content).collect();
    // Revisions before 2025-11-25 know a single part only.
    let content = if parts.len() == 1 { parts.remove(0) } else { Value::Array(parts) };
    json!({ "role": role, "content": content })
}

fn content(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!({ "type": "text", "text": text }),
        Content::Picture(picture) => {
            json!({ "type": "image", "data": STANDARD.encode(&picture.bytes), "mimeType": picture.mime_type })
        }
        Content::ToolUse { id, name, input } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
        Content::ToolResult { id, text, failed } => json!({
            "type": "tool_result", "toolUseId": id, "content": [{ "type": "text", "text": text }], "isError": failed,
        }),
    }
}

/// Reads the answer to a question.
///
/// # Errors
/// [`ErrorCode::InvalidParameter`] if it is not one.
pub(super) fn reply(ask: &Ask, answer: &Value) -> Result<Reply> {
    match ask {
        Ask::Form(_) | Ask::Page(_) => match answer.get("action").and_then(Value::as_str) {
            Some("accept") => match answer.get("content") {
                Some(Value::Object(content)) => Ok(Reply::Accepted(content.clone())),
                None | Some(Value::Null) => Ok(Reply::Accepted(Map::new())),
                Some(_) => Err(no_answer(ELICIT)),
            },
            Some("decline") => Ok(Reply::Declined),
            Some("cancel") => Ok(Reply::Dismissed),
            _ => Err(no_answer(ELICIT)),
        },
        Ask::Sampling(_) => sampled(answer).map(Reply::Sampled).ok_or_else(|| no_answer(CREATE_MESSAGE)),
        Ask::Roots => match answer.get("roots") {
            Some(Value::Array(roots)) => {
                Ok(Reply::Roots(roots.iter().filter_map(root).take(MAX_ROOTS).collect()))
            }
            _ => Err(no_answer(LIST_ROOTS)),
        },
    }
}

fn no_answer(method: &str) -> Error {
    Error::new(
        ErrorCode::InvalidParameter,
        format!("the client's answer to {method} is not valid: nothing was done"),
    )
}

fn root(root: &Value) -> Option<Root> {
    let uri = root.get("uri")?.as_str()?.to_owned();
    Some(Root { uri, name: root.get("name").and_then(Value::as_str).map(str::to_owned) })
}

fn sampled(answer: &Value) -> Option<Sampled> {
    let content = match answer.get("content")? {
        Value::Array(parts) => parts.iter().filter_map(part).collect(),
        part @ Value::Object(_) => self::part(part).into_iter().collect(),
        _ => return None,
    };
    Some(Sampled {
        content,
        model: answer.get("model").and_then(Value::as_str).unwrap_or("unknown").chars().take(100).collect(),
        complete: answer.get("stopReason").and_then(Value::as_str) != Some("maxTokens"),
    })
}

/// A part of an answer; `None` for what was not asked for (a picture, a sound).
fn part(part: &Value) -> Option<Content> {
    let text = |name: &str| part.get(name).and_then(Value::as_str).map(str::to_owned);
    match part.get("type")?.as_str()? {
        "text" => text("text").map(Content::Text),
        "tool_use" => Some(Content::ToolUse {
            id: text("id")?,
            name: text("name")?,
            input: part.get("input").and_then(Value::as_object).cloned().unwrap_or_default(),
        }),
        _ => None,
    }
}

/// Takes a question back whose answer is not wanted any more.
pub(crate) async fn take_back(peer: &Peer<RoleServer>, id: RequestId, why: &str) {
    let taken_back = CancelledNotificationParam::new(Some(id), Some(why.into()));
    if let Err(fault) = peer.notify_cancelled(taken_back).await {
        tracing::debug!(%fault, "a question could not be withdrawn");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::client::Choice;
    use proptest::prelude::*;

    fn choose() -> Ask {
        let choices = [("1", "One"), ("2", "Two")]
            .map(|(value, title)| Choice { value: value.into(), title: title.into() });
        Ask::Form(Form::new("Which one?").required(
            "app",
            "Select application",
            FieldKind::Choice(choices.to_vec()),
        ))
    }

    #[test]
    fn each_revision_has_its_own_words_for_a_form() {
        let (method, params) = request(&choose(), Words::of(&ProtocolVersion::V_2025_11_25));
        assert_eq!(method, "elicitation/create");
        let newer = json!({
            "mode": "form", "message": "Which one?",
            "requestedSchema": {
                "type": "object", "required": ["app"],
                "properties": {"app": {
                    "type": "string", "title": "Select application",
                    "oneOf": [{"const": "1", "title": "One"}, {"const": "2", "title": "Two"}],
                }},
            },
        });
        assert_eq!(params, Some(newer));
        let (_, params) = request(&choose(), Words::of(&ProtocolVersion::V_2025_06_18));
        let older = json!({
            "message": "Which one?",
            "requestedSchema": {
                "type": "object", "required": ["app"],
                "properties": {"app": {
                    "type": "string", "title": "Select application", "enum": ["1", "2"], "enumNames": ["One", "Two"],
                }},
            },
        });
        assert_eq!(params, Some(older));
    }

    #[test]
    fn only_2025_11_25_gives_pages_an_id() {
        let page = Ask::Page(handeye_call::client::Page { message: "Why".into(), url: "https://x/".into() });
        let has_id = |version: ProtocolVersion| {
            request(&page, Words::of(&version)).1.is_some_and(|params| params.get("elicitationId").is_some())
        };
        assert!(has_id(ProtocolVersion::V_2025_11_25));
        assert!(!has_id(ProtocolVersion::V_2026_07_28));
    }

    #[test]
    fn an_answer_is_yes_no_or_closed() {
        let read = |answer: Value| reply(&choose(), &answer);
        assert_eq!(read(json!({"action": "decline"})), Ok(Reply::Declined));
        assert_eq!(read(json!({"action": "cancel"})), Ok(Reply::Dismissed));
        let content = Map::from_iter([("app".to_owned(), json!("1"))]);
        assert_eq!(read(json!({"action": "accept", "content": {"app": "1"}})), Ok(Reply::Accepted(content)));
        for nonsense in [
            json!({}),
            json!(null),
            json!({"action": "Accept"}),
            json!({"action": "accept", "content": []}),
            json!([]),
        ] {
            assert!(read(nonsense.clone()).is_err(), "{nonsense}");
        }
    }

    #[test]
    fn an_answer_of_a_model_has_one_part_or_several() {
        let sampling = Ask::Sampling(Sampling {
            messages: vec![Message::user("?")],
            system_prompt: "",
            max_tokens: 10,
            tools: Vec::new(),
        });
        let answer = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "a"}, "stopReason": "maxTokens"});
        let Ok(Reply::Sampled(one)) = reply(&sampling, &answer) else { panic!("it is an answer") };
        assert_eq!((one.text().as_str(), one.model.as_str(), one.complete), ("a", "m", false));
        let answer = json!({"role": "assistant", "model": "m", "content": [
            {"type": "text", "text": "a"}, {"type": "tool_use", "id": "1", "name": "t", "input": {"x": 1}}, {"type": "audio"},
        ]});
        let Ok(Reply::Sampled(several)) = reply(&sampling, &answer) else { panic!("it is an answer") };
        assert_eq!(several.content.len(), 2);
        assert!(reply(&sampling, &json!({"action": "accept"})).is_err());
    }

    proptest! {
        #[test]
        fn no_answer_is_too_strange(text in r#"(\{"(action|content|roots|model)":("accept"|"x"|\{\}|\[\]|1|null)\}|\[\]|1|"a")"#) {
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            for ask in [choose(), Ask::Roots] {
                prop_assert!(!matches!(reply(&ask, &answer), Ok(Reply::Sampled(_))));
            }
        }
    }
}
