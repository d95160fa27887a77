//! Tasks since 2026-07-28: the extension `io.modelcontextprotocol/tasks` (SEP-2663). The server decides which call becomes a
//! task; the client asks with `tasks/get`, whose answer carries the result, and replies to questions with `tasks/update`.

use super::task::{End, Task, TaskState, Work};
use super::{Owner, POLL_INTERVAL, milliseconds};
use crate::Server;
use crate::requester::Requester;
use rmcp::model::{
    CallToolResponse, CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, Task as TaskFields,
    TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// How long a call may take before it becomes a task. Most answers come earlier, and cost the client one request.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// When work becomes a task, and what that is like.
pub(crate) struct Plan {
    /// How long the task lives, from the beginning of the work.
    pub(crate) ttl: Duration,
    /// How long the client waits for an answer before it gets a task.
    pub(crate) grace: Duration,
    /// Its status message at the beginning.
    pub(crate) message: String,
}

/// Whether this client understands an answer that is a task.
pub(crate) fn is_offered_to(requester: &Requester) -> bool {
    requester.is_stateless() && requester.capabilities.supports_tasks()
}

impl Server {
    /// Does `work` as a task from its beginning, for a client that understands that; for another, while it waits. For the fixtures of the
    /// conformance suite, whose work takes no longer than a minute.
    #[doc(hidden)]
    pub async fn as_task(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(Arc<Task>) -> Work,
    ) -> Result<CallToolResponse, ErrorData> {
        let offered = is_offered_to(&Requester::of(context));
        let grace = if offered { Duration::ZERO } else { Duration::from_secs(60) };
        let plan = Plan { ttl: Duration::from_secs(120), grace, message: "under way".into() };
        self.work_or_task(plan, &context.ct, |task| work(Arc::clone(task))).await
    }

    /// Does `work`, and answers with a task if that takes longer than its grace. `work` gets the task that it may become: until then
    /// no client can ask for it. `cancelled` is the request's own end, which is the end of the work for as long as it is not a task.
    pub(crate) async fn work_or_task(
        &self,
        plan: Plan,
        cancelled: &CancellationToken,
        work: impl FnOnce(&Arc<Task>) -> Work,
    ) -> Result<CallToolResponse, ErrorData> {
        let task = Task::new(self.bearer(), plan.ttl, &plan.message);
        let mut work = work(&task);
        if !plan.grace.is_zero() {
            tokio::select! {
                biased;
                ended = attended(&task, &mut work, cancelled) => return ended,
                () = sleep(plan.grace) => {}
            }
        }
        match self.tasks.keep(&task, work) {
            Ok(()) => Ok(CallToolResponse::Task(CreateTaskResult::new(fields(&task)))),
            // No room: the client waits, as it would for another tool.
            Err(mut work) => attended(&task, &mut work, cancelled).await,
        }
    }

    /// Whose the tasks of this revision are.
    fn bearer(&self) -> Owner {
        Owner::bearer(self.engine.caller.clone())
    }

    /// `tasks/get`.
    pub(crate) fn get_task_of_bearer(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        let task = self.tasks.find(&self.bearer(), id)?;
        let payload = task.look(payload);
        task.mark_read();
        Ok(GetTaskResult::new(DetailedTask::new(fields(&task), payload)))
    }

    /// `tasks/update`.
    pub(crate) fn update_task_of_bearer(
        &self,
        id: &str,
        replies: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<(), ErrorData> {
        let replies = replies.into_iter().map(|(key, reply)| (key, Ok(reply)));
        self.tasks.find(&self.bearer(), id)?.reply(replies);
        Ok(())
    }

    /// `tasks/cancel`.
    pub(crate) fn cancel_task_of_bearer(&self, id: &str) -> Result<(), ErrorData> {
        // One that is over stays as it is, and the answer is the same (SEP-2663).
        self.tasks.find(&self.bearer(), id)?.cancel();
        Ok(())
    }
}

/// Waits for work whose client waits too.
async fn attended(
    task: &Task,
    work: &mut Work,
    cancelled: &CancellationToken,
) -> Result<CallToolResponse, ErrorData> {
    tokio::select! {
        ended = &mut *work => return ended,
        () = cancelled.cancelled() => task.stop().cancel(),
    }
    work.await
}

fn fields(task: &Task) -> TaskFields {
    task.look(|state| {
        TaskFields::new(&*task.id, status(state), super::time(task.created), super::time(state.updated))
            .with_status_message(&*state.message)
            .with_ttl_ms(milliseconds(task.ttl))
            .with_poll_interval_ms(milliseconds(POLL_INTERVAL))
    })
}

fn status(state: &TaskState) -> TaskStatus {
    match state.end {
        Some(End::Answered(_)) => TaskStatus::Completed,
        Some(End::Failed(_)) => TaskStatus::Failed,
        Some(End::Cancelled) => TaskStatus::Cancelled,
        None if state.is_asking() => TaskStatus::InputRequired,
        None => TaskStatus::Working,
    }
}

fn payload(state: &TaskState) -> TaskPayload {
    match &state.end {
        Some(End::Answered(result)) => TaskPayload::Completed { result: object(result.as_ref()) },
        Some(End::Failed(error)) => TaskPayload::Failed { error: object(error) },
        Some(End::Cancelled) => TaskPayload::Cancelled,
        None if state.is_asking() => TaskPayload::InputRequired { input_requests: state.questions() },
        None => TaskPayload::Working,
    }
}

/// An answer or an error as JSON, which both are: an object.
fn object(of: &impl Serialize) -> JsonObject {
    match serde_json::to_value(of) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => JsonObject::new(),
    }
}
