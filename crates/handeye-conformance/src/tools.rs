//! The tools of the fixtures.

use crate::answer::text;
use crate::fault::internal;
use crate::fixtures::Fixtures;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use std::time::Duration;

/// Between two messages to a client while a tool works, as the suite wants it.
const BETWEEN: Duration = Duration::from_millis(50);

type Context = RequestContext<RoleServer>;

impl Fixtures {
    pub(crate) async fn call_fixture(
        &self,
        called: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(answer) = self.data.answers.get(&*called.name) {
            let answer: CallToolResult = serde_json::from_value(answer.clone()).map_err(internal)?;
            return Ok(answer.into());
        }
        let argument = |name: &str| called.arguments.as_ref()?.get(name).and_then(Value::as_str);
        match &*called.name {
            "greet" => Ok(text(&format!("Hello, {}!", argument("name").unwrap_or("world")))),
            "test_tool_with_progress" => report_progress(&context).await,
            "test_tool_with_logging" => log(&context).await,
            "test_missing_capability" => need_sampling(&context),
            "test_logging_tool" => Ok(text("Nothing was logged.")),
            "test_reconnection" => {
                tokio::time::sleep(BETWEEN).await;
                Ok(text("Reconnection test completed."))
            }
            "slow_compute" | "failing_job" | "protocol_error_job" | "confirm_delete" | "multi_input" => {
                self.work_as_task(&called, &context).await
            }
            "test_tool_with_task" => self.ask_then_work_as_task(called, &context).await,
            _ => self.ask_for_tool(called, &context).await,
        }
    }
}

/// Reports the progress of the work to a client that asked for it.
async fn report_progress(context: &Context) -> Result<CallToolResponse, ErrorData> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let step = ProgressNotificationParam::new(token, done).with_total(100.0);
            context.peer.notify_progress(step).await.map_err(|fault: ServiceError| internal(fault))?;
        }
        tokio::time::sleep(BETWEEN).await;
    }
    Ok(text("Progress test completed."))
}

/// Logs to a client of a revision that had no way yet to ask for it.
async fn log(context: &Context) -> Result<CallToolResponse, ErrorData> {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let record = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
        context.peer.notify_logging_message(record).await.map_err(internal)?;
        tokio::time::sleep(BETWEEN).await;
    }
    Ok(text("Logging test completed."))
}

fn need_sampling(context: &Context) -> Result<CallToolResponse, ErrorData> {
    if context.client_capabilities().is_some_and(|can| can.sampling.is_some()) {
        return Ok(text("The client can sample."));
    }
    Err(ErrorData::missing_required_client_capability(
        ClientCapabilities::builder().enable_sampling().build(),
    ))
}
