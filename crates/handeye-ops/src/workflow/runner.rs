//! Runs the steps of a workflow, one after the other.

use super::{arguments, healing, rollback, waiting};
use crate::take_back::Attempt;
use handeye_call::call::Call;
use handeye_call::client::Prefixed;
use handeye_call::outcome::{Answer, Verdict};
use handeye_call::progress::Progress as Listener;
use handeye_call::reader::Reader;
use handeye_call::trail::Trail;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::{Engine, InnerCalls, InnerTool};
use handeye_flow::definition::{Flow, OnFail, Step};
use handeye_flow::{Progress, StepReport};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The beginning of the keys of all questions of a workflow; its number follows.
const KEY: &str = "workflow ";
/// Most questions of one workflow: a call has no more rounds.
const MAX_QUESTIONS: u32 = 10;
/// Time between two attempts of a step.
const PAUSE: Duration = Duration::from_millis(250);
/// How long the element of a step of a recording may take to come: a person has waited for it, and how long is not in the recording.
const COMES_WITHIN: Duration = Duration::from_secs(10);
/// How long before the end of the whole call a step has to be over, so that there is time for the account.
const RESERVE: Duration = Duration::from_millis(500);
/// The longest answer of a reading step that the account repeats, in bytes.
const MAX_RESULT: usize = 2_000;

/// How a workflow ended.
pub(super) struct Ended {
    /// How far it came.
    pub(super) progress: Progress,
    /// What was taken back, if that was to be done.
    pub(super) rollback: Option<Vec<Attempt>>,
}

/// Runs a workflow, or goes on with one whose question was answered.
///
/// # Errors
/// [`ErrorCode::InputRequired`] if a step asks a question; what was done until then is kept.
pub(super) async fn run(
    engine: &Engine,
    call: &Call,
    inner: &dyn InnerCalls,
    (flow, source): (&Flow, Option<u64>),
) -> Result<Ended> {
    let (number, mut progress) = begin(engine, call)?;
    if !progress.reports.is_empty() && progress.source != source {
        let message =
            "the file of the workflow changed while it waited for an answer; its first steps were done";
        return Err(Error::new(ErrorCode::WorkflowFailed, message)
            .with_next("Look at what was done before you run the rest of it."));
    }
    progress.source = source;
    let mut runner = Runner { engine, call, inner, flow, number, progress };
    match runner.run_steps().await {
        Err(error) if error.code == ErrorCode::InputRequired => {
            engine.memory.flows.keep(number, runner.progress);
            Err(error)
        }
        Err(error) => Err(error),
        Ok(rollback) => Ok(Ended { progress: runner.progress, rollback }),
    }
}

/// The number of the workflow, and how far it has come.
fn begin(engine: &Engine, call: &Call) -> Result<(u64, Progress)> {
    let flows = &engine.memory.flows;
    let Some(key) = call.client.begun(KEY) else { return Ok((flows.begin(), Progress::default())) };
    let number =
        key.strip_prefix(KEY).and_then(|rest| rest.split(' ').next()).and_then(|text| text.parse().ok());
    let kept = number.and_then(|number| Some((number, flows.take(number)?)));
    kept.ok_or_else(|| {
        let message = "the workflow waited for an answer and is forgotten by now; its first steps were done";
        Error::new(ErrorCode::WorkflowFailed, message)
            .with_next("Look at what was done before you run the rest of it.")
    })
}

struct Runner<'a> {
    engine: &'a Engine,
    call: &'a Call,
    inner: &'a dyn InnerCalls,
    flow: &'a Flow,
    number: u64,
    progress: Progress,
}

impl Runner<'_> {
    async fn run_steps(&mut self) -> Result<Option<Vec<Attempt>>> {
        while self.progress.failed.is_none() {
            let Some(step) = self.flow.steps.get(self.progress.reports.len()) else { return Ok(None) };
            self.step(step).await?;
        }
        let failed = self.flow.steps.get(self.progress.reports.len().saturating_sub(1));
        let was_cancelled = self.call.cancelled.is_cancelled();
        if was_cancelled || failed.is_none_or(|step| step.on_fail != OnFail::Rollback) {
            return Ok(None);
        }
        let key = format!("{KEY}{} back ", self.number);
        rollback::run(self.engine, self.call, self.inner, (&self.progress, &key)).await.map(Some)
    }

    /// Carries a step out with its retries, and writes its line of the account.
    async fn step(&mut self, step: &Step) -> Result<()> {
        let index = self.progress.reports.len();
        let started = Instant::now();
        let total = u32::try_from(self.flow.steps.len()).unwrap_or(u32::MAX);
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let tool =
            self.inner.tool(&step.tool).ok_or_else(|| Error::internal("a step that was not checked"))?;
        let ended = loop {
            let again = if self.progress.attempts == 0 {
                String::new()
            } else {
                format!(" (attempt {}/{})", self.progress.attempts + 1, step.retry + 1)
            };
            self.call.progress.report(number, total, format!("Step {number}/{total}: {}{again}", step.tool));
            let ended = self.attempt(step, &tool, index).await;
            match ended {
                Err(error) if error.code == ErrorCode::InputRequired => {
                    if self.progress.questions >= MAX_QUESTIONS {
                        let message = format!("the workflow asks more than {MAX_QUESTIONS} questions");
                        break Err(Error::new(ErrorCode::Refused, message).with_next("Run it in parts."));
                    }
                    self.progress.questions += 1;
                    return Err(error);
                }
                Err(error) if self.progress.attempts < step.retry && may_repeat(&error, &tool) => {
                    self.progress.attempts += 1;
                    self.pause(PAUSE).await;
                }
                Err(error) if self.may_come(step, &error, started) => self.pause(PAUSE).await,
                ended => break ended,
            }
        };
        let ended = match ended {
            Ok(answer) => self.wait_after(step, index).await.map(|()| answer),
            Err(error) => Err(error),
        };
        self.write_down(step, &tool, ended, started);
        Ok(())
    }

    /// Whether the element of a recorded step is waited for, as it may be on its way.
    fn may_come(&self, step: &Step, error: &Error, started: Instant) -> bool {
        step.locator.is_some()
            && error.code == ErrorCode::ElementNotFound
            && started.elapsed() < COMES_WITHIN
            && self.call.remaining() > RESERVE
            && !self.call.cancelled.is_cancelled()
    }

    /// Calls the tool of a step once. An answer that says no is an error: the workflow was to go on only after a yes.
    async fn attempt(&mut self, step: &Step, tool: &InnerTool, index: usize) -> Result<Answer> {
        let args = arguments::filled(tool, &step.args, (self.flow, &self.progress))
            .map_err(|why| Error::new(ErrorCode::InvalidParameter, why))?;
        let part = format!("{index}.{}", self.progress.attempts);
        let ended = self.call_tool(tool, args.clone(), &part).await;
        let ended = match (ended, &step.locator) {
            (Err(missed), Some(print)) if healing::can_heal(&missed) => {
                let args = healing::with_element(self.engine, self.call, tool, args, print, missed).await?;
                self.call_tool(tool, args, &format!("{part}.healed")).await
            }
            (ended, _) => ended,
        };
        let answer = ended?;
        match answer.verdict {
            Verdict::No(code) => Err(Error::new(code, answer.text.to_string())),
            Verdict::Yes => Ok(answer),
        }
    }

    /// Calls a tool. An answer that is a failure is an error.
    async fn call_tool(&mut self, tool: &InnerTool, args: Value, part: &str) -> Result<Answer> {
        let trail = Trail::default();
        let call = self.inner_call(part, trail.clone());
        let ended = self.inner.call(tool.tool, args, call).await;
        self.note(&trail);
        let answer = ended?;
        answer.failure.clone().map_or(Ok(answer), Err)
    }

    /// A call of a part of the workflow.
    fn inner_call(&self, part: &str, trail: Trail) -> Call {
        let client = Prefixed::new(Arc::clone(&self.call.client), format!("{KEY}{} {part} ", self.number));
        // A later step comes back to what the answer names, also where nothing is remembered after the workflow.
        let remembered = self.call.reader.remembered || self.flow.is_used(self.progress.reports.len() + 1);
        Call {
            trail,
            client: Arc::new(client),
            reader: Reader { remembered, ..self.call.reader },
            progress: Listener::default(),
            deadline: self.call.deadline - RESERVE,
            ..self.call.clone()
        }
    }

    /// Takes over what a call did.
    fn note(&mut self, trail: &Trail) {
        let facts = trail.facts();
        facts.flags.into_iter().for_each(|flag| self.call.trail.flag(flag));
        if let Some(agreed) = facts.confirmed {
            self.call.trail.confirmed(agreed);
        }
        for number in facts.actions {
            self.call.trail.acted(number);
            self.progress.actions.push((self.progress.reports.len(), number));
        }
    }

    /// Waits after a step, for a time and for a condition.
    async fn wait_after(&self, step: &Step, index: usize) -> Result<()> {
        self.pause(Duration::from_millis(u64::from(step.wait_after_ms))).await;
        let Some(condition) = &step.wait_until else { return Ok(()) };
        let condition = arguments::filled_condition(condition, (self.flow, &self.progress))
            .map_err(|why| Error::new(ErrorCode::InvalidParameter, why))?;
        let app = step.args.get("app").and_then(Value::as_str).unwrap_or("frontmost");
        let call = self.inner_call(&format!("{index}.wait"), Trail::default());
        waiting::until(self.engine, self.inner, call, app, &condition).await
    }

    /// Waits, but not longer than the call.
    async fn pause(&self, time: Duration) {
        if time.is_zero() {
            return;
        }
        let time = time.min(self.call.remaining().saturating_sub(RESERVE));
        tokio::select! {
            () = self.call.cancelled.cancelled() => {}
            () = tokio::time::sleep(time) => {}
        }
    }

    fn write_down(&mut self, step: &Step, tool: &InnerTool, ended: Result<Answer>, started: Instant) {
        let mut report = StepReport {
            tool: step.tool.clone(),
            ok: ended.is_ok(),
            attempts: self.progress.attempts + 1,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            effect: None,
            error: None,
            result: None,
        };
        match ended {
            Ok(answer) => {
                let effect = answer.fields.pointer("/effect/status").and_then(Value::as_str);
                report.effect = effect.map(str::to_owned);
                let is_short = || answer.fields.to_string().len() <= MAX_RESULT;
                report.result = (tool.read_only && is_short()).then(|| answer.fields.clone());
                self.progress.answers.push(answer.fields);
            }
            Err(error) => {
                report.error = Some(format!("{}: {}", error.code, error.message));
                self.progress.answers.push(Value::Null);
                if step.on_fail != OnFail::Skip || ends_all(&error) {
                    self.progress.failed = Some(error);
                }
            }
        }
        self.progress.reports.push(report);
        self.progress.attempts = 0;
    }
}

/// Whether the workflow ends with this error also where the step could be skipped: a person refused, or nobody waits for it any more.
fn ends_all(error: &Error) -> bool {
    matches!(error.code, ErrorCode::Declined | ErrorCode::Cancelled)
}

/// Whether a step may be tried again after this error: not where it would fail in the same way, and not where it may have been done.
fn may_repeat(error: &Error, tool: &InnerTool) -> bool {
    match error.code {
        ErrorCode::InvalidParameter
        | ErrorCode::InvalidQuery
        | ErrorCode::TooLarge
        | ErrorCode::NotSupported
        | ErrorCode::Declined
        | ErrorCode::Blocked
        | ErrorCode::Cancelled
        | ErrorCode::Internal => false,
        ErrorCode::Timeout | ErrorCode::AppNotResponding | ErrorCode::ActionFailed => {
            tool.read_only || tool.idempotent
        }
        _ => true,
    }
}
