//! A workflow as a file, YAML or JSON.

use crate::definition::Flow;
use crate::{writing, yaml};
use handeye_core::{Error, ErrorCode, Result, screen_text};
use serde_json::Value;

/// Longest file, in bytes: room for the longest recording, with what each element is recognized by.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Reads a workflow: an object with `steps`, or a list of steps.
///
/// # Errors
/// [`ErrorCode::InvalidParameter`] with the place of the fault, [`ErrorCode::TooLarge`].
pub fn parse(text: &str) -> Result<Flow> {
    if text.len() > MAX_BYTES {
        let message = format!("the workflow has {} bytes; at most {MAX_BYTES} are read", text.len());
        return Err(Error::new(ErrorCode::TooLarge, message));
    }
    if writing::is_cut_off(text) {
        return Err(unfit("it was cut off: a recording ends with a line of three dots"));
    }
    let value = if text.trim_start().starts_with('{') {
        // JSON gives the better messages for JSON; YAML's braces are read below.
        serde_json::from_str(text).or_else(|_| yaml::read(text))
    } else {
        yaml::read(text)
    };
    let value = match value.map_err(|fault| unfit(&fault))? {
        Value::Array(steps) => serde_json::json!({ "steps": steps }),
        value => value,
    };
    of(value)
}

/// The workflow of a value.
///
/// # Errors
/// [`ErrorCode::InvalidParameter`] with the step that has the fault.
fn of(value: Value) -> Result<Flow> {
    if let Some(steps) = value.get("steps").and_then(Value::as_array) {
        for (index, step) in steps.iter().enumerate() {
            // What it is instead is not repeated: it may be any file.
            if !step.is_object() {
                return Err(unfit(&format!("step {} is not an object", index + 1)));
            }
            if let Err(fault) = serde_json::from_value::<crate::Step>(step.clone()) {
                return Err(unfit(&format!("step {}: {}", index + 1, expectation(&fault.to_string()))));
            }
        }
    }
    if !value.is_object() {
        return Err(unfit("it is neither an object nor a list"));
    }
    serde_json::from_value(value).map_err(|fault| unfit(&expectation(&fault.to_string())))
}

/// What a fault of serde says of what is expected. What was found instead is not repeated: it may be of any file.
fn expectation(fault: &str) -> String {
    let kinds = ["invalid type", "invalid value", "invalid length", "unknown variant"];
    let kind = kinds.into_iter().find(|kind| fault.starts_with(kind));
    match (kind, fault.rsplit_once(", expected ")) {
        (Some(kind), Some((_, expected))) => format!("{kind}, expected {expected}"),
        _ => fault.to_owned(),
    }
}

fn unfit(fault: &str) -> Error {
    let message = format!("the workflow cannot be read: {}", screen_text::line(fault, 300));
    Error::new(ErrorCode::InvalidParameter, message)
        .with_next("A workflow is YAML or JSON with 'steps', a list of objects with 'tool' and 'args'.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_workflow_is_read_from_yaml_json_and_a_bare_list() {
        let yaml = parse("steps:\n- tool: ax_find\n  args: {query: Save}\n").expect("YAML");
        let json =
            parse("{\"steps\": [{\"tool\": \"ax_find\", \"args\": {\"query\": \"Save\"}}]}").expect("JSON");
        let list = parse("- {tool: ax_find, args: {query: Save}}").expect("a list");
        assert_eq!(yaml, json);
        assert_eq!(yaml, list);
    }

    #[test]
    fn a_fault_names_its_step() {
        for (text, why) in [
            ("- tool: ax_find\n  args: {}\n- tool: ax_find", "step 2: missing field `args`"),
            ("- tool: ax_find\n  args: {}\n  retries: 3", "step 1: unknown field `retries`"),
            ("- tool: ax_find\n  args: {}\n  on_fail: stop", "step 1: unknown variant, expected"),
            ("{\"variables\": \"s3cret, expected words\", \"steps\": []}", "invalid type, expected a map"),
            ("- tool: ax_find\n  args: s3cret words", "step 1: invalid type, expected"),
            ("steps: []\nfoo: 1", "unknown field `foo`"),
            ("s3cret words", "neither an object nor a list"),
            ("- s3cret", "step 1 is not an object"),
            ("{\"steps\": [", "cannot be read"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.message.contains(why) && !error.message.contains("s3cret"), "{text:?}: {error}");
        }
        assert_eq!(parse(&" ".repeat(MAX_BYTES + 1)).expect_err("long").code, ErrorCode::TooLarge);
    }
}
