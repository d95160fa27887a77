//! `tools/call`: from its parameters through the gate to its answer.

use crate::{Server, answer, progress};
use handeye_core::{Error, ErrorCode};
use handeye_engine::call::{Call, Face};
use handeye_engine::operation::AnyOperation;
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
        let operation = self.operation(name)?;
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
        let dialect = self.operation(name)?.meta().dialect;
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

    /// The operation behind a tool that is on, or an error that says by what it is off or which tools were probably meant.
    fn operation(&self, name: &str) -> Result<&'static dyn AnyOperation, ErrorData> {
        self.toolbox.operation(name).map_err(|why| ErrorData::invalid_params(why, None))
    }
}
