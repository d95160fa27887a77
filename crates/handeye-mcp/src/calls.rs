//! `tools/call`: from its parameters through the gate to its answer.

use crate::ask::{Asked, Asking, Ended};
use crate::reader::CLIENT;
use crate::requester::Requester;
use crate::tasks::extension::{self, Plan};
use crate::tasks::{self, Task};
use crate::{Server, answer, log_notifications, progress, requester};
use handeye_call::call::Call;
use handeye_call::client_log::Log;
use handeye_call::progress::Progress;
use handeye_call::reader::Reader;
use handeye_core::{Error, ErrorCode, screen_text};
use handeye_engine::AnyOperation;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode as RpcCode, InputResponses, JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

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

impl ToolCall {
    /// What a client sent, in a shape that the SDK could not read.
    ///
    /// # Errors
    /// Invalid parameters. A wrong `arguments` is not one of them: the tool explains that.
    pub(crate) fn read(params: &Value) -> Result<Self, ErrorData> {
        let name = params.get("name").and_then(Value::as_str).ok_or_else(|| {
            ErrorData::invalid_params("tools/call needs 'name', the name of a tool, as a string", None)
        })?;
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
            None | Some(Value::Null) => Value::Object(JsonObject::new()),
            Some(arguments) => arguments.clone(),
        };
        Ok(Self { name: name.to_owned(), arguments, responses, state })
    }
}

/// What a client receives while its call is under way.
pub(crate) struct Reporting {
    progress: Progress,
    log: Log,
    /// The task that the call is, or may become.
    task: Option<Arc<Task>>,
}

impl Reporting {
    /// As `progress` and `log` have it.
    pub(crate) fn new(progress: Progress, log: Log) -> Self {
        Self { progress, log, task: None }
    }

    /// Reports to the task too.
    #[must_use]
    pub(crate) fn about(self, task: &Arc<Task>) -> Self {
        let Self { progress, log, task: _ } = self;
        let reporting_task = Arc::clone(task);
        let progress = Progress::to(move |step| {
            reporting_task.report(&step.message);
            progress.pass(step);
        });
        Self { progress, log, task: Some(Arc::clone(task)) }
    }
}

impl Server {
    /// Answers `tools/call`: with the tool's answer, with questions, or with a task.
    pub(crate) async fn call(
        &self,
        called: ToolCall,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let operation = self.operation(&called.name)?;
        let (log, messenger) = log_notifications::of(&context, &self.session)?;
        let (progress, reporter) = progress::of(&context);
        let reporting = Reporting::new(progress, log);
        let answered = if operation.meta().task && extension::is_offered_to(&Requester::of(&context)) {
            let plan = Plan {
                ttl: tasks::time_to_live(None, self.allowance(operation, &called.arguments)),
                grace: extension::GRACE,
                message: tasks::beginning(operation.meta()),
            };
            let cancelled = context.ct.clone();
            // A task outlives its request, and must not hold its session.
            let server = self.for_session();
            self.work_or_task(plan, &cancelled, |task| {
                context.ct = task.stop().clone();
                let reporting = reporting.about(task);
                Box::pin(async move { server.answer(called, context, reporting).await })
            })
            .await
        } else {
            self.answer(called, context, reporting).await
        };
        if let Some(reporter) = reporter {
            reporter.finish().await;
        }
        if let Some(messenger) = messenger {
            messenger.finish().await;
        }
        answered
    }

    /// Works on a call until it is answered. How long to wait for it is up to the caller: it ends with `context.ct`.
    pub(crate) async fn answer(
        &self,
        called: ToolCall,
        context: RequestContext<RoleServer>,
        reporting: Reporting,
    ) -> Result<CallToolResponse, ErrorData> {
        let operation = self.operation(&called.name)?;
        let asked = Asked {
            method: "tools/call",
            name: &called.name,
            arguments: &called.arguments,
            responses: called.responses.as_ref(),
            state: called.state.as_deref(),
        };
        let task = reporting.task.as_ref();
        let asking = Asking::of(&self.seals, &context, asked, self.engine.patience, task)?;
        let (gate, engine, arguments) =
            (Arc::clone(&self.gate), Arc::clone(&self.engine), called.arguments.clone());
        let stopped = context.ct.clone();
        let mut asking = asking.watched_by(move |waits| {
            gate.asks(&engine, operation, &arguments, Call::new(CLIENT, stopped.clone()), waits)
        });
        let client = asking.client();
        let scopes = requester::scopes(&self.engine.caller, &context);
        let profile = self.profile(&context);
        let reader = Reader { budget: profile.budget(), ..CLIENT };
        let ended = loop {
            let ended = asking
                .run(async |remaining| {
                    let input = operation.parse_json(called.arguments.clone())?;
                    let call = Call {
                        progress: reporting.progress.clone(),
                        log: reporting.log.clone(),
                        client: Arc::clone(&client),
                        offered: self.toolbox().offered(),
                        scopes,
                        subscriptions: self.hub.subscriptions(),
                        ..Call::new(reader, context.ct.clone()).within(remaining)
                    };
                    self.gate.call(&self.engine, operation, input, call).await
                })
                .await;
            match (ended, reporting.task.as_ref().filter(|task| task.is_kept())) {
                (Ended::Asking(questions), Some(task)) => asking.take(&task.ask_all(&questions).await?),
                (ended, _) => break ended,
            }
        };
        let dialect = operation.meta().dialect;
        Ok(match ended {
            Ended::With(Ok(mut answer)) => {
                answer.failure = answer.failure.map(|error| self.toolbox().advisable(error));
                answer::success(answer, dialect, profile.form).into()
            }
            Ended::With(Err(error)) => {
                answer::failure(&self.toolbox().advisable(error), dialect, profile.form).into()
            }
            Ended::Asking(questions) => (*questions).into(),
        })
    }

    /// How long a call may take.
    pub(crate) fn allowance(&self, operation: &dyn AnyOperation, arguments: &Value) -> Duration {
        let waiting = operation.parse_json(arguments.clone()).map_or(Duration::ZERO, |input| input.waiting);
        operation.deadline(&self.engine).saturating_add(waiting)
    }

    /// Answers a `tools/call` that the SDK could not read.
    pub(crate) async fn call_misshapen(
        &self,
        params: &Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = ToolCall::read(params)?;
        if called.arguments.is_object() {
            return self.call(called, context).await;
        }
        let dialect = self.operation(&called.name)?.meta().dialect;
        let error = Error::new(
            ErrorCode::InvalidParameter,
            format!("'arguments' of {} must be an object", called.name),
        )
        .with_next("Pass the parameters by name, as the tool's inputSchema lists them.");
        Ok(answer::failure(&error, dialect, self.profile(&context).form).into())
    }

    /// The operation behind a tool that is on, or an error that says by what it is off or which tools were probably meant.
    pub(crate) fn operation(&self, name: &str) -> Result<&'static dyn AnyOperation, ErrorData> {
        self.toolbox().operation(name).map_err(|why| ErrorData::invalid_params(why, None))
    }
}

/// The error of a method that there is not.
pub(crate) fn unknown_method(method: &str) -> ErrorData {
    let shown = screen_text::line(method, 80);
    ErrorData::new(RpcCode::METHOD_NOT_FOUND, format!("method '{shown}' is not known"), None)
}
