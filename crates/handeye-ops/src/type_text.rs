//! `ax_type`: types text into an element.

use crate::answer::acted;
use crate::shared::{ActionOutput, Mode};
use crate::target::target;
use async_trait::async_trait;
use clap::Args;
use handeye_act::locate::Located;
use handeye_act::{
    Actor, Goal, MAX_BACKGROUND, MAX_TYPED, Request, SeatOf, ShownBy, Typing, Wanted, Written, check_length,
    named, named_as, read, refused, text_receiver,
};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Abilities, Invocation, Means, Node, NodeAction, Result, States, Support, Text, text};
use handeye_engine::{Engine, Meta, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Types text into an element.
pub struct Type;

/// What to type and where.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
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
        elements: &["query"],
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    fn waiting(input: &Input) -> Duration {
        // Characters that are not on the keyboard layout take a few milliseconds each.
        Duration::from_millis(10).saturating_mul(input.text.len().min(MAX_TYPED * 4) as u32)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let limit = if input.mode == Mode::Focus { MAX_TYPED } else { MAX_BACKGROUND };
        check_length("text", &input.text, limit)?;
        let written = Written::parse("text", &input.text)?;
        let actor = Actor::begin(&engine.desk, call, &input.app, ShownBy::Target).await?;
        match input.mode {
            Mode::Background => {
                let target = match &input.query {
                    Some(query) => target(engine, &actor, query).await?,
                    None => text_receiver(&actor).await?,
                };
                in_background(&actor, &target, &input, &written).await
            }
            Mode::Focus => {
                let target = match &input.query {
                    Some(query) => Some(target(engine, &actor, query).await?),
                    None => None,
                };
                with_keyboard(&actor, target, &input, &written, SeatOf::User).await
            }
        }
    }
}

fn next_focus(target: &Located, input: &Input) -> Text {
    text![
        Invocation::of("ax_type")
            .with("query", &*target.handle)
            .with_some("clear_first", input.clear_first.then_some(true))
            .with("mode", "focus"),
        " types with the real keyboard."
    ]
}

/// The element that has the focus, or else the first one, among those on view below the target that take text.
fn editable_inside(actor: &Actor<'_>, target: &Located) -> Option<String> {
    let takes_text = |node: &&Arc<Node>| {
        node.is_showing()
            && node.abilities.contains(Abilities::EDITABLE_TEXT)
            && !node.states.contains(States::READ_ONLY)
    };
    let inside = || target.tree.descendants(target.node.id).skip(1).filter(takes_text);
    let node = inside().find(|node| node.states.contains(States::FOCUSED)).or_else(|| inside().next())?;
    let application = handeye_core::application_id(actor.app.as_ref());
    let minter = actor.handles().minter(&application, &target.tree);
    let reference = minter.and_then(|minter| minter.mint(node.id)).map(|reference| reference.to_string());
    Some(named_as(node, reference.as_deref()))
}

async fn in_background(
    actor: &Actor<'_>,
    target: &Located,
    input: &Input,
    written: &Written,
) -> Result<Outcome<ActionOutput>> {
    let node = &target.node;
    let next = next_focus(target, input);
    if !node.abilities.contains(Abilities::EDITABLE_TEXT) || node.states.contains(States::READ_ONLY) {
        let missing = match actor.agent_seat(&[Means::Text]).await {
            Support::Yes => {
                return with_keyboard(actor, Some(target.clone()), input, written, SeatOf::Agent).await;
            }
            Support::No(missing) => missing.reason,
        };
        let mut why = format!("{} accepts no text in the background; {missing}", named(target));
        if let Some(inside) = editable_inside(actor, target) {
            why.push_str(&format!("; {inside} inside of it does"));
        }
        return Err(refused("the text", &why, next));
    }
    let text = input.text.clone();
    let (action, wanted) = if input.clear_first {
        (NodeAction::SetText(text.clone()), Wanted::Whole(text))
    } else {
        (NodeAction::InsertText(text.clone()), Wanted::Inserted(text))
    };
    if actor.app.only_shows(node.id, &action) && actor.agent_seat(&[Means::Text]).await.is_there() {
        return with_keyboard(actor, Some(target.clone()), input, written, SeatOf::Agent).await;
    }
    let before = read(actor, node).await?;
    let goal = Goal::Text { wanted, before, next: next.clone().into() };
    let secret = written.names_secrets().then_some(written);
    let report = actor.act(&Request { secret, ..Request::to(target, action, goal) }).await?;
    let did = format!("Typed {} into {}", written.amount(), named(target));
    Ok(acted(actor, &did, Some(target), &report, Some(next)))
}

async fn with_keyboard(
    actor: &Actor<'_>,
    target: Option<Located>,
    input: &Input,
    written: &Written,
    seat: SeatOf,
) -> Result<Outcome<ActionOutput>> {
    let typing = Typing { target, text: written, clear: input.clear_first, seat };
    let report = actor.act(&typing).await?;
    let did = format!("Typed {} into {}", written.amount(), report.aim.place());
    Ok(acted(actor, &did, report.aim.receiver.as_ref(), &report, None))
}
