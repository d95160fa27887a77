//! The gate: what every call passes on its way in and on its way out, written once.
//!
//! Policy, deadline, cancellation and audit on the way in, the budget on the way out. An operation knows none of them.

use crate::fitting;
use crate::limits::{Counted, Limiter, Limits};
use crate::recorded;
use crate::redacting::Redacting;
use crate::reporting::{self, Ended};
use crate::scopes;
use crate::sight::{self, Sight};
use crate::tally::Tally;
use async_trait::async_trait;
use futures_util::FutureExt;
use handeye_act::NotDone;
use handeye_call::audited::Audited;
use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_call::outcome::Answer;
use handeye_call::running::Running;
use handeye_call::trail::Facts;
use handeye_core::{Error, ErrorCode, Invocation, Result, Text, screen_text, text};
use handeye_engine::{AnyOperation, Engine, InnerCalls, InnerTool, Meta, ParsedInput, Runnable};
use handeye_ops::registry;
use serde_json::Value;
use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// What a policy decides about.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The operation, or the one that equals what is read.
    pub meta: &'static Meta,
    /// The application that the call names.
    pub application: Option<&'a str>,
    /// Who asks.
    pub caller: &'a Caller,
    /// What surrounds it: until when, for which reader.
    pub call: &'a Call,
}

/// Decides which calls are allowed, and what may be looked at. What an application shows on the screen is not an input to it.
pub trait Policy: Send + Sync {
    /// Lets the call pass or answers with [`ErrorCode::Blocked`], the rule that forbids it and who can change that.
    fn check(&self, request: &Request<'_>) -> Result<()>;

    /// Takes over a tighter mode, if one was asked for since.
    fn take_over_mode(&self) {}

    /// Which applications a caller may look at; `None` for all of them, which costs nothing.
    fn sight(&self) -> Option<Arc<dyn Sight>> {
        None
    }
}

/// Allows everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn check(&self, _request: &Request<'_>) -> Result<()> {
        Ok(())
    }
}

/// How long an operation that calls others may take to end by itself after it was cancelled.
const WINDING_DOWN: Duration = Duration::from_secs(2);

/// Who makes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// A caller.
    Caller,
    /// An operation that a caller called.
    Operation,
}

/// The gate. One serves all calls of a process; its clones are one.
#[derive(Clone)]
pub struct Gate {
    policy: Arc<dyn Policy>,
    limiter: Option<Arc<Limiter>>,
    tally: Option<Arc<dyn Tally>>,
    running: TaskTracker,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new(AllowAll)
    }
}

impl Gate {
    /// A gate with this policy.
    pub fn new(policy: impl Policy + 'static) -> Self {
        Self { policy: Arc::new(policy), limiter: None, tally: None, running: TaskTracker::new() }
    }

    /// The same gate, at which each caller may ask for no more than this.
    #[must_use]
    pub fn limited(self, limits: Limits) -> Self {
        Self { limiter: Some(Arc::new(Limiter::new(limits))), ..self }
    }

    /// The same gate, whose calls are counted.
    #[must_use]
    pub fn tallied(self, tally: Arc<dyn Tally>) -> Self {
        Self { tally: Some(tally), ..self }
    }

    /// The engine as its caller may see the desktop, for what is read outside of a call: watches, suggestions. Calls have it from the gate.
    pub fn overseen<'a>(&self, engine: &'a Engine) -> Cow<'a, Engine> {
        let Some(sight) = self.policy.sight() else { return Cow::Borrowed(engine) };
        let mut overseen = engine.clone();
        overseen.desk.platform = sight::restricted(&engine.desk.platform, sight, &engine.caller);
        Cow::Owned(overseen)
    }

    /// Asks the policy about an operation on an application, or about what equals it without being a call: a completion, a subscription, a
    /// line in a list.
    ///
    /// # Errors
    /// That of the policy, or [`ErrorCode::Blocked`] for a scope that the caller lacks.
    pub fn check(
        &self,
        engine: &Engine,
        meta: &'static Meta,
        application: Option<&str>,
        call: &Call,
    ) -> Result<()> {
        scopes::require(meta, false, call.scopes)?;
        self.policy.check(&Request { meta, application, caller: &engine.caller, call })
    }

    /// Takes over a tighter mode, if one was asked for since. Each call does that too.
    pub fn take_over_mode(&self) {
        self.policy.take_over_mode();
    }

    /// Counts as a call that is running, as long as it is there.
    pub(crate) fn token(&self) -> TaskTrackerToken {
        self.running.token()
    }

    /// Waits until no call is running, however the last one ends. Has no deadline of its own.
    pub async fn idle(&self) {
        self.running.close();
        self.running.wait().await;
    }

    /// The result, with the rule in the place of "there is no such application" where the one that was named is hidden by a rule.
    async fn explained(
        &self,
        engine: &Engine,
        application: Option<&str>,
        result: Result<Answer>,
    ) -> Result<Answer> {
        match (result, application, self.policy.sight()) {
            (Err(error), Some(name), Some(sight)) if error.code == ErrorCode::AppNotFound => {
                Err(sight::why_not_found(engine, sight.as_ref(), name).await.unwrap_or(error))
            }
            (result, _, _) => result,
        }
    }

    /// Counts a call; what was counted lasts as long as what is returned.
    async fn counted(&self, engine: &Engine, tool: &str, call: &Call, by: By) -> Result<Option<Counted>> {
        let Some(limiter) = &self.limiter else { return Ok(None) };
        match by {
            By::Caller => limiter.admit(engine, tool).map(Some),
            By::Operation => limiter.admit_inner(engine, tool, call).await.map(Some),
        }
    }

    /// Runs an operation that a caller asks for: counts it, checks the policy, ends it at its deadline or when the client gives up, takes
    /// what is secret out of its answer, keeps that within the budget and writes one audit line.
    pub async fn call(
        &self,
        engine: &Engine,
        operation: &dyn Runnable,
        input: ParsedInput,
        call: Call,
    ) -> Result<Answer> {
        self.run(engine, operation, input, call, By::Caller).await
    }

    async fn run(
        &self,
        engine: &Engine,
        operation: &dyn Runnable,
        input: ParsedInput,
        mut call: Call,
        by: By,
    ) -> Result<Answer> {
        let _running = self.running.token();
        let counted = self.counted(engine, operation.meta().tool, &call, by).await;
        let mut overseen = self.overseen(engine);
        if let Some(limiter) = self.limiter.as_ref().filter(|_| by == By::Caller) {
            limiter.meter(overseen.to_mut(), &mut call);
        }
        if operation.meta().composes {
            // Its questions are counted once.
            let metered = Engine { vision: Arc::clone(&overseen.vision), ..engine.clone() };
            let inner = Within { gate: self.clone(), engine: metered };
            overseen.to_mut().inner = Some(Arc::new(inner));
        }
        let engine = overseen.as_ref();
        let started = Instant::now();
        let meta = operation.meta();
        let allowance = operation.deadline(engine).saturating_add(input.waiting);
        call.deadline = call.deadline.min(started + allowance);
        call.tool = meta.tool;
        call.audited = Arc::new(Audited {
            session_id: engine.caller.to_string(),
            args: recorded::arguments(&input.arguments()),
        });
        let redacting = Redacting::of(engine, &mut call, by == By::Operation);
        let (application, waiting) = (input.application.clone(), input.waiting);
        let allowed = match &input.judged_as {
            Some(equal) => self.check(engine, equal.meta, equal.application.as_deref(), &call),
            None => scopes::require(meta, input.names_files, call.scopes)
                .and_then(|()| self.check(engine, meta, application.as_deref(), &call)),
        };
        let warm = application.as_deref().is_some_and(|name| engine.desk.own.connection(name).is_some());
        reporting::begins(meta, application.as_deref(), warm, &call);
        let running: Arc<Running> = Arc::default();
        let result = match allowed.and(counted) {
            Ok(_place) => run(engine, operation, input, &call, (started, &running)).await,
            Err(blocked) => {
                engine.desk.not_granted(&call, NotDone::call(), &blocked).await;
                Err(blocked)
            }
        };
        let result = self.explained(engine, application.as_deref(), result).await;
        let result = redacting.result(result).map(|answer| fitting::fit(answer, meta, call.reader.budget));
        if matches!(&result, Err(error) if error.code == ErrorCode::Blocked) {
            engine.desk.guard.trust().note_blocked();
        }
        let facts = call.trail.facts();
        let (outcome, effect) = outcome(&result);
        let ended = Ended {
            meta,
            application: application.as_deref(),
            warm,
            facts: &facts,
            result: &result,
            outcome,
            effect,
            took: started.elapsed(),
            waiting,
            running: &running,
        };
        if let Some(tally) = &self.tally {
            tally.ended(meta.tool, outcome, ended.took);
        }
        audit(&ended, &engine.caller, &call);
        ended.report(&call);
        with_facts(result, facts, &redacting)
    }
}

/// An answer with the sentences that belong to it, an error with those about what the user noticed.
fn with_facts(result: Result<Answer>, facts: Facts, redacting: &Redacting<'_>) -> Result<Answer> {
    let disturbances = redacting.notes(facts.disturbances);
    match result {
        Ok(mut answer) => {
            answer.notes.extend(redacting.notes(facts.notes));
            answer.notes.extend(disturbances);
            Ok(answer)
        }
        Err(error) => Err(error.with_sentences(&disturbances)),
    }
}

async fn run(
    engine: &Engine,
    operation: &dyn Runnable,
    input: ParsedInput,
    call: &Call,
    (started, running): (Instant, &Arc<Running>),
) -> Result<Answer> {
    let meta = operation.meta();
    let (application, waiting) = (input.application.clone(), input.waiting);
    // A fault in one operation must not take the server down with it.
    let work = AssertUnwindSafe(running.scope(operation.run(engine, call, input))).catch_unwind();
    let work = work
        .map(|ended| ended.unwrap_or_else(|_panic| Err(Error::internal(format!("{} panicked", meta.tool)))));
    tokio::pin!(work);
    tokio::select! {
        biased;
        () = call.cancelled.cancelled() => {}
        never = reporting::steps(call, running, started, waiting) => match never {},
        ended = &mut work => return ended,
        () = call.over() => return Err(timed_out(meta, application.as_deref(), call, started)),
    }
    if meta.composes {
        // Its own calls are cancelled too.
        timeout(WINDING_DOWN, work).await.unwrap_or_else(|_elapsed| Err(cancelled(meta, call)))
    } else {
        Err(cancelled(meta, call))
    }
}

/// The calls of an operation that calls others, by the same gate and as the same caller.
struct Within {
    gate: Gate,
    engine: Engine,
}

impl Within {
    fn operation(tool: &str) -> Result<&'static dyn AnyOperation> {
        registry::by_tool(tool).ok_or_else(|| Error::internal("a call of a tool that does not exist"))
    }
}

#[async_trait]
impl InnerCalls for Within {
    fn tool(&self, name: &str) -> Option<InnerTool> {
        let operation = registry::by_tool(name)?;
        let meta = operation.meta();
        Some(InnerTool {
            tool: meta.tool,
            toolset: meta.toolset,
            read_only: meta.read_only,
            idempotent: meta.idempotent,
            composes: meta.composes,
            application: meta.application,
            elements: meta.elements,
            parameters: operation.input_schema(),
        })
    }

    fn names(&self) -> Vec<&'static str> {
        registry::all().iter().map(|operation| operation.meta().tool).collect()
    }

    fn check(&self, tool: &str, arguments: Value) -> Result<()> {
        Self::operation(tool)?.parse_json(arguments).map(drop)
    }

    async fn call(&self, tool: &str, arguments: Value, call: Call) -> Result<Answer> {
        let operation = Self::operation(tool)?;
        self.gate.run(&self.engine, operation, operation.parse_json(arguments)?, call, By::Operation).await
    }
}

/// What runs, as the reader of the call's error knows it.
fn spelled(meta: &Meta, call: &Call) -> String {
    (call.reader.spell)(&Invocation::of(meta.tool))
}

fn cancelled(meta: &Meta, call: &Call) -> Error {
    let what = spelled(meta, call);
    let error = Error::new(ErrorCode::Cancelled, format!("{what} was cancelled by the client"));
    if meta.read_only {
        error
    } else {
        error.with_next("It may have taken effect already: look before you repeat it.")
    }
}

fn timed_out(meta: &Meta, application: Option<&str>, call: &Call, started: Instant) -> Error {
    let allowed = call.deadline + call.grace.granted() - started;
    let whom = application.map(|name| format!(" on '{name}'")).unwrap_or_default();
    let message = format!("{}{whom} did not end within {} ms", spelled(meta, call), allowed.as_millis());
    let next = if meta.read_only {
        text![
            "The application may be busy or stopped: ",
            Invocation::of("ax_wait_idle"),
            " reports it, ",
            Invocation::of("ax_screenshot"),
            " shows it."
        ]
    } else {
        let look = vec![Invocation::of("ax_screenshot"), Invocation::of("ax_get_tree")];
        text!["It may have taken effect anyway: look with ", Text::either(look), " before you repeat it."]
    };
    Error::new(ErrorCode::Timeout, message).with_next(next)
}

/// How a call ended and what became of its action, each in a word.
fn outcome(result: &Result<Answer>) -> (&'static str, &str) {
    match result {
        Ok(answer) => {
            ("ok", answer.fields.pointer("/effect/status").and_then(|status| status.as_str()).unwrap_or(""))
        }
        Err(error) => (error.code.as_str(), if error.code == ErrorCode::Refused { "refused" } else { "" }),
    }
}

/// Writes who did what to whom and how it ended: never a value, never typed text.
fn audit(ended: &Ended<'_>, caller: &Caller, call: &Call) {
    let Ended { meta, facts, outcome, effect, .. } = *ended;
    tracing::info!(
        target: "handeye::audit",
        tool = meta.tool,
        app = screen_text::name(ended.application.unwrap_or("")),
        face = call.reader.face,
        %caller,
        effect,
        outcome,
        confirmed = facts.confirmed,
        security_flags = (!facts.flags.is_empty()).then(|| facts.flags.join(",")),
        duration_ms = u64::try_from(ended.took.as_millis()).unwrap_or(u64::MAX),
    );
    if let Err(error) = ended.result {
        // Its message may repeat what was asked and what an application shows: neither belongs in a log.
        tracing::debug!(
            tool = meta.tool,
            code = error.code.as_str(),
            meaning = error.code.meaning(),
            "the call failed"
        );
    }
}
