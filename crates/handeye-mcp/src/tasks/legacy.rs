//! Tasks in 2025-11-25 (SEP-1686): the client asks for one with `task` beside a call's parameters, polls with `tasks/get`, and waits
//! for the answer with `tasks/result`.
//!
//! The SDK's types have no place for any of it: what they would drop is renamed before they see it ([`incoming`]), so that it
//! arrives as a request of a method that they do not know, and is added to what leaves ([`outgoing`]). Only sessions that
//! negotiated that revision get it; the others are answered as if nothing had been renamed.

use super::courier::{RELATED, bring_questions};
use super::task::{End, Task, TaskState, Work};
use super::{POLL_INTERVAL, beginning, milliseconds, time, time_to_live};
use crate::calls::{self, Reporting, ToolCall};
use crate::requester::Requester;
use crate::{Server, answer, log_notifications, progress};
use handeye_core::{Error, ErrorCode};
use handeye_engine::Dialect;
use rmcp::model::{
    CustomNotification, CustomResult, ErrorCode as RpcCode, JsonRpcMessage, MetaObject,
    PaginatedRequestParams, ProtocolVersion, ServerJsonRpcMessage, ServerNotification, ServerResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// The prefix of a method's name that hides the method from the SDK.
const RENAMED: &str = "handeye/2025-11-25/";

/// Marks a request of 2026-07-28 or later, where all of this means something else.
const MODERN: &str = "io.modelcontextprotocol/protocolVersion";

/// Gives a client a text for its model while the task goes on.
const IMMEDIATE: &str = "io.modelcontextprotocol/model-immediate-response";

/// The status message of a task that asks something.
const ASKING: &str = "Waits for an answer: the question is sent to the client that calls tasks/result";

/// Most tasks of a page of `tasks/list`.
const PAGE: usize = 25;

/// How long a client may take to take a notification of a task.
const NOTIFIED: Duration = Duration::from_secs(10);

/// Renames in a message of a client what the SDK would misread. `false`: it is as it was.
pub(crate) fn incoming(message: &mut Value) -> bool {
    let params = message.get("params");
    if message.get("id").is_none() || params.and_then(|params| params.get("_meta")?.get(MODERN)).is_some() {
        return false;
    }
    let wanted = match message.get("method").and_then(Value::as_str) {
        Some("tools/list" | "tasks/get" | "tasks/cancel") => true,
        Some("tools/call") => {
            params.and_then(|params| params.get("task")).is_some_and(|task| !task.is_null())
        }
        _ => false,
    };
    if wanted && let Some(Value::String(method)) = message.get_mut("method") {
        method.insert_str(0, RENAMED);
    }
    wanted
}

/// Adds to the answer to `initialize` what the SDK has no place for. `false`: it is as it was.
fn outgoing(answer: &mut Value) -> bool {
    let Some(result) = answer.get_mut("result") else { return false };
    if result.get("protocolVersion").and_then(Value::as_str) != Some(ProtocolVersion::V_2025_11_25.as_str()) {
        return false;
    }
    let Some(Value::Object(capabilities)) = result.get_mut("capabilities") else { return false };
    let tasks = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
    capabilities.insert("tasks".into(), tasks);
    true
}

/// The answer to `initialize`, as [`outgoing`] has it.
pub(crate) fn initialized(mut message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    if let JsonRpcMessage::Response(response) = &mut message
        && matches!(response.result, ServerResult::InitializeResult(_))
        && let Ok(result) = serde_json::to_value(&response.result)
    {
        let mut answer = json!({ "result": result });
        if outgoing(&mut answer) {
            response.result = ServerResult::CustomResult(CustomResult::new(answer["result"].take()));
        }
    }
    message
}

/// The method of a request of a client before 2026-07-28 that this module answers.
pub(crate) fn method(method: &str) -> Option<&str> {
    method.strip_prefix(RENAMED).or_else(|| matches!(method, "tasks/list" | "tasks/result").then_some(method))
}

impl Server {
    /// Answers a request of this module's.
    pub(crate) async fn answer_legacy(
        &self,
        method: &str,
        params: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let requester = Requester::of(&context);
        let has_tasks = requester.version == ProtocolVersion::V_2025_11_25;
        match method {
            "tools/list" if !requester.is_stateless() => {
                self.list_tools_legacy(params, has_tasks, context).await
            }
            "tools/call" if has_tasks => self.begin_task(&params, context),
            "tools/call" if !requester.is_stateless() => {
                self.call_misshapen(&params, context).await.and_then(|answer| value(answer.into()))
            }
            "tasks/get" if has_tasks => Ok(Value::Object(shape(&*self.named(&params)?))),
            "tasks/cancel" if has_tasks => {
                let task = self.named(&params)?;
                if task.cancel() { Ok(Value::Object(shape(&task))) } else { Err(super::already_over(&task)) }
            }
            "tasks/list" if has_tasks => self.list_tasks(&params),
            "tasks/result" if has_tasks => self.result_of(&params, &context).await,
            _ => Err(calls::unknown_method(method)),
        }
    }

    async fn list_tools_legacy(
        &self,
        params: Value,
        has_tasks: bool,
        context: RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let params: Option<PaginatedRequestParams> = serde_json::from_value(params)
            .map_err(|_| ErrorData::invalid_params("'cursor' must be a string", None))?;
        let listed = self.list_tools(params, context).await?;
        let mut listed = value(ServerResult::ListToolsResult(listed))?;
        let tools = listed.get_mut("tools").and_then(Value::as_array_mut);
        for tool in tools.filter(|_| has_tasks).into_iter().flatten() {
            let name = tool.get("name").and_then(Value::as_str);
            if name.and_then(|name| self.operation(name).ok()).is_some_and(|operation| operation.meta().task)
            {
                tool["execution"] = json!({ "taskSupport": "optional" });
            }
        }
        Ok(listed)
    }

    /// `tools/call` with `task`.
    fn begin_task(
        &self,
        params: &Value,
        mut context: RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let asked = match params.pointer("/task/ttl") {
            None | Some(Value::Null) => None,
            Some(ttl) => Some(Duration::from_millis(ttl.as_u64().ok_or_else(|| {
                ErrorData::invalid_params("'task.ttl' must be a number of milliseconds", None)
            })?)),
        };
        let called = ToolCall::read(params)?;
        let operation = self.operation(&called.name)?;
        let meta = operation.meta();
        if !meta.task {
            let message = format!("{} does not run as a task: call it without 'task'", meta.tool);
            return Err(ErrorData::new(RpcCode::METHOD_NOT_FOUND, message, None));
        }
        let ttl = time_to_live(asked, self.allowance(operation, &called.arguments));
        let task = Task::new(self.session.owner(), ttl, &beginning(meta));
        let (progress, reporter) = progress::of_task(&context, related(&task));
        let (log, messenger) = log_notifications::of_task(&context, &self.session, related(&task))?;
        let reporting = Reporting::new(progress, log).about(&task);
        let peer = context.peer.clone();
        context.ct = task.stop().clone();
        // The session may end while this goes on; it is not held by its own tasks.
        let server = self.for_session();
        let work: Work = Box::pin(async move {
            let ended = server.answer(called, context, reporting).await;
            if let Some(reporter) = reporter {
                reporter.finish().await;
            }
            if let Some(messenger) = messenger {
                messenger.finish().await;
            }
            ended
        });
        let (begun, news) = (shape(&task), task.watch());
        self.tasks.keep(&task, work).map_err(|_work| super::Tasks::too_many())?;
        tokio::spawn(announce(Arc::clone(&task), news, peer));
        let notice = format!(
            "{} runs in the background as task {}. Go on with something else, or ask for its result.",
            meta.tool, task.id
        );
        Ok(json!({ "task": begun, "_meta": { IMMEDIATE: notice } }))
    }

    fn list_tasks(&self, params: &Value) -> Result<Value, ErrorData> {
        let after = match params.get("cursor") {
            None | Some(Value::Null) => 0,
            Some(cursor) => {
                let known = cursor.as_str().and_then(number).filter(|number| *number <= self.tasks.begun());
                known.ok_or_else(|| {
                    ErrorData::invalid_params("'cursor' was not returned by tasks/list", None)
                })?
            }
        };
        let page = self.tasks.page(&self.session.owner(), after, PAGE);
        let mut listed = json!({ "tasks": page.tasks.iter().map(|task| shape(task)).collect::<Vec<_>>() });
        if let Some(more) = page.more_after {
            listed["nextCursor"] = cursor(more).into();
        }
        Ok(listed)
    }

    /// `tasks/result`: waits for the end of a task.
    async fn result_of(
        &self,
        params: &Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let task = self.named(params)?;
        // A task ends when its time is over at the latest, so this wait has an end.
        let end = context.ct.run_until_cancelled(task.end());
        let Some(end) = bring_questions(&task, &context.peer, end).await else {
            return Err(ErrorData::internal_error("the client gave up", None));
        };
        task.mark_read();
        let result = match end {
            End::Answered(result) => result.as_ref().clone(),
            End::Failed(error) => return Err(error),
            End::Cancelled => {
                let error = Error::new(ErrorCode::Cancelled, "the task was cancelled by the client");
                answer::failure(&error, Dialect::Handeye, self.profile(context).form)
            }
        };
        let mut result = value(ServerResult::CallToolResult(result))?;
        if !result["_meta"].is_object() {
            result["_meta"] = json!({});
        }
        result["_meta"][RELATED] = json!({ "taskId": task.id });
        Ok(result)
    }

    /// The task that the parameters name, if it is of this session.
    fn named(&self, params: &Value) -> Result<Arc<Task>, ErrorData> {
        let id = params.get("taskId").and_then(Value::as_str);
        let id = id.ok_or_else(|| ErrorData::invalid_params("'taskId' is missing, or not a string", None))?;
        self.tasks.find(&self.session.owner(), id)
    }
}

/// A result as this revision has it.
fn value(mut result: ServerResult) -> Result<Value, ErrorData> {
    result.strip_result_type_for_legacy_peer();
    serde_json::to_value(result).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A task as this revision has it.
fn shape(task: &Task) -> Map<String, Value> {
    let fields = task.look(|state| {
        json!({
            "taskId": task.id,
            "status": status(state),
            "statusMessage": if state.is_asking() { ASKING } else { &state.message },
            "createdAt": time(task.created),
            "lastUpdatedAt": time(state.updated),
            "ttl": milliseconds(task.ttl),
            "pollInterval": milliseconds(POLL_INTERVAL),
        })
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn status(state: &TaskState) -> &'static str {
    match &state.end {
        None if state.is_asking() => "input_required",
        None => "working",
        // An answer that says that the tool failed is a failure of the task in this revision.
        Some(End::Answered(result)) if result.is_error == Some(true) => "failed",
        Some(End::Answered(_)) => "completed",
        Some(End::Failed(_)) => "failed",
        Some(End::Cancelled) => "cancelled",
    }
}

/// What a notification says of the task that it belongs to.
fn related(task: &Task) -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert(RELATED.into(), json!({ "taskId": task.id }));
    meta
}

/// Notifies the client of each change of a task; of the newest one only if it reads slowly.
async fn announce(task: Arc<Task>, mut news: watch::Receiver<TaskState>, client: Peer<RoleServer>) {
    while let Some(Ok(())) = task.forgotten().run_until_cancelled(news.changed()).await {
        let over = news.borrow_and_update().end.is_some();
        let status = CustomNotification::new("notifications/tasks/status", Some(Value::Object(shape(&task))));
        let sent = client.send_notification(ServerNotification::CustomNotification(status));
        match timeout(NOTIFIED, sent).await {
            Ok(Ok(())) if !over => {}
            Ok(Ok(())) => return,
            Ok(Err(fault)) => {
                return tracing::debug!(%fault, "the client accepts no notifications about its task");
            }
            Err(_elapsed) => {
                return tracing::debug!("the client does not read the notifications about its task");
            }
        }
    }
}

/// Where the next page of tasks begins: after this one.
fn cursor(number: u64) -> String {
    format!("after-{number}")
}

fn number(cursor: &str) -> Option<u64> {
    cursor.strip_prefix("after-")?.parse().ok()
}
