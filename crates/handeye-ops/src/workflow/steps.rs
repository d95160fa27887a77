//! Which tools can be steps, and with which parameters.

use handeye_call::call::Call;
use handeye_core::nearness::nearest;
use handeye_core::screen_text;
use handeye_engine::InnerCalls;
use handeye_flow::definition::Tools;
use serde_json::{Map, Value};

/// The tools that this client can call.
pub(super) struct Offered<'a> {
    pub(super) inner: &'a dyn InnerCalls,
    pub(super) call: &'a Call,
}

impl Tools for Offered<'_> {
    fn unfit(&self, tool: &str) -> Option<String> {
        let Some(operation) = self.inner.operation(tool) else {
            let near = nearest(tool, self.inner.tools(), 1);
            let hint = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            return Some(format!("there is no tool '{}'{hint}", screen_text::line(tool, 40)));
        };
        if operation.meta().composes {
            return Some("a workflow cannot be a step of a workflow: put its steps in".to_owned());
        }
        let is_offered = self.call.offered.has(operation.meta().tool);
        (!is_offered).then(|| "this server does not offer the tool".to_owned())
    }

    fn fault(&self, tool: &str, args: &Map<String, Value>, are_known: bool) -> Option<String> {
        let operation = self.inner.operation(tool)?;
        if are_known {
            return operation.parse_json(Value::Object(args.clone())).err().map(|error| {
                // With what was found: it names each parameter.
                std::iter::once(error.message).chain(error.found).collect::<Vec<_>>().join("; ")
            });
        }
        let schema = operation.input_schema();
        let known = schema.get("properties").and_then(Value::as_object)?;
        let unknown = args.keys().find(|name| !known.contains_key(*name))?;
        let near = nearest(unknown, known.keys().map(String::as_str), 1);
        let hint = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Some(format!("unknown parameter '{}'{hint}", screen_text::line(unknown, 40)))
    }
}
