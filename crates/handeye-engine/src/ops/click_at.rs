//! `ax_click_at`: clicks a point of the screen.

use crate::act::{Turn, refused};
use crate::call::Call;
use crate::effect::{Effect, quote};
use crate::engine::Engine;
use crate::focus::{check_on_screen, topmost_at};
use crate::locate;
use crate::operation::{Meta, Operation, Outcome};
use crate::ops::click::{buttons, can_invoke, in_background};
use crate::ops::shared::{ActionOutput, ClickType, Mode};
use async_trait::async_trait;
use clap::Args;
use handeye_core::{ConnectedApp, DetailKinds, Node, Point, Result, States, Window};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Clicks a point of the screen.
pub struct ClickAt;

/// Where to click and how.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(allow_negative_numbers = true, help = "Pixels from the left edge of the desktop")]
    x: i32,
    #[arg(allow_negative_numbers = true, help = "Pixels from the top edge of the desktop")]
    y: i32,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    click_type: ClickType,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    mode: Mode,
}

#[async_trait]
impl Operation for ClickAt {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_click_at",
        command: "click-at",
        title: "Click at screen coordinates",
        description: "In the background it acts on the element there",
        ..Meta::ACT
    };

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let point = Point::new(input.x, input.y);
        check_on_screen(engine, point).await?;
        let windows = engine.platform.screen.windows().await?;
        let window = topmost_at(&windows, point);
        let app = match window.and_then(|window| window.pid) {
            Some(pid) => Some(engine.connect(&pid.to_string()).await),
            None => None,
        };
        match input.mode {
            Mode::Background => {
                let window =
                    window.ok_or_else(|| no_element(point, "only the bare desktop is there", &input))?;
                let app = app.ok_or_else(|| no_element(point, "its window tells no process", &input))??;
                element_at(engine, call, &app, window, point, &input).await
            }
            // Pixels can be clicked without a tree; then only the windows tell what came of it.
            Mode::Focus => match app {
                Some(Ok(app)) => with_pointer(engine, call, app, point, &input).await,
                _ => blind(engine, window, point, &input).await,
            },
        }
    }
}

fn no_element(point: Point, why: &str, input: &Input) -> handeye_core::Error {
    refused(
        "the click",
        &format!("at ({}, {}) {why}", point.x, point.y),
        format!("ax_click_at with x: {}, y: {}, mode: \"focus\" uses the real pointer.", input.x, input.y),
    )
}

async fn element_at(
    engine: &Engine,
    call: &Call,
    app: &Arc<dyn ConnectedApp>,
    window: &Window,
    point: Point,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let turn = Turn::on(engine, call, Arc::clone(app)).await;
    app.refresh(handeye_core::Scope::SHOWING).await?;
    let missing = || {
        no_element(
            point,
            &format!("window \"{}\" tells of no element to act on", quote(&window.title)),
            input,
        )
    };
    let hit = app.element_at(point).await?.ok_or_else(missing)?;
    let tree = app.reread(&[hit], DetailKinds::ACTIONS).await?;
    let path: Vec<Arc<Node>> = tree.get(hit).into_iter().chain(tree.ancestors(hit)).cloned().collect();
    let node = path
        .iter()
        .take_while(|node| !node.role.is_window())
        .find(|node| {
            node.role.is_interactive() && (can_invoke(node) || node.states.contains(States::SELECTABLE))
        })
        .ok_or_else(missing)?;
    let target = locate::known(engine, app, node.id, DetailKinds::ACTIONS).await?;
    in_background(&turn, &target, input.click_type).await
}

async fn with_pointer(
    engine: &Engine,
    call: &Call,
    app: Arc<dyn ConnectedApp>,
    point: Point,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let turn = Turn::on(engine, call, app).await;
    let _seat = engine.lock_seat().await;
    let baseline = turn.baseline(None).await?;
    let (button, count) = buttons(input.click_type);
    let observation = baseline.observe_input(call, engine.platform.input.click(point, button, count)).await?;
    let effect = Effect::of_any_change(&observation, None);
    let did = format!("{} at ({}, {})", input.click_type.done(), point.x, point.y);
    Ok(turn.answer(&did, None, Some(&observation), effect, None))
}

async fn blind(
    engine: &Engine,
    window: Option<&Window>,
    point: Point,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let _seat = engine.lock_seat().await;
    let (button, count) = buttons(input.click_type);
    engine.platform.input.click(point, button, count).await?;
    let place = window
        .map_or_else(|| "the desktop".to_owned(), |window| format!("window \"{}\"", quote(&window.title)));
    let effect =
        Effect::unconfirmed(format!("{place} shows no accessibility tree, so nothing can be observed"));
    let text = format!(
        "{} at ({}, {}). Unconfirmed: {}. ax_screenshot shows what it looks like now.",
        input.click_type.done(),
        point.x,
        point.y,
        effect.evidence
    );
    Ok(Outcome::new(text, ActionOutput { effect, element_ref: None, healed: None }))
}
