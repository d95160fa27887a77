//! What the client's model may ask while it plans.

use handeye_act::locate::{self, Located};
use handeye_call::call::Call;
use handeye_call::client::{Content, Tool};
use handeye_core::{ConnectedApp, DetailKinds, Error, ErrorCode, Result};
use handeye_engine::Engine;
use handeye_tree::outline;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Most tool calls of one message that are answered.
const MAX_CALLS: usize = 8;
/// Longest argument, in bytes.
const MAX_ARGUMENT: usize = 500;

/// The tools, on one application.
pub(super) struct Tools<'a> {
    pub(super) engine: &'a Engine,
    pub(super) call: &'a Call,
    pub(super) app: &'a Arc<dyn ConnectedApp>,
}

impl Tools<'_> {
    /// The tools as the model sees them.
    pub(super) fn offered() -> Vec<Tool> {
        let one_text = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
        vec![
            Tool {
                name: "describe_element",
                description: "Role, name, states, value, place and actions of an element",
                input_schema: one_text("query"),
            },
            Tool {
                name: "suggest_locator",
                description: "A query that finds the element that a description means",
                input_schema: one_text("description"),
            },
        ]
    }

    /// What the tools answer to the calls in a message; empty if there are none.
    pub(super) async fn results(&self, reply: &[Content]) -> Vec<Content> {
        let mut results = Vec::new();
        let calls = reply.iter().filter_map(|content| match content {
            Content::ToolUse { id, name, input } => Some((id, name, input)),
            _ => None,
        });
        for (number, (id, name, input)) in calls.enumerate() {
            // Each call needs a result, or the client may not accept the message.
            let answered = if number < MAX_CALLS {
                self.answer(name, input).await
            } else {
                Err(Error::new(ErrorCode::TooLarge, "too many calls at once"))
            };
            let (text, failed) = match answered {
                Ok(text) => (text, false),
                Err(error) => (error.to_string(), true),
            };
            results.push(Content::ToolResult { id: id.clone(), text, failed });
        }
        results
    }

    async fn answer(&self, name: &str, input: &Map<String, Value>) -> Result<String> {
        match name {
            "describe_element" => {
                let found = self.find(input, "query").await?;
                let mut text = String::from(outline::line(&found.node, found.shown_reference()));
                if let Some(extents) = found.node.details.extents.known() {
                    text.push_str(&format!("\n{extents}"));
                }
                if let Some(actions) = found.node.details.actions.known() {
                    text.push_str(&format!("\nactions: {}", actions.join(", ")));
                }
                Ok(text)
            }
            "suggest_locator" => {
                let found = self.find(input, "description").await?;
                let node = &found.node;
                let query = format!("{}:{}", node.role, node.label());
                Ok(format!("{} (reference {}, {} matches)", query, found.reference, found.equally_good))
            }
            _ => Err(Error::invalid_parameter("name", "is not an available tool")),
        }
    }

    async fn find(&self, input: &Map<String, Value>, name: &str) -> Result<Located> {
        let query = input.get(name).and_then(Value::as_str).filter(|query| query.len() <= MAX_ARGUMENT);
        let query = query.ok_or_else(|| Error::invalid_parameter(name, "must be a short text"))?;
        let details = DetailKinds::EXTENTS | DetailKinds::VALUE | DetailKinds::TEXT | DetailKinds::ACTIONS;
        locate::one(self.engine.desk.handles(self.call), self.app, query, details).await
    }
}
