//! `ax_wait_idle`: waits until an application has nothing more to do.

use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{ConnectedApp, Error, ErrorCode, Invocation, Result, Scope, States, Text, text};
use handeye_engine::{Engine, Meta, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Waits until an application is idle.
pub struct WaitIdle;

/// Longest time that a call waits.
const MAX_TIMEOUT_MS: u32 = 60_000;

/// Which application, and how long.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    #[arg(long, default_value_t = 5_000, help = "Longest wait, 60000 at most")]
    #[serde(default = "default_timeout")]
    timeout_ms: u32,
    /// Quiet time that counts as idle
    #[arg(long, default_value_t = 100)]
    #[serde(default = "default_poll")]
    poll_ms: u32,
}

const fn default_timeout() -> u32 {
    5_000
}

const fn default_poll() -> u32 {
    100
}

/// Whether it is idle.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    idle: bool,
    waited_ms: u64,
}

#[async_trait]
impl Operation for WaitIdle {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_wait_idle",
        command: "wait",
        title: "Wait for application idle",
        description: "Until it is quiet and nothing is busy",
        task: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    fn waiting(input: &Input) -> Duration {
        Duration::from_millis(u64::from(input.timeout_ms.min(MAX_TIMEOUT_MS)))
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        if input.timeout_ms > MAX_TIMEOUT_MS {
            return Err(Error::invalid_parameter(
                "timeout_ms",
                format!("must not be more than {MAX_TIMEOUT_MS}"),
            )
            .with_next("Wait several times."));
        }
        let started = Instant::now();
        let end = started + Duration::from_millis(u64::from(input.timeout_ms));
        let app = engine.desk.connect_or_ask(call, &input.app).await?;
        let quiet = Duration::from_millis(u64::from(input.poll_ms));
        let idle = until_idle(app.as_ref(), quiet, end).await?;
        let waited_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let name = &app.application().name;
        let text = if idle {
            Text::from(format!("{name} is idle, after {waited_ms} ms."))
        } else {
            text![
                format!("{name} is still at work after {waited_ms} ms. Wait again, or look with "),
                Invocation::of("ax_get_tree"),
                "."
            ]
        };
        let verdict = Verdict::of(idle, ErrorCode::Timeout);
        Ok(Outcome { verdict, ..Outcome::new(text, Output { idle, waited_ms }) })
    }
}

/// Waits for a time without any event at whose end the application answers and shows nothing busy.
async fn until_idle(app: &dyn ConnectedApp, quiet: Duration, end: Instant) -> Result<bool> {
    let mut events = app.mirror().watch();
    loop {
        let silence = (Instant::now() + quiet).min(end);
        events.mark_unchanged();
        if let Ok(Ok(())) = timeout_at(silence, events.changed()).await {
            if Instant::now() >= end {
                return Ok(false);
            }
            continue;
        }
        let before = app.mirror().activity().version;
        // A busy application does not answer: that is a result too.
        let tree = match timeout_at(end, app.refresh(Scope::SHOWING)).await {
            Ok(Ok(tree)) => tree,
            Ok(Err(error)) if error.code == ErrorCode::AppNotResponding => return Ok(false),
            Ok(Err(error)) => return Err(error),
            Err(_elapsed) => return Ok(false),
        };
        let busy = tree.nodes().any(|node| node.is_showing() && node.states.contains(States::BUSY));
        if !busy && app.mirror().activity().version == before {
            return Ok(true);
        }
        if Instant::now() >= end {
            return Ok(false);
        }
    }
}
