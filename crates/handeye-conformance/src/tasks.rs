//! Fixtures that go on as tasks.

use crate::answer::text;
use crate::fault::internal;
use crate::fixtures::Fixtures;
use handeye_mcp::{Task, Work};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    InputRequiredResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long a job takes that fails.
const JOB: Duration = Duration::from_secs(1);
/// The longest that a client may let a task wait.
const LONGEST: f64 = 60.0;

type Context = RequestContext<RoleServer>;

impl Fixtures {
    pub(crate) async fn work_as_task(
        &self,
        called: &CallToolRequestParams,
        context: &Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*called.name {
            "failing_job" => {
                needs_tasks(context)?;
                self.server.as_task(context, |_task| Box::pin(fail())).await
            }
            "protocol_error_job" => self.server.as_task(context, |_task| Box::pin(break_down())).await,
            "slow_compute" => {
                let seconds = called.arguments.as_ref().and_then(|given| given.get("seconds")?.as_f64());
                let pause = Duration::from_secs_f64(seconds.unwrap_or_default().clamp(0.0, LONGEST));
                self.server.as_task(context, move |_task| wait(pause)).await
            }
            asks => {
                let questions =
                    self.data.questions.get(asks).map(|questions| questions.of_task().map_err(internal));
                let questions = questions.unwrap_or_else(|| Err(internal("it asks nothing")))?;
                self.server.as_task(context, |task| Box::pin(ask(task, questions))).await
            }
        }
    }

    /// Asks in the way of a call, and goes on as a task once all is answered.
    pub(crate) async fn ask_then_work_as_task(
        &self,
        called: CallToolRequestParams,
        context: &Context,
    ) -> Result<CallToolResponse, ErrorData> {
        needs_tasks(context)?;
        match self.ask_for_tool(called, context).await? {
            answered @ CallToolResponse::Complete(_) => {
                self.server.as_task(context, |_task| Box::pin(async { Ok(answered) })).await
            }
            asking => Ok(asking),
        }
    }
}

fn needs_tasks(context: &Context) -> Result<(), ErrorData> {
    if context.client_capabilities().is_some_and(|can| can.supports_tasks()) {
        return Ok(());
    }
    Err(ErrorData::missing_required_client_capability(ClientCapabilities::builder().enable_tasks().build()))
}

fn wait(pause: Duration) -> Work {
    Box::pin(async move {
        tokio::time::sleep(pause).await;
        Ok(text(&format!("Waited for {} ms.", pause.as_millis())))
    })
}

async fn ask(task: Arc<Task>, questions: InputRequiredResult) -> Result<CallToolResponse, ErrorData> {
    let replies = task.ask_all(&questions).await?;
    Ok(text(&Value::from_iter(replies).to_string()))
}

async fn fail() -> Result<CallToolResponse, ErrorData> {
    tokio::time::sleep(JOB).await;
    Ok(CallToolResult::error(vec![ContentBlock::text("The job failed.")]).into())
}

async fn break_down() -> Result<CallToolResponse, ErrorData> {
    tokio::time::sleep(JOB).await;
    Err(internal("The job broke down."))
}
