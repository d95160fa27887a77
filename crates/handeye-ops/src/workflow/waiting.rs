//! Waiting for the condition of a step.

use handeye_call::call::Call;
use handeye_call::outcome::Verdict;
use handeye_core::{Error, ErrorCode, Result, screen_text};
use handeye_engine::{Engine, InnerCalls};
use handeye_flow::definition::{Awaited, Condition};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How often the windows are listed while nothing announces that one has changed, at most.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Waits until a condition holds.
///
/// # Errors
/// [`ErrorCode::Timeout`] if it does not hold in time; those of the calls that look.
pub(super) async fn until(
    engine: &Engine,
    inner: &dyn InnerCalls,
    call: Call,
    app: &str,
    condition: &Condition,
) -> Result<()> {
    let app = condition.app.as_deref().unwrap_or(app);
    let timeout = condition.timeout_ms;
    let (tool, args, what) = match condition.awaited() {
        None => return Err(Error::internal("a condition that was not checked")),
        Some(Awaited::Window(title)) => return window(engine, &call, app, title, timeout).await,
        Some(Awaited::Idle) => (
            "ax_wait_idle",
            json!({"app": app, "timeout_ms": timeout}),
            "the application was still busy".to_owned(),
        ),
        Some(Awaited::Exists(query)) => {
            assertion(app, query, &json!({"exists": true}), timeout, "did not appear")
        }
        Some(Awaited::Gone(query)) => {
            assertion(app, query, &json!({"exists": false}), timeout, "was still there")
        }
        Some(Awaited::Enabled(query)) => {
            assertion(app, query, &json!({"enabled": true}), timeout, "was not enabled")
        }
        Some(Awaited::Value(query, value)) => {
            assertion(app, query, &json!({"value": value}), timeout, "did not hold the value")
        }
    };
    let answer = inner.call(tool, args, call).await?;
    match answer.verdict {
        Verdict::Yes => Ok(()),
        Verdict::No(_) => {
            let failure = &answer.fields["failures"][0];
            let is = match (failure["property"].as_str(), failure["actual"].as_str()) {
                (Some("exists"), _) if failure["expected"] == true => Some(": nothing matches it".to_owned()),
                (_, Some(text)) => Some(format!(", it is {:?}", screen_text::line(text, 80))),
                _ => None,
            };
            Err(too_late(&what, timeout, &is.unwrap_or_default()))
        }
    }
}

fn assertion(
    app: &str,
    query: &str,
    assertions: &Value,
    timeout: u32,
    what: &str,
) -> (&'static str, Value, String) {
    let args = json!({"app": app, "query": query, "assertions": assertions, "timeout_ms": timeout});
    ("ax_assert", args, format!("'{}' {what}", screen_text::line(query, 80)))
}

/// Waits until the application has a window whose title contains this.
async fn window(engine: &Engine, call: &Call, app: &str, title: &str, timeout: u32) -> Result<()> {
    let app = engine.desk.connect_or_ask(call, app).await?;
    let end = Instant::now() + Duration::from_millis(u64::from(timeout)).min(call.remaining());
    let mut changes = engine.desk.platform.screen.changes();
    let wanted = title.to_lowercase();
    loop {
        let windows = engine.desk.windows_of(app.application()).await?;
        if windows.iter().any(|window| window.title.to_lowercase().contains(&wanted)) {
            return Ok(());
        }
        if Instant::now() >= end {
            let what = format!("no window with '{}' in its title opened", screen_text::line(title, 80));
            return Err(too_late(&what, timeout, ""));
        }
        // Not every change of a title is announced.
        let again = (Instant::now() + LOOK_AGAIN).min(end);
        if let Ok(Err(_ended)) = timeout_at(again, changes.changed()).await {
            tokio::time::sleep_until(again).await;
        }
    }
}

fn too_late(what: &str, timeout: u32, instead: &str) -> Error {
    Error::new(ErrorCode::Timeout, format!("{what} within {timeout} ms{instead}"))
}
