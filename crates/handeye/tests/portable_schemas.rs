//! The tools' parameters against the subsets of JSON Schema that the APIs of models take. A client passes the schema of a tool on
//! to such an API, and one schema that it does not take costs the whole request.
//!
//! Sources, read in November 2026:
//! - OpenAI, "Structured outputs", section "Supported schemas", and "Function calling":
//!   names of `[a-zA-Z0-9_-]`, at most 64 characters; the root is an object and no union; types string, number, integer, boolean, object,
//!   array, enum and anyOf; no allOf, not, if, dependentRequired, patternProperties; at most 5,000 properties, 10 levels, and
//!   1,000 values of enums. In strict mode every property is required and additionalProperties is false: clients add both.
//! - Google, "Schema" of the Gemini API (ai.google.dev/api/caching#Schema): a subset of OpenAPI 3.0: one `type` for each value, `items`
//!   with each array, `enum` of strings that are not empty, no `$ref`, `const`, `additionalProperties`, `oneOf`, `prefixItems`;
//!   function names begin with a letter or `_` and have 64 characters at most.
//! - Amazon Bedrock, `ToolSpecification` and `ToolInputSchema`: names of `[a-zA-Z0-9_-]+`, at most 64 characters; `inputSchema.json` is
//!   an object; a description that is not empty.

mod support;

use serde_json::{Value, json};
use support::{Server, handeye, modern};

/// Words that all of the three take.
const WORDS: &[&str] = &["type", "properties", "required", "items", "enum", "description", "default"];
/// Types that all of the three take.
const TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array"];
/// Most levels of objects and arrays.
const DEEPEST: usize = 5;

fn tools(flags: &[&str], client: Option<&str>) -> Vec<Value> {
    let mut server = Server::start_with(&mut handeye(), flags);
    let mut meta = modern();
    if let Some(client) = client {
        meta["io.modelcontextprotocol/clientInfo"]["name"] = client.into();
    }
    let answer = server.ask("tools/list", json!({ "_meta": meta }));
    answer["result"]["tools"].as_array().expect("tools").clone()
}

/// What is wrong with one value's schema.
fn faults(place: &str, schema: &Value, depth: usize, found: &mut Vec<String>) {
    let Some(object) = schema.as_object() else { return found.push(format!("{place}: no object")) };
    let mut fault = |what: String| found.push(format!("{place}: {what}"));
    for word in object.keys().filter(|word| !WORDS.contains(&word.as_str())) {
        fault(format!("{word} is not known everywhere"));
    }
    let kind = object.get("type").and_then(Value::as_str);
    if !kind.is_some_and(|kind| TYPES.contains(&kind)) {
        fault(format!("one known type is needed, not {:?}", object.get("type")));
    }
    if depth > DEEPEST {
        fault("too deep".into());
    }
    if let Some(choices) = object.get("enum") {
        let choices = choices.as_array().expect("a list");
        let sound = |choice: &Value| choice.as_str().is_some_and(|choice| !choice.is_empty());
        if choices.is_empty() || !choices.iter().all(sound) || kind != Some("string") {
            fault(format!("choices have to be strings that are not empty: {choices:?}"));
        }
    }
    if kind == Some("array") && !object.contains_key("items") {
        fault("an array without items".into());
    }
    if kind == Some("object") && !object.contains_key("properties") {
        fault("an object without properties".into());
    }
    if object.get("description").is_some_and(|text| text.as_str().is_none_or(str::is_empty)) {
        fault("an empty description".into());
    }
    if let Some(items) = object.get("items") {
        faults(&format!("{place}[]"), items, depth + 1, found);
    }
    for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
        faults(&format!("{place}.{name}"), property, depth + 1, found);
    }
}

#[test]
fn every_tool_can_be_offered_to_every_model() {
    let mut found = Vec::new();
    for tool in tools(&["--toolsets", "all,script"], None) {
        let name = tool["name"].as_str().expect("a name");
        let letters = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Clients put a server's name before it, as mcp__handeye__.
        if !letters
            || !name.starts_with(|c: char| c.is_ascii_alphabetic())
            || name.len() > 64 - "mcp__handeye__".len()
        {
            found.push(format!("{name} is no name of a function everywhere"));
        }
        if tool["description"].as_str().is_none_or(|text| text.is_empty() || text.len() > 1_024) {
            found.push(format!("{name} needs a description of at most 1,024 characters"));
        }
        if tool["inputSchema"]["type"] != "object" {
            found.push(format!("{name}: the root has to be an object"));
        }
        faults(name, &tool["inputSchema"], 1, &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_check_finds_what_a_model_refuses() {
    for (schema, what) in [
        (json!({"type": ["string", "null"]}), "one known type"),
        (json!({"type": "string", "enum": ["a", ""]}), "not empty"),
        (json!({"type": "array"}), "without items"),
        (json!({"type": "object"}), "without properties"),
        (json!({"oneOf": []}), "not known everywhere"),
    ] {
        let mut found = Vec::new();
        faults("x", &schema, 1, &mut found);
        assert!(found.iter().any(|fault| fault.contains(what)), "{schema}: {found:?}");
    }
}

#[test]
fn a_client_that_drives_a_model_gets_no_output_schemas() {
    let schemas =
        |client| tools(&[], client).iter().filter(|tool| tool.get("outputSchema").is_some()).count();
    assert_eq!(schemas(Some("claude-code")), 0);
    assert!(schemas(None) > 10);
    assert!(schemas(Some("somebody's program")) > 10);
}
