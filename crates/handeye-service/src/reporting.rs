//! What the gate reports to the client of a call: while it runs, what it does; when it has ended, how.

use handeye_call::call::Call;
use handeye_call::client_log::Level;
use handeye_call::outcome::Answer;
use handeye_call::running::Running;
use handeye_call::trail::Facts;
use handeye_core::{ErrorCode, Result, screen_text};
use handeye_engine::Meta;
use serde_json::{Map, Value};
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a call runs before it reports to its client what it does: most have ended by then.
const FIRST_STEP: Duration = Duration::from_millis(500);

/// Time between two steps.
const NEXT_STEP: Duration = Duration::from_secs(1);

/// A call that takes longer, without having been asked to wait, is slow (section 8.1).
const SLOW: Duration = Duration::from_millis(100);

/// Longest name of an application in a record, in characters: it is the client's own word.
const MAX_NAME: usize = 100;

/// Reports again and again what a call does that has begun at `started` and waits for `waiting` because it was asked to. Never ends.
/// An operation that counts its own parts is not interrupted.
pub(crate) async fn steps(call: &Call, running: &Running, started: Instant, waiting: Duration) -> Infallible {
    if !call.progress.has_listener() {
        return std::future::pending().await;
    }
    sleep(FIRST_STEP).await;
    loop {
        if !call.progress.is_counted() {
            let elapsed = started.elapsed().as_secs_f64();
            call.progress.note(if waiting.is_zero() {
                let doing = running.doing().unwrap_or_else(|| "Working".to_owned());
                format!("{doing}... ({elapsed:.1}s)")
            } else {
                format!("Waiting... ({elapsed:.1}s / {:.1}s)", waiting.as_secs_f64())
            });
        }
        sleep(NEXT_STEP).await;
    }
}

/// A call that has ended, and what is known of it.
pub(crate) struct Ended<'a> {
    /// The operation.
    pub(crate) meta: &'static Meta,
    /// The application that the call named.
    pub(crate) application: Option<&'a str>,
    /// Whether a connection to that was there already.
    pub(crate) warm: bool,
    /// What belongs to it besides its answer.
    pub(crate) facts: &'a Facts,
    /// How it ended.
    pub(crate) result: &'a Result<Answer>,
    /// How it ended, in a word.
    pub(crate) outcome: &'static str,
    /// What became of an action, in a word; empty for none.
    pub(crate) effect: &'a str,
    /// How long it took, and how much of that was for waiting because it was asked to.
    pub(crate) took: Duration,
    pub(crate) waiting: Duration,
    pub(crate) running: &'a Running,
}

/// Writes to the client's log that a call begins; `warm` says whether its application is connected already.
pub(crate) fn begins(meta: &Meta, application: Option<&str>, warm: bool, call: &Call) {
    let logger = || format!("handeye.tools.{}", meta.toolset);
    let record = || {
        let mut record =
            Map::from_iter([("tool".to_owned(), meta.tool.into()), ("state".to_owned(), "begins".into())]);
        if application.is_some() {
            record.insert("cache_hit".into(), warm.into());
        }
        Value::Object(record)
    };
    call.log.report(Level::Debug, logger, record);
}

impl Ended<'_> {
    /// Writes to the client's log.
    pub(crate) fn report(&self, call: &Call) {
        let logger = || format!("handeye.tools.{}", self.meta.toolset);
        call.log.report(self.level(), logger, || Value::Object(self.record()));
    }

    fn level(&self) -> Level {
        match self.result {
            Err(error) => match error.code {
                ErrorCode::Blocked | ErrorCode::RateLimitExceeded => Level::Alert,
                ErrorCode::Internal => Level::Critical,
                ErrorCode::Cancelled | ErrorCode::InputRequired => Level::Info,
                _ => Level::Error,
            },
            // It was not found the usual way.
            Ok(answer) if answer.fields.get("method").is_some_and(|method| method == "visual") => {
                Level::Notice
            }
            Ok(_) if self.is_slow() || self.kept_something() => Level::Warning,
            Ok(answer) if answer.fields.get("healed").is_some_and(|healed| !healed.is_null()) => {
                Level::Notice
            }
            Ok(_) => Level::Info,
        }
    }

    /// Whether an action that was to be taken back was not (section 8.1).
    fn kept_something(&self) -> bool {
        let kept = |answer: &Answer| answer.fields.get("skipped").and_then(Value::as_u64);
        self.meta.tool == "ax_undo" && self.result.as_ref().is_ok_and(|answer| kept(answer) > Some(0))
    }

    /// A model that looks at a picture takes its time, and so does what was asked to wait.
    fn is_slow(&self) -> bool {
        self.waiting.is_zero() && self.running.vision().is_none() && self.took > SLOW
    }

    fn record(&self) -> Map<String, Value> {
        let mut record = self.common();
        if let Ok(answer) = self.result {
            for field in ["strategy", "found"] {
                if let Some(value) =
                    answer.fields.get(field).filter(|value| value.is_string() || value.is_boolean())
                {
                    record.insert(field.into(), value.clone());
                }
            }
        }
        for (field, spent) in
            [("ax_duration_ms", self.running.accessibility()), ("vlm_duration_ms", self.running.vision())]
        {
            if let Some(spent) = spent {
                record.insert(field.into(), milliseconds(spent));
            }
        }
        if self.application.is_some() {
            record.insert("cache_hit".into(), self.warm.into());
        }
        record
    }

    fn common(&self) -> Map<String, Value> {
        let mut record = Map::new();
        record.insert("tool".into(), self.meta.tool.into());
        if let Some(application) = self.application {
            record.insert("app".into(), screen_text::line(application, MAX_NAME).into());
        }
        record.insert("duration_ms".into(), milliseconds(self.took));
        record.insert("outcome".into(), self.outcome.into());
        if !self.effect.is_empty() {
            record.insert("effect".into(), self.effect.into());
        }
        record
    }
}

/// In hundredths: a hit in a warm mirror takes less than one.
fn milliseconds(duration: Duration) -> Value {
    ((duration.as_secs_f64() * 100_000.0).round() / 100.0).into()
}
