//! `tools/call`: from its parameters through the gate to its answer.

use crate::{Server, answer, progress, tools};
use handeye_core::{Error, ErrorCode};
use handeye_engine::call::{Call, Face};
use handeye_engine::operation::AnyOperation;
use handeye_engine::registry;
use rmcp::model::{CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;

impl Server {
    pub(crate) async fn call(
        &self,
        name: &str,
        arguments: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let operation = operation(name)?;
        let answered = match operation.parse_json(arguments) {
            Ok(input) => {
                let (progress, reporter) = progress::of(&context);
                let call = Call { progress, ..Call::new(Face::Mcp, context.ct) };
                let answered = self.gate.call(&self.engine, operation, input, call).await;
                if let Some(reporter) = reporter {
                    reporter.finish().await;
                }
                answered
            }
            Err(error) => Err(error),
        };
        let dialect = operation.meta().dialect;
        Ok(answered.map_or_else(
            |error| answer::failure(&error, dialect),
            |answered| answer::success(answered, dialect),
        ))
    }

    /// Answers a `tools/call` that the SDK could not read: a wrong `arguments` is the tool's to explain.
    pub(crate) async fn call_misshapen(
        &self,
        params: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return Err(ErrorData::invalid_params(
                "tools/call needs 'name', the name of a tool, as a string",
                None,
            ));
        };
        let dialect = operation(name)?.meta().dialect;
        match params.get("arguments") {
            None | Some(Value::Null) => self.call(name, Value::Object(JsonObject::new()), context).await,
            Some(Value::Object(arguments)) => {
                self.call(name, Value::Object(arguments.clone()), context).await
            }
            Some(_) => Ok(answer::failure(
                &Error::new(ErrorCode::InvalidParameter, format!("'arguments' of {name} must be an object"))
                    .with_next("Pass the parameters by name, as the tool's inputSchema lists them."),
                dialect,
            )),
        }
    }
}

/// The operation behind a tool, or an error that names the tools that were probably meant.
fn operation(name: &str) -> Result<&'static dyn AnyOperation, ErrorData> {
    registry::by_tool(name).ok_or_else(|| {
        let near = tools::near_names(name, registry::all().iter().map(|operation| operation.meta().tool));
        let hint = if near.is_empty() {
            "tools/list has all of them".to_owned()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        let shown: String = name.chars().take(80).collect();
        ErrorData::invalid_params(format!("unknown tool '{shown}': {hint}"), None)
    })
}
