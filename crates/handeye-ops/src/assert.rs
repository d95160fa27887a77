//! `ax_assert`: whether an element is as it should be.

mod expected;
mod judged;

use crate::exhibit::{self, Exhibit};
use async_trait::async_trait;
use clap::Args;
use expected::Assertions;
use handeye_act::locate::{self, Located};
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{ConnectedApp, DetailKinds, Error, ErrorCode, NodeId, Result};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_shots::delivery::{Delivered, Order};
use handeye_shots::on_screen::capture;
use handeye_tree::outline;
use judged::{Failure, Judged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Checks an element.
pub struct Assert;

/// Longest time that a call waits.
const MAX_TIMEOUT_MS: u32 = 60_000;
/// How long after an event more of them may follow before the element is looked at again.
const GATHERING: Duration = Duration::from_millis(20);
/// After which time without an event the element is looked at anyway: toolkits leave some out.
const SILENCE: Duration = Duration::from_secs(1);
/// How many elements that match equally well an error names.
const NAMED: usize = 8;

/// Which element, and how it should be.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Query or reference
    query: String,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    #[command(flatten)]
    assertions: Assertions,
    /// Wait until it holds, 60000 at most
    #[arg(long, default_value_t = 0, help = "Wait so long until it holds, 60000 at most")]
    #[serde(default)]
    timeout_ms: u32,
}

/// Whether it is so.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    passed: bool,
    /// What is not as it should be.
    failures: Vec<Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    element_ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waited_ms: Option<u64>,
    /// The picture of the window, after a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[async_trait]
impl Operation for Assert {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_assert",
        command: "assert",
        title: "Assert element state",
        description: "Check an element; a failure brings the actual values and a picture",
        elements: &["query"],
        toolset: Toolset::Assert,
        output_published: false,
        pictures: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    fn waiting(input: &Input) -> Duration {
        Duration::from_millis(u64::from(input.timeout_ms.min(MAX_TIMEOUT_MS)))
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        input.assertions.check()?;
        if input.timeout_ms > MAX_TIMEOUT_MS {
            let why = format!("must not be more than {MAX_TIMEOUT_MS}");
            return Err(Error::invalid_parameter("timeout_ms", why).with_next("Assert it several times."));
        }
        let started = Instant::now();
        let app = engine.desk.connect_or_ask(call, &input.app).await?;
        let judged = until_it_holds(engine, call, &app, &input, started).await?;
        let waited = (input.timeout_ms > 0).then(|| started.elapsed().as_millis() as u64);
        answer(engine, call, &app, judged, waited).await
    }
}

/// Looks at the element until all holds or the time is over, whenever something has changed.
async fn until_it_holds(
    engine: &Engine,
    call: &Call,
    app: &Arc<dyn ConnectedApp>,
    input: &Input,
    started: Instant,
) -> Result<Judged> {
    let end = started + Duration::from_millis(u64::from(input.timeout_ms));
    let mut events = app.mirror().watch();
    loop {
        // What happens from here on is a reason to look again.
        events.mark_unchanged();
        let judged = look(engine, call, app, input).await?;
        if judged.failures.is_empty() || Instant::now() >= end {
            return Ok(judged);
        }
        if timeout_at((Instant::now() + SILENCE).min(end), events.changed()).await.is_ok() {
            tokio::time::sleep_until((Instant::now() + GATHERING).min(end)).await;
        }
    }
}

/// The element as it is now, and what of it is not as it should be.
async fn look(engine: &Engine, call: &Call, app: &Arc<dyn ConnectedApp>, input: &Input) -> Result<Judged> {
    let (query, assertions) = (&input.query, &input.assertions);
    let details = DetailKinds::VALUE | DetailKinds::TEXT;
    let found = match locate::one(engine.desk.handles(call), app, query, details).await {
        Ok(found) => found,
        Err(error) if matches!(error.code, ErrorCode::ElementNotFound | ErrorCode::StaleReference) => {
            return Ok(Judged::missing(assertions, error));
        }
        Err(error) => return Err(error),
    };
    if found.cuts_a_word && found.equally_good == 1 {
        // "count" is not the name of "Account", for an action neither.
        let message = format!("no element is called '{query}'; it occurs only inside of a word");
        let near = outline::line(&found.node, found.shown_reference());
        let error = Error::new(ErrorCode::ElementNotFound, message).with_found([near]);
        return Ok(Judged::missing(assertions, error));
    }
    if found.equally_good > 1 && !assertions.is_existence_alone() {
        return Err(several(query, &found));
    }
    judged::judge(app, found, assertions).await
}

/// The error of a query that means several elements.
fn several(query: &str, found: &Located) -> Error {
    let candidates = std::iter::once((&found.node, &found.reference))
        .chain(found.rivals.iter().map(|rival| (&rival.node, &rival.reference)));
    let message = format!("{} elements match '{query}' equally well", found.equally_good);
    Error::new(ErrorCode::ElementAmbiguous, message)
        .with_found(
            candidates
                .take(NAMED)
                .map(|(node, reference)| outline::line(node, found.is_kept.then_some(reference.as_str()))),
        )
        .with_next(if found.is_kept {
            "Assert one of them by its reference. Whether any exists needs only 'exists'."
        } else {
            "Put '#2' after the query for the second. Whether any exists needs only 'exists'."
        })
}

async fn answer(
    engine: &Engine,
    call: &Call,
    app: &Arc<dyn ConnectedApp>,
    judged: Judged,
    waited_ms: Option<u64>,
) -> Result<Outcome<Output>> {
    let passed = judged.failures.is_empty();
    let mut text = judged.sentence(waited_ms);
    let mut notes = judged.notes;
    let mut fields = Output {
        passed,
        failures: judged.failures,
        element_ref: judged.found.as_ref().and_then(Located::shown_reference).map(str::to_owned),
        waited_ms,
        screenshot: None,
        path: None,
    };
    let mut pictures = Vec::new();
    if !passed {
        let node = judged.found.as_ref().map(|found| found.node.id);
        match picture(engine, call, app.as_ref(), node).await {
            Ok((title, delivered)) => {
                let shown = Exhibit::new(call, &title, delivered);
                text.push_str(&format!("\n{}", shown.sentence));
                notes.extend(shown.note);
                (fields.path, fields.screenshot) = (shown.path, shown.screenshot);
                pictures.extend(shown.picture);
            }
            // What failed is known without it.
            Err(error) => notes.push(format!("No picture: {}", error.message).into()),
        }
    }
    let verdict = Verdict::of(passed, ErrorCode::AssertionFailed);
    Ok(Outcome { notes, pictures, verdict, ..Outcome::new(text, fields) })
}

/// A picture of the window of the element, or of the application's topmost one, and what it is of.
async fn picture(
    engine: &Engine,
    call: &Call,
    app: &dyn ConnectedApp,
    node: Option<NodeId>,
) -> Result<(String, Delivered)> {
    let screen = engine.desk.platform.screen.as_ref();
    let window = engine.desk.window_for(app, node).await?;
    let frame = capture(screen, CaptureTarget::Window(window.id, WindowPart::Whole)).await?;
    let delivered = exhibit::deliver(engine, call, &window, frame, Order::configured()).await?;
    Ok((exhibit::name_of(&window), delivered))
}
