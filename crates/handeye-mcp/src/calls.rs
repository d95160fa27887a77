//! `tools/call`: from its parameters through the gate to its answer.

use crate::ask::{Asked, Asking, Ended};
use crate::{Server, answer, progress};
use handeye_core::{Error, ErrorCode};
use handeye_engine::call::{Call, Face};
use handeye_engine::operation::AnyOperation;
use rmcp::model::{CallToolRequestParams, CallToolResponse, InputResponses, JsonObject};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::sync::Arc;

/// What a client sent with `tools/call`.
pub(crate) struct ToolCall {
    /// The tool.
    pub(crate) name: String,
    /// Its parameters, an object.
    pub(crate) arguments: Value,
    /// Answers to the questions that the same call ended with before.
    pub(crate) responses: Option<InputResponses>,
    /// What came with those questions.
    pub(crate) state: Option<String>,
}

impl From<CallToolRequestParams> for ToolCall {
    fn from(params: CallToolRequestParams) -> Self {
        Self {
            name: params.name.into_owned(),
            arguments: Value::Object(params.arguments.unwrap_or_default()),
            responses: params.input_responses,
            state: params.request_state,
        }
    }
}

impl Server {
    pub(crate) async fn call(
        &self,
        called: ToolCall,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let operation = self.operation(&called.name)?;
        let asked = Asked {
            method: "tools/call",
            name: &called.name,
            arguments: &called.arguments,
            responses: called.responses.as_ref(),
            state: called.state.as_deref(),
        };
        let mut asking = Asking::of(&self.seals, &context, asked, self.engine.patience)?;
        let (progress, reporter) = progress::of(&context);
        let client = asking.client();
        let ended = asking
            .run(async |remaining| {
                let input = operation.parse_json(called.arguments.clone())?;
                let call = Call {
                    progress: progress.clone(),
                    client: Arc::clone(&client),
                    ..Call::new(Face::Mcp, context.ct.clone()).within(remaining)
                };
                self.gate.call(&self.engine, operation, input, call).await
            })
            .await;
        if let Some(reporter) = reporter {
            reporter.finish().await;
        }
        let dialect = operation.meta().dialect;
        Ok(match ended {
            Ended::With(Ok(answer)) => answer::success(answer, dialect).into(),
            Ended::With(Err(error)) => answer::failure(&error, dialect).into(),
            Ended::Asking(questions) => (*questions).into(),
        })
    }

    /// Answers a `tools/call` that the SDK could not read: a wrong `arguments` is the tool's to explain.
    pub(crate) async fn call_misshapen(
        &self,
        params: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return Err(ErrorData::invalid_params(
                "tools/call needs 'name', the name of a tool, as a string",
                None,
            ));
        };
        let dialect = self.operation(name)?.meta().dialect;
        let state = match params.get("requestState") {
            None | Some(Value::Null) => None,
            Some(Value::String(state)) => Some(state.clone()),
            Some(_) => {
                return Err(ErrorData::invalid_params(
                    "'requestState' must be the string that came with the questions",
                    None,
                ));
            }
        };
        let responses = match params.get("inputResponses") {
            None | Some(Value::Null) => None,
            Some(Value::Object(responses)) => Some(responses.clone().into_iter().collect()),
            Some(_) => return Err(ErrorData::invalid_params("'inputResponses' must be an object", None)),
        };
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => JsonObject::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => {
                let error = Error::new(
                    ErrorCode::InvalidParameter,
                    format!("'arguments' of {name} must be an object"),
                )
                .with_next("Pass the parameters by name, as the tool's inputSchema lists them.");
                return Ok(answer::failure(&error, dialect).into());
            }
        };
        let called =
            ToolCall { name: name.to_owned(), arguments: Value::Object(arguments), responses, state };
        self.call(called, context).await
    }

    /// The operation behind a tool that is on, or an error that says by what it is off or which tools were probably meant.
    fn operation(&self, name: &str) -> Result<&'static dyn AnyOperation, ErrorData> {
        self.toolbox.operation(name).map_err(|why| ErrorData::invalid_params(why, None))
    }
}
