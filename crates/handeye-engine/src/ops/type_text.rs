//! `ax_type`: types text into an element.

use crate::act::{ShownBy, Turn, named, refused};
use crate::call::Call;
use crate::confirm::{self, Gesture};
use crate::effect::describe;
use crate::engine::Engine;
use crate::expectation::Expected;
use crate::focus::{Aimed, Seat};
use crate::locate::{self, Located};
use crate::operation::{Meta, Operation, Outcome};
use crate::ops::receiver;
use crate::ops::shared::{ActionOutput, Mode};
use crate::ops::text::{Expectation, MAX_BACKGROUND, MAX_TYPED, check_length, proof, read};
use async_trait::async_trait;
use clap::Args;
use handeye_core::{
    Abilities, Button, Chord, DetailKinds, Modifier, Node, NodeAction, Result, Scope, States,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// Types text into an element.
pub struct Type;

/// What to type and where.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(help = "Text to type")]
    text: String,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    /// Default: the app's focused element
    #[arg(long = "element", value_name = "QUERY")]
    query: Option<String>,
    /// Replace what is there
    #[arg(long)]
    #[serde(default)]
    clear_first: bool,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    mode: Mode,
}

#[async_trait]
impl Operation for Type {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_type",
        command: "type",
        title: "Type text into element",
        description: "At the caret, read back",
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    fn waiting(input: &Input) -> Duration {
        // Characters that are not on the keyboard layout take a few milliseconds each.
        match input.mode {
            Mode::Focus => {
                Duration::from_millis(10).saturating_mul(input.text.len().min(MAX_TYPED * 4) as u32)
            }
            Mode::Background => Duration::ZERO,
        }
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let limit = if input.mode == Mode::Focus { MAX_TYPED } else { MAX_BACKGROUND };
        check_length("text", &input.text, limit)?;
        let turn = Turn::begin(engine, call, &input.app, ShownBy::Target).await?;
        match input.mode {
            Mode::Background => {
                let target = target(&turn, input.query.as_deref()).await?;
                in_background(&turn, &target, &input).await
            }
            Mode::Focus => with_keyboard(&turn, &input).await,
        }
    }
}

/// The named element, or the one that the text is for.
async fn target(turn: &Turn<'_>, query: Option<&str>) -> Result<Located> {
    match query {
        Some(query) => turn.target(query).await,
        None => receiver::in_background(turn).await,
    }
}

/// The element that says that it has the focus; where several do, the one of the active window that takes text.
pub(super) async fn focused(turn: &Turn<'_>) -> Result<Option<Located>> {
    let tree = turn.app.refresh(Scope::SHOWING).await?;
    let holder = tree
        .nodes()
        .filter(|node| node.states.contains(States::FOCUSED) && !node.role.is_window())
        .max_by_key(|node| {
            let in_active =
                tree.window_of(node.id).is_some_and(|window| window.states.contains(States::ACTIVE));
            (in_active, node.abilities.contains(Abilities::EDITABLE_TEXT), node.children.is_empty())
        });
    let Some(holder) = holder else { return Ok(None) };
    let details = DetailKinds::TEXT | DetailKinds::VALUE | DetailKinds::EXTENTS;
    locate::known(turn.engine, &turn.app, holder.id, details).await.map(Some)
}

fn next_focus(target: &Located, input: &Input) -> String {
    let clear = if input.clear_first { ", clear_first: true" } else { "" };
    format!("ax_type with query: \"{}\"{clear}, mode: \"focus\" types with the real keyboard.", target.handle)
}

/// The element that has the focus, or else the first one, among those on view below the target that take text.
fn editable_inside(turn: &Turn<'_>, target: &Located) -> Option<String> {
    let takes_text = |node: &&Arc<Node>| {
        node.is_showing()
            && node.abilities.contains(Abilities::EDITABLE_TEXT)
            && !node.states.contains(States::READ_ONLY)
    };
    let inside = || target.tree.descendants(target.node.id).skip(1).filter(takes_text);
    let node = inside().find(|node| node.states.contains(States::FOCUSED)).or_else(|| inside().next())?;
    let application = locate::application_id(turn.app.as_ref());
    let reference = turn.engine.memory.references.mint(&application, &target.tree, node.id)?;
    Some(format!("{} [ref={reference}]", describe(node)))
}

async fn in_background(turn: &Turn<'_>, target: &Located, input: &Input) -> Result<Outcome<ActionOutput>> {
    let node = &target.node;
    let next = next_focus(target, input);
    if !node.abilities.contains(Abilities::EDITABLE_TEXT) || node.states.contains(States::READ_ONLY) {
        let mut why = format!("{} accepts no text in the background", named(target));
        if let Some(inside) = editable_inside(turn, target) {
            why.push_str(&format!("; {inside} inside of it does"));
        }
        return Err(refused("the text", &why, next));
    }
    let before = read(turn, node).await?;
    let (action, wanted) = if input.clear_first {
        (NodeAction::SetText(input.text.clone()), Expectation::Whole(&input.text))
    } else {
        (NodeAction::InsertText(input.text.clone()), Expectation::Inserted(&input.text))
    };
    let observation = turn.perform(node.id, &action, Expected::Proof).await?;
    let effect = proof(turn, node.id, &before, wanted, &observation, &next).await?;
    let did = format!("Typed {} into {}", amount(&input.text), named(target));
    Ok(turn.answer(&did, Some(target), Some(&observation), effect, Some(&next)))
}

async fn with_keyboard(turn: &Turn<'_>, input: &Input) -> Result<Outcome<ActionOutput>> {
    let keyboard = &turn.engine.platform.input;
    let named_target = match &input.query {
        Some(query) => Some(turn.target(query).await?),
        None => None,
    };
    if input.text.contains(['\n', '\r']) {
        // The end of a line is the return key.
        let holder = match &named_target {
            Some(target) => Some(target.node.id),
            None => focused(turn).await?.map(|target| target.node.id),
        };
        if let Some(holder) = holder {
            confirm::before(turn, holder, Gesture::Return).await?;
        }
    }
    let seat = Seat::take(turn, named_target.as_ref().map(|target| target.node.id)).await?;
    let candidates = match named_target {
        Some(target) => {
            focus(turn, &seat, &target).await?;
            let target = locate::known(turn.engine, &turn.app, target.node.id, DetailKinds::TEXT).await?;
            let content = read(turn, &target.node).await?;
            vec![(target, content)]
        }
        // Some windows (a terminal, a game) take keys without telling of a focused element.
        None => receiver::on_keyboard(turn).await?,
    };
    let likeliest = candidates.first().map(|(target, _)| target.node.id);
    let baseline = turn.baseline(likeliest, Expected::Proof).await?;
    let window = Some(seat.window.id);
    let typing = async {
        if input.clear_first {
            keyboard.key(&Chord { modifiers: vec![Modifier::Ctrl], key: "a".into() }, window).await?;
            keyboard.key(&Chord::plain("delete"), window).await?;
        }
        keyboard.type_text(&input.text, window).await
    };
    let observation = baseline.observe_input(turn.call, async { seat.kept(typing.await).await }).await?;
    let wanted =
        if input.clear_first { Expectation::Whole(&input.text) } else { Expectation::Inserted(&input.text) };
    let got = receiver::who_got(turn, candidates, wanted).await?;
    let effect = match &got {
        Some((target, before)) => {
            let next = "ax_screenshot shows where the text went.";
            proof(turn, target.node.id, before, wanted, &observation, next).await?
        }
        None => crate::effect::Effect::unconfirmed(
            "no element reports that it has the focus, so nothing can be read back",
        ),
    };
    let target = got.map(|(target, _)| target);
    let place = target.as_ref().map_or_else(|| format!("window \"{}\"", seat.window.title), named);
    let did = format!("Typed {} into {place}", amount(&input.text));
    Ok(turn.answer(&did, target.as_ref(), Some(&observation), effect, None))
}

/// Gives an element the keyboard focus: by request, or by a click where the toolkit ignores the request.
async fn focus(turn: &Turn<'_>, seat: &Seat<'_>, target: &Located) -> Result<()> {
    let id = target.node.id;
    if let Err(error) = turn.app.perform(id, &NodeAction::Focus).await {
        tracing::debug!(code = error.code.as_str(), "could not be focused by request");
    }
    let tree = turn.app.reread(&[id], DetailKinds::empty()).await?;
    if tree.get(id).is_some_and(|node| node.states.contains(States::FOCUSED)) {
        return Ok(());
    }
    let Aimed { point, window } = seat.point_of(target).await?;
    seat.kept(turn.engine.platform.input.click(point, Button::Left, 1, Some(window)).await).await
}

/// How much was typed; what it was is nobody else's business.
fn amount(text: &str) -> String {
    match text.chars().count() {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}
