//! `ax_find`: finds an element.

mod in_picture;

use crate::find_visual::FindVisual;
use async_trait::async_trait;
use clap::Args;
use handeye_act::healing;
use handeye_act::locate::Located;
use handeye_act::placing;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{
    DetailKinds, Error, ErrorCode, Extents, Invocation, Node, Rect, Result, States, Text, text,
};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_query::Strategy;
use handeye_tree::outline;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds an element.
pub struct Find;

/// What to look for and where.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Title, role:title, expression (role:button AND title:Save), XPath or reference (e12)
    query: String,
    /// Name, alias, pid or 'frontmost'
    #[arg(long, default_value = "frontmost")]
    app: String,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    strategy: Strategy,
}

/// The element.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    // Always true: the specification's output has it (4.3), but a miss is an error here, which a model cannot overlook.
    found: bool,
    method: &'static str,
    strategy: &'static str,
    role: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// [x, y]
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[i32; 2]>,
    /// [width, height]
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<[u32; 2]>,
    // Not known of what was found in the picture alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    enabled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    focused: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    element_ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    healed: Option<String>,
    // Not in the published schema, which every conversation pays for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    confidence: Option<f64>,
    /// Number of equally good matches
    matches: usize,
    // As those of `ax_find_visual`, for what was found in the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    point: Option<[i32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    screenshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    path: Option<String>,
}

#[async_trait]
impl Operation for Find {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_find",
        command: "find",
        title: "Find UI element",
        description: "Best match, then others as good",
        elements: &["query"],
        pictures: true,
        toolset: Toolset::Find,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let app = match engine.desk.connect_or_ask(call, &input.app).await {
            Ok(app) => app,
            // Not even a tree: a game, or a toolkit that has none.
            Err(unread) if unread.code == ErrorCode::AppNotAccessible && input.strategy == Strategy::Auto => {
                let application = engine.desk.application(&input.app).await?;
                return in_picture::find(engine, call, &application, &input.query, unread).await;
            }
            Err(error) => return Err(error),
        };
        let details = DetailKinds::EXTENTS | DetailKinds::VALUE | DetailKinds::TEXT;
        let found =
            healing::by_strategy(engine.desk.handles(call), &app, &input.query, input.strategy, details)
                .await;
        let found = match found {
            Ok(found) => found,
            Err(missed) if missed.code == ErrorCode::ElementNotFound && input.strategy == Strategy::Auto => {
                let missed = or_by_sight(call, missed);
                return in_picture::find(engine, call, app.application(), &input.query, missed).await;
            }
            Err(error) => return Err(or_by_sight(call, error)),
        };
        let place = placing::on_screen(app.as_ref(), &found.node).await?;
        Ok(Outcome::new(sentence(&found, place), fields(found, place)))
    }
}

/// Names the tool that finds what is not in a tree, where nothing comes near and that tool is on.
fn or_by_sight(call: &Call, error: Error) -> Error {
    let missed = error.code == ErrorCode::ElementNotFound && error.found.is_empty();
    match &error.next {
        Some(next) if missed && call.offered.has(FindVisual::META.tool) => {
            let by_sight = Invocation::of(FindVisual::META.tool);
            let next = next.clone().and(text![by_sight, " looks for it in the picture."]);
            error.with_next(next)
        }
        _ => error,
    }
}

fn sentence(found: &Located, place: Option<Rect>) -> Text {
    let mut text = Text::from(outline::line(&found.node, found.shown_reference()).as_str());
    if let Some(extents) = place.map(Extents::OnScreen).or(found.node.details.extents.known().copied()) {
        text.push_str(&format!("\n{extents}"));
    }
    if let Some(healed) = &found.healed {
        text.push(format!("\n{healed}"));
    }
    text.push(others(found));
    text
}

/// Those that match as well, a line each: a search for all of a kind needs no further call.
fn others(found: &Located) -> Text {
    if found.equally_good < 2 {
        return Text::default();
    }
    let equals = found.equally_good;
    let mut text = text![format!("\n{equals} elements match equally well; this is the first.")];
    text.push_str(if found.is_kept { " The others:" } else { " '#2' after the query means the second:" });
    for rival in &found.rivals {
        text.push_str("\n- ");
        text.push(outline::line(&rival.node, found.is_kept.then_some(rival.reference.as_str())));
    }
    let unnamed = found.equally_good.saturating_sub(found.rivals.len() + 1);
    if unnamed > 0 {
        text.push_str(&format!(
            "\n… {unnamed} more: '#{}' after the query means the next",
            found.rivals.len() + 2
        ));
    }
    text
}

fn fields(found: Located, place: Option<Rect>) -> Output {
    let node = &found.node;
    Output {
        found: true,
        method: "accessibility",
        strategy: found.matched.as_str(),
        role: node.role.to_string(),
        title: node.label().to_owned(),
        value: shown_value(node),
        position: place.map(|place| [place.x, place.y]),
        size: node.details.extents.known().map(Extents::size).map(|size| [size.width, size.height]),
        enabled: Some(node.is_enabled()),
        focused: Some(node.states.contains(States::FOCUSED)),
        element_ref: found.shown_reference().map(str::to_owned),
        confidence: found.confidence.map(|confidence| (confidence * 100.0).round() / 100.0),
        healed: found.healed,
        matches: found.equally_good,
        point: None,
        screenshot: None,
        path: None,
    }
}

/// The value as a field shows it: the beginning of a long text, and never a hidden one.
pub(super) fn shown_value(node: &Node) -> Option<String> {
    const SHOWN_CHARS: usize = 400;
    if node.states.contains(States::PROTECTED) {
        return None;
    }
    let value = node.value_text()?;
    if value.chars().count() <= SHOWN_CHARS {
        return Some(value);
    }
    Some(value.chars().take(SHOWN_CHARS).chain(['…']).collect())
}
