//! What the audit log has of the arguments of a call: those that are known to be harmless, and of all others that they were there.

use handeye_core::screen_text;
use serde_json::{Map, Value};

/// Stands for a value that is not recorded.
const REDACTED: &str = "[redacted]";
/// Longest text that is recorded, in characters.
const LONGEST: usize = 200;
/// Most arguments of a call, and most entries of a list.
const MOST: usize = 32;

/// Arguments whose values say where and how, and never what is written. Every other one is recorded by its name alone.
const HARMLESS: &[&str] = &[
    "action",
    "amount",
    "annotate",
    "app",
    "clear_first",
    "click_type",
    "count",
    "cwd",
    "direction",
    "dry_run",
    "duration_ms",
    "format",
    "from_x",
    "from_y",
    "language",
    "mode",
    "modifiers",
    "output",
    "path",
    "region",
    "screenshot",
    "timeout_ms",
    "to_x",
    "to_y",
    "window_index",
    "x",
    "y",
];

/// Arguments that name an element.
const QUERIES: &[&str] = &["query", "from_query", "to_query"];

/// Words of a query that ask for what an element holds.
const CONTENT: &[&str] = &["value", "text"];

/// The arguments as they are recorded.
pub(crate) fn arguments(arguments: &Value) -> Map<String, Value> {
    let Value::Object(arguments) = arguments else { return Map::new() };
    let given = arguments.iter().filter(|(_, value)| !value.is_null()).take(MOST);
    given.map(|(name, value)| (name.clone(), recorded(name, value, arguments))).collect()
}

fn recorded(name: &str, value: &Value, all: &Map<String, Value>) -> Value {
    let keeps = match name {
        "key" => value.as_str().is_some_and(|key| is_named_key(key) || is_command(all)),
        query if QUERIES.contains(&query) => value.as_str().is_some_and(|query| !asks_for_content(query)),
        other => HARMLESS.contains(&other),
    };
    if keeps { bounded(value, 2) } else { REDACTED.into() }
}

/// Whether a key has a name instead of being a character: a password can be typed key by key.
fn is_named_key(key: &str) -> bool {
    key.chars().nth(1).is_some()
}

/// Whether a modifier is held that makes a command of a character.
fn is_command(arguments: &Map<String, Value>) -> bool {
    let modifiers = arguments.get("modifiers").and_then(Value::as_array);
    modifiers.is_some_and(|held| held.iter().any(|modifier| modifier != "shift"))
}

/// Whether a query asks for what an element holds, which may be what somebody typed.
fn asks_for_content(query: &str) -> bool {
    let lower = query.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let has_conditions = lower.contains([':', '=', '~', '@', '(']);
    has_conditions && words.any(|word| CONTENT.contains(&word))
}

/// The value, without what is long in it.
fn bounded(value: &Value, depth: u8) -> Value {
    match value {
        Value::String(text) => screen_text::line(text, LONGEST).into(),
        Value::Array(values) if depth > 0 => {
            values.iter().take(MOST).map(|value| bounded(value, depth - 1)).collect()
        }
        Value::Object(fields) if depth > 0 => {
            let bounded = |(name, value): (&String, &Value)| (name.clone(), bounded(value, depth - 1));
            Value::Object(fields.iter().take(MOST).map(bounded).collect())
        }
        Value::Array(_) | Value::Object(_) => REDACTED.into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "tests write it in place")]
    fn of(value: Value) -> Value {
        Value::Object(arguments(&value))
    }

    #[test]
    fn where_and_how_is_recorded_and_what_is_not() {
        let typed = json!({ "app": "gedit", "query": "role:button Save", "text": "hunter2", "mode": "focus", "x": 3, "none": null });
        let recorded =
            json!({ "app": "gedit", "query": "role:button Save", "text": REDACTED, "mode": "focus", "x": 3 });
        assert_eq!(of(typed), recorded);
        for secret in ["text", "value", "script", "html", "files", "steps", "variables", "unheard_of"] {
            assert_eq!(of(json!({ secret: "hunter2" })), json!({ secret: REDACTED }));
        }
    }

    #[test]
    fn a_password_is_not_recorded_key_by_key() {
        assert_eq!(of(json!({ "key": "a", "modifiers": [] }))["key"], REDACTED);
        assert_eq!(of(json!({ "key": "A", "modifiers": ["shift"] }))["key"], REDACTED);
        assert_eq!(of(json!({ "key": "s", "modifiers": ["ctrl"] }))["key"], "s");
        assert_eq!(of(json!({ "key": "return" }))["key"], "return");
    }

    #[test]
    fn a_query_for_what_an_element_holds_is_not_recorded() {
        for query in [
            "value:hunter2",
            "role:textbox value=\"x\"",
            "text~=hunter",
            "//textbox[@value='x']",
            "VALUE : x",
        ] {
            assert_eq!(of(json!({ "query": query }))["query"], REDACTED, "{query}");
        }
        for query in ["Delete Browsing Data", "e12", "role:button Count", "Default value"] {
            assert_eq!(of(json!({ "query": query }))["query"], query);
        }
    }

    proptest! {
        #[test]
        fn nothing_long_is_recorded(app in ".{0,400}", names in prop::collection::vec("z[a-z]{1,9}", 0..60)) {
            let mut all: Map<String, Value> = names.into_iter().map(|name| (name, json!("s3cret"))).collect();
            all.insert("app".into(), app.into());
            let text = Value::Object(arguments(&Value::Object(all))).to_string();
            prop_assert!(text.len() < 4_000 && !text.contains("s3cret"), "{text}");
        }
    }
}
