//! Looks up what the steps of a workflow are about, and does nothing.

use super::Output;
use handeye_act::locate;
use handeye_act::named;
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{DetailKinds, ErrorCode, Result, Text};
use handeye_engine::{Engine, InnerCalls, InnerTool};
use handeye_flow::definition::{Flow, Step};
use handeye_flow::{StepReport, template};
use serde_json::{Value, json};
use tokio::time::Instant;

/// What is known of a step now.
enum Known {
    /// What it is about.
    Resolved(Vec<String>),
    /// It depends on what earlier steps do.
    Later(String),
    /// It would fail.
    Fault(String),
}

/// Looks every step up.
pub(super) async fn run(
    engine: &Engine,
    call: &Call,
    inner: &dyn InnerCalls,
    flow: &Flow,
) -> Outcome<Output> {
    let mut reports: Vec<StepReport> = Vec::new();
    let mut text = Text::from(format!("Dry run of '{}': nothing was done.", flow.title()));
    let mut has_acted = false;
    for (index, step) in flow.steps.iter().enumerate() {
        let started = Instant::now();
        // The definition was checked: each tool exists.
        let Some(tool) = inner.tool(&step.tool) else { continue };
        let known = match resolve(engine, call, &tool, step).await {
            Ok(known) => known,
            Err(error) if has_acted => {
                Known::Later(format!("{} now, earlier steps may change that", error.message))
            }
            Err(error) => Known::Fault(format!("{}: {}", error.code, error.message)),
        };
        has_acted |= !tool.read_only;
        let (ok, line, result, error) = match known {
            Known::Resolved(about) if about.is_empty() => (true, "fits".to_owned(), None, None),
            Known::Resolved(about) => (true, about.join(", "), Some(json!({ "about": about })), None),
            Known::Later(why) => (true, why.clone(), Some(json!({ "later": why })), None),
            Known::Fault(why) => (false, format!("would fail: {why}"), None, Some(why)),
        };
        text.push_str(&format!("\nStep {} ({}): {line}", index + 1, step.tool));
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let tool = step.tool.clone();
        reports.push(StepReport { tool, ok, attempts: 1, duration_ms, effect: None, error, result });
    }
    let success = reports.iter().all(|report| report.ok);
    let error = reports.iter().find_map(|report| report.error.clone());
    let (completed, total) = (0, flow.steps.len());
    let fields = Output {
        success,
        steps_completed: completed,
        steps_total: total,
        failed_step: None,
        results: reports,
        rolled_back: false,
        rollback: Vec::new(),
        error,
    };
    let verdict = Verdict::of(success, ErrorCode::WorkflowFailed);
    Outcome { verdict, ..Outcome::new(text, fields) }
}

/// The application and the elements of a step.
async fn resolve(engine: &Engine, call: &Call, tool: &InnerTool, step: &Step) -> Result<Known> {
    let text = |name: &str| step.args.get(name).and_then(Value::as_str);
    let is_open = |text: &str| !template::sources(&json!(text)).unwrap_or_default().is_empty();
    let Some(app) = text(tool.application) else { return Ok(Known::Resolved(Vec::new())) };
    if is_open(app) {
        return Ok(Known::Later("its application is the value of an earlier step".to_owned()));
    }
    let connected = engine.desk.connect_or_ask(call, app).await?;
    let mut about = Vec::new();
    for query in tool.elements.iter().filter_map(|name| text(name)) {
        if is_open(query) {
            return Ok(Known::Later("its element depends on the value of an earlier step".to_owned()));
        }
        let found = locate::one(engine.desk.handles(call), &connected, query, DetailKinds::empty()).await?;
        about.push(named(&found));
    }
    if about.is_empty() {
        about.push(connected.application().name.clone());
    }
    Ok(Known::Resolved(about))
}
