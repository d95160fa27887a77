//! Tools as clients see them, derived from the operations.

use crate::answer;
use crate::profile::Form;
use handeye_engine::{AnyOperation, Dialect, Meta};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

/// The tool that offers `operation` to a client that is answered in this form.
pub(crate) fn tool(operation: &dyn AnyOperation, form: Form) -> Tool {
    let meta = operation.meta();
    let tool = Tool::new(meta.tool, meta.description, published_input(operation.input_schema()))
        .with_title(meta.title)
        .with_annotations(annotations(meta));
    // With a schema, structured content is mandatory: SDKs reject an answer without it.
    if !meta.output_published || form == Form::Text {
        return tool;
    }
    let output = published_output(operation.output_schema(), meta.dialect);
    if output.is_empty() { tool } else { tool.with_raw_output_schema(output.into()) }
}

/// The hints of a tool. Of one that only looks the protocol gives the others no meaning, and that a tool is not idempotent goes without
/// saying.
fn annotations(meta: &Meta) -> ToolAnnotations {
    let hints = ToolAnnotations::new().read_only(meta.read_only).open_world(meta.open_world);
    match (meta.read_only, meta.idempotent) {
        (true, _) => hints,
        (false, true) => hints.destructive(meta.destructive).idempotent(true),
        (false, false) => hints.destructive(meta.destructive),
    }
}

/// Has the title of a tool among its hints, where clients look for it that know no other title (before 2025-06-18).
pub(crate) fn title_as_a_hint(tool: &mut Tool) {
    if let Some(hints) = &mut tool.annotations {
        hints.title.clone_from(&tool.title);
    }
}

/// The output schema without what would forbid an error, and without what says nothing new. Clients of the TypeScript SDK hold
/// the structured content of a failed call against the tool's schema too, and `{"error": …}` has none of the required fields.
fn published_output(schema: Value, dialect: Dialect) -> JsonObject {
    let mut schema = object(terse(schema));
    if schema.is_empty() {
        return schema;
    }
    // The protocol wants it at the top.
    schema.insert("type".into(), "object".into());
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let beside = match dialect {
            Dialect::Handeye => answer::TEXT,
            Dialect::Peekaboo | Dialect::ScreenshotMac => answer::NOTES,
        };
        for field in [beside, answer::ERROR] {
            properties.insert(field.into(), Value::Object(JsonObject::new()));
        }
    }
    schema
}

/// A schema of answers in few words: what is required, that an object with properties is one, of which type the values of a list
/// of choices are, and what simple arrays hold, adds nothing for the reader of an answer. A field without a type is a string.
fn terse(schema: Value) -> Value {
    let Value::Object(mut schema) = schema else { return schema };
    schema.remove("required");
    schema.remove("additionalProperties");
    let is_string = schema.get("type").is_some_and(|kind| kind == "string");
    if is_string || schema.contains_key("properties") || schema.contains_key("enum") {
        schema.remove("type");
    }
    if schema.get("items").and_then(Value::as_object).is_some_and(|items| items.keys().eq(["type"])) {
        schema.remove("items");
    }
    let terser = |(key, value): (String, Value)| {
        let value = match (&*key, value) {
            ("properties", Value::Object(all)) => {
                Value::Object(all.into_iter().map(|(name, property)| (name, terse(property))).collect())
            }
            (_, value) => terse(value),
        };
        (key, value)
    };
    Value::Object(schema.into_iter().map(terser).collect())
}

/// The input schema without switches' `false`, which is the usual default.
fn published_input(schema: Value) -> JsonObject {
    let mut schema = object(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            if property.get("default") == Some(&Value::Bool(false)) {
                property.remove("default");
            }
        }
    } else {
        // Some clients refuse an object that says nothing of its properties.
        schema.remove("description");
        schema.insert("properties".into(), Value::Object(JsonObject::new()));
    }
    schema
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_service::registry;
    use serde_json::json;

    #[test]
    fn a_published_output_schema_leaves_room_for_an_error_and_says_nothing_twice() {
        let schema = json!({
            "type": "object",
            "properties": {
                "type": {"type": "string"},
                "at": {"type": "array", "items": {"type": "integer"}},
                "status": {"type": "string", "enum": ["a", "b"]},
                "rows": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"required": {"type": "string"}}, "required": ["required"]}
                }
            },
            "required": ["at"],
            "additionalProperties": false
        });
        assert_eq!(
            Value::Object(published_output(schema, Dialect::Handeye)),
            json!({
                "type": "object",
                "properties": {
                    "type": {},
                    "at": {"type": "array"},
                    "status": {"enum": ["a", "b"]},
                    "rows": {"type": "array", "items": {"properties": {"required": {}}}},
                    "text": {},
                    "error": {}
                }
            })
        );
        assert!(published_output(json!({}), Dialect::Handeye).is_empty());
    }

    /// The calls that a model with only the list of tools would make for each of these tasks. The calls were written from the list
    /// alone.
    fn tasks() -> Vec<(&'static str, &'static str, Value)> {
        vec![
            ("What is running here?", "ax_list_apps", json!({})),
            ("Which windows are on the whole desktop?", "ax_list_windows", json!({"app": "all"})),
            ("Press Save in Mousepad.", "ax_click", json!({"query": "Save", "app": "mousepad"})),
            (
                "Replace what stands in the field Name by Ada.",
                "ax_type",
                json!({"text": "Ada", "app": "form", "query": "Name", "clear_first": true}),
            ),
            (
                "Turn the volume to 40.",
                "ax_set_value",
                json!({"query": "Volume", "value": "40", "app": "mixer"}),
            ),
            ("Tick e7.", "ax_set_value", json!({"query": "e7", "value": "true", "app": "settings"})),
            (
                "Show me the second window of Firefox with its references drawn on it.",
                "ax_screenshot",
                json!({"app": "Firefox", "window_index": 1, "annotate": true}),
            ),
            (
                "Click at pixel 120, 80 of the picture s3.",
                "ax_click_at",
                json!({"x": 120, "y": 80, "screenshot": "s3"}),
            ),
            ("Save in gedit by the keyboard.", "ax_key_press", json!({"key": "ctrl+s", "app": "gedit"})),
            ("What changed in Gimp since the look t3?", "ax_get_tree", json!({"app": "gimp", "since": "t3"})),
            (
                "Find the button that deletes something.",
                "ax_find",
                json!({"query": "role:button AND title:Delete", "app": "nautilus"}),
            ),
            (
                "Drag the card A onto the list Done.",
                "ax_drag",
                json!({"app": "board", "from_query": "A", "to_query": "Done"}),
            ),
            (
                "Scroll the list of files down by 300 pixels.",
                "ax_scroll",
                json!({"direction": "down", "amount": 300, "query": "Files", "app": "nautilus"}),
            ),
            (
                "Wait up to ten seconds until the import is over.",
                "ax_wait_idle",
                json!({"app": "importer", "timeout_ms": 10_000}),
            ),
            (
                "Give me the first window of Firefox as a picture in the answer.",
                "image",
                json!({"app_target": "Firefox:WINDOW_INDEX:0", "format": "data"}),
            ),
            (
                "What does the diagram in /tmp/a.png show?",
                "analyze",
                json!({"image_path": "/tmp/a.png", "question": "What does the diagram show?"}),
            ),
        ]
    }

    /// Each call has to be one that its tool takes.
    #[test]
    fn tasks_can_be_done_from_the_list_alone() {
        for (task, name, arguments) in tasks() {
            let operation = registry::by_tool(name).unwrap_or_else(|| panic!("{task}: no tool {name}"));
            let published = Value::Object((*tool(operation, Form::Text).input_schema).clone());
            for (argument, value) in arguments.as_object().expect("an object") {
                let property = &published["properties"][argument];
                assert!(property.is_object(), "{task}: {name} publishes no {argument}");
                if let Some(choices) = property["enum"].as_array() {
                    assert!(choices.contains(value), "{task}: {argument} of {name} is none of {choices:?}");
                }
            }
            if let Err(error) = operation.parse_json(arguments) {
                panic!("{task}: {name} does not take it: {}", error.message);
            }
        }
    }
}
