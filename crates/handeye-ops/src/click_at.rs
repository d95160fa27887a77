//! `ax_click_at`: clicks a point of the screen, or of a picture of it.

use crate::answer::acted;
use crate::click::in_background;
use crate::pointer_click::gesture;
use crate::shared::{ActionOutput, ClickType, Mode};
use async_trait::async_trait;
use clap::Args;
use handeye_act::effect::Effect;
use handeye_act::locate;
use handeye_act::{
    Actor, PointGesture, PointTarget, Route, SeatOf, SeatTarget, ShownBy, press, press::can_invoke, refused,
};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{
    ConnectedApp, DetailKinds, Error, Invocation, Means, Node, Result, Scope, States, Window, text,
};
use handeye_engine::{Engine, Meta, Operation};
use handeye_shots::NamedPoint;
use handeye_tree::describe::quote;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Clicks a point of the screen, or of a picture of it.
pub struct ClickAt;

/// Where to click and how.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(allow_negative_numbers = true, help = "Pixels from the left edge of the desktop")]
    x: i32,
    #[arg(allow_negative_numbers = true, help = "Pixels from the top edge of the desktop")]
    y: i32,
    /// Picture (s7) whose pixels x and y are
    #[arg(long, value_name = "ID")]
    screenshot: Option<String>,
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
        description: "Background: the element there",
        ..Meta::ACT
    };

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let place = PointTarget::find(
            &engine.memory.shots,
            engine.desk.platform.screen.as_ref(),
            NamedPoint::new(input.x, input.y, input.screenshot.as_deref()),
        )
        .await?;
        let app = match place.window.as_ref().and_then(|window| window.pid) {
            Some(pid) => Some(engine.desk.connect(&pid.to_string()).await),
            None => None,
        };
        match input.mode {
            Mode::Background => {
                let window = place
                    .window
                    .clone()
                    .ok_or_else(|| no_element(&place, "only the bare desktop is there", &input))?;
                match app {
                    Some(Ok(app)) => element_at(engine, call, &app, &window, place, &input).await,
                    other if has_own_pointer(engine, &window).await => {
                        if let Some(Err(error)) = other {
                            tracing::debug!(code = error.code.as_str(), "the window shows no tree");
                        }
                        blind(engine, call, &place, &input, SeatOf::Agent).await
                    }
                    Some(Err(error)) => Err(error),
                    None => Err(no_element(&place, "its window names no process", &input)),
                }
            }
            // Pixels can be clicked without a tree; then only the windows show what came of it.
            Mode::Focus => match app {
                Some(Ok(app)) => with_pointer(engine, call, app, place, &input).await,
                _ => blind(engine, call, &place, &input, SeatOf::User).await,
            },
        }
    }
}

/// Whether the caller has a pointer of its own for a window that shows no tree.
async fn has_own_pointer(engine: &Engine, window: &Window) -> bool {
    engine.desk.agent_seat(&[Means::Pointer], SeatTarget::Window(window.pid)).await.is_there()
}

fn no_element(place: &PointTarget, why: &str, input: &Input) -> Error {
    refused(
        "the click",
        &format!("at {} {why}", place.words()),
        text![
            Invocation::of("ax_click_at")
                .with("x", input.x)
                .with("y", input.y)
                .with_some("screenshot", input.screenshot.as_deref().map(quote))
                .with("mode", "focus"),
            " uses the real pointer."
        ],
    )
}

async fn element_at(
    engine: &Engine,
    call: &Call,
    app: &Arc<dyn ConnectedApp>,
    window: &Window,
    place: PointTarget,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let actor = Actor::on(&engine.desk, call, Arc::clone(app), ShownBy::AnyChange).await;
    app.refresh(Scope::SHOWING).await?;
    // These are about the very point: the line of a text, a part of a picture.
    let is_exact = matches!(input.click_type, ClickType::Triple | ClickType::Hover);
    if is_exact && actor.agent_seat(&[Means::Pointer]).await.is_there() {
        return with_pointer_of(&actor, place, input, SeatOf::Agent).await;
    }
    let Some(node) = actionable(app.as_ref(), &place).await? else {
        if actor.agent_seat(&[Means::Pointer]).await.is_there() {
            return with_pointer_of(&actor, place, input, SeatOf::Agent).await;
        }
        let why = format!("window \"{}\" reports no element to act on", quote(&window.title));
        return Err(no_element(&place, &why, input));
    };
    let element = locate::known(actor.handles(), app, node.id, DetailKinds::ACTIONS).await?;
    let clicks_in_part = input.click_type == ClickType::Single
        && press::single(&element.node).is_some_and(|action| app.is_part_of_click(node.id, &action));
    if clicks_in_part && actor.agent_seat(&[Means::Pointer]).await.is_there() {
        return with_pointer_of(&actor, place, input, SeatOf::Agent).await;
    }
    let mut outcome = in_background(&actor, &element, input.click_type).await?;
    if place.spot.is_some() {
        outcome.notes.push(format!("At {}.", place.words()).into());
    }
    Ok(outcome)
}

/// The element at the place, or one around it, that offers an action.
async fn actionable(app: &dyn ConnectedApp, place: &PointTarget) -> Result<Option<Arc<Node>>> {
    let Some(hit) = place.element(app).await? else { return Ok(None) };
    let tree = app.reread(&[hit], DetailKinds::ACTIONS).await?;
    let mut path = tree.get(hit).into_iter().chain(tree.ancestors(hit));
    let found = path.by_ref().take_while(|node| !node.role.is_window()).find(|node| {
        node.role.is_interactive() && (can_invoke(node) || node.states.contains(States::SELECTABLE))
    });
    Ok(found.cloned())
}

async fn with_pointer(
    engine: &Engine,
    call: &Call,
    app: Arc<dyn ConnectedApp>,
    place: PointTarget,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let actor = Actor::on(&engine.desk, call, app, ShownBy::AnyChange).await;
    with_pointer_of(&actor, place, input, SeatOf::User).await
}

async fn with_pointer_of(
    actor: &Actor<'_>,
    place: PointTarget,
    input: &Input,
    seat: SeatOf,
) -> Result<Outcome<ActionOutput>> {
    let report = actor.act(&PointGesture { place, gesture: gesture(input.click_type), seat }).await?;
    let did = input.click_type.done_at(&report.aim.place.words());
    Ok(acted(actor, &did, None, &report, None))
}

async fn blind(
    engine: &Engine,
    call: &Call,
    place: &PointTarget,
    input: &Input,
    seat: SeatOf,
) -> Result<Outcome<ActionOutput>> {
    let clicked = engine.desk.point_blindly(call, place, gesture(input.click_type), seat).await?;
    let window = clicked
        .window
        .as_ref()
        .map_or_else(|| "the desktop".to_owned(), |window| format!("window \"{}\"", quote(&window.title)));
    let effect = Effect {
        route: Some(Route::Seat(seat).as_str()),
        ..Effect::unconfirmed(format!("{window} shows no accessibility tree, so nothing can be observed"))
    };
    let did = input.click_type.done_at(&clicked.words());
    let text = text![
        format!("{did}. Unconfirmed: {}. ", effect.evidence),
        Invocation::of("ax_screenshot"),
        " shows what it looks like now."
    ];
    Ok(Outcome::new(text, ActionOutput { effect, element_ref: None, healed: None }))
}
