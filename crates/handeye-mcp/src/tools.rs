//! Tools as clients see them, derived from the operations.

use handeye_engine::operation::{AnyOperation, Meta};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

/// The tool that offers `operation`.
pub(crate) fn tool(operation: &dyn AnyOperation) -> Tool {
    let meta = operation.meta();
    let tool = Tool::new(meta.tool, meta.description, object(operation.input_schema()))
        .with_title(meta.title)
        .with_annotations(annotations(meta));
    if !meta.output_published {
        return tool;
    }
    let output = published_output(operation.output_schema());
    if output.is_empty() { tool } else { tool.with_raw_output_schema(output.into()) }
}

fn annotations(meta: &Meta) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(meta.read_only)
        .destructive(meta.destructive)
        .idempotent(meta.idempotent)
        .open_world(meta.open_world)
}

/// The output schema without what would forbid an error. Clients of the TypeScript SDK hold the structured content of
/// a failed call against the tool's schema too, and `{"error": …}` has none of the required fields.
fn published_output(schema: Value) -> JsonObject {
    let mut schema = object(schema);
    schema.remove("required");
    schema.remove("additionalProperties");
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
    use serde_json::json;

    #[test]
    fn a_published_output_schema_leaves_room_for_an_error() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert_eq!(
            Value::Object(published_output(schema)),
            json!({"type": "object", "properties": {"a": {"type": "string"}}})
        );
    }
}
