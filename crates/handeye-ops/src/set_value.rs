//! `ax_set_value`: gives an element a value: a number, a text, a state or a choice.

use crate::answer::{acted, unchanged};
use crate::choice;
use crate::click::check_enabled;
use crate::shared::ActionOutput;
use crate::target::target;
use async_trait::async_trait;
use clap::Args;
use handeye_act::effect::Effect;
use handeye_act::locate::Located;
use handeye_act::press::can_invoke;
use handeye_act::{
    Actor, Goal, MAX_BACKGROUND, MAX_TYPED, Request, SeatOf, ShownBy, Typing, Wanted, Written, check_length,
    is_on, is_option, named, read, refused,
};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{
    Abilities, Error, Invocation, Means, NodeAction, NumericValue, Result, Role, States, Text, text,
};
use handeye_engine::{Engine, Meta, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Gives an element a value.
pub struct SetValue;

/// Which element, and what it is to hold.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Query or reference
    query: String,
    /// Text, number, true or false, or the name of an option
    #[arg(allow_hyphen_values = true)]
    value: String,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
}

#[async_trait]
impl Operation for SetValue {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_set_value",
        command: "set-value",
        title: "Set element value",
        description: "Whole text of a field, slider, checkbox, list option; read back",
        elements: &["query"],
        idempotent: true,
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    fn waiting(input: &Input) -> Duration {
        // Where the application only shows what is set, it is typed.
        Duration::from_millis(10).saturating_mul(input.value.len().min(MAX_TYPED * 4) as u32)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        check_length("value", &input.value, MAX_BACKGROUND)?;
        let written = Written::parse("value", &input.value)?;
        let actor = Actor::begin(&engine.desk, call, &input.app, ShownBy::Target).await?;
        let target = target(engine, &actor, &input.query).await?;
        let node = &target.node;
        check_enabled(&target, "the value")?;
        // Firefox says of every element with a text that it could be edited.
        let editable = node.abilities.contains(Abilities::EDITABLE_TEXT)
            && !node.states.contains(States::READ_ONLY)
            && (node.states.contains(States::EDITABLE) || !is_option(node.role));
        let number = node
            .abilities
            .contains(Abilities::VALUE)
            .then(|| input.value.trim().parse::<f64>().ok())
            .flatten();
        if written.names_secrets() && !editable {
            let why = format!("a secret goes into a field that takes text, and {} does not", named(&target));
            return Err(Error::invalid_parameter("value", why));
        }
        if is_switch(node.role) {
            switch(&actor, &target, &input.value).await
        } else if let Some(number) = number.filter(|number| number.is_finite()) {
            set_number(&actor, &target, number).await
        } else if node.role == Role::ComboBox && !editable || choice::is_container(node.role) {
            choice::choose(&actor, &target, &input.value).await
        } else if editable {
            set_text(&actor, &target, &written).await
        } else if node.states.contains(States::SELECTABLE) && target.tree.selector_of(node.id).is_some() {
            let wanted = wanted_state(&target, &input.value).map_err(|_| {
                let why = "can only be selected in the background, by true or false";
                refused("the value", &format!("{} {why}", named(&target)), with_keyboard(&target))
            })?;
            choice::set_selected(&actor, &target, wanted).await
        } else if node.abilities.contains(Abilities::VALUE) {
            Err(out_of_range(&target, node.details.value.known(), "is not a number"))
        } else {
            Err(refused(
                "the value",
                &format!("{} has nothing that can be set in the background", named(&target)),
                with_keyboard(&target),
            ))
        }
    }
}

const fn is_switch(role: Role) -> bool {
    matches!(
        role,
        Role::CheckBox
            | Role::Switch
            | Role::ToggleButton
            | Role::MenuItemCheckBox
            | Role::RadioButton
            | Role::MenuItemRadio
    )
}

/// What people write for on and off.
fn wanted_state(target: &Located, value: &str) -> Result<bool> {
    match value.trim().to_lowercase().as_str() {
        "true" | "on" | "yes" | "1" | "checked" | "selected" | "pressed" => Ok(true),
        "false" | "off" | "no" | "0" | "unchecked" | "unselected" | "unpressed" => Ok(false),
        _ => Err(Error::invalid_parameter("value", format!("{} takes true or false", named(target)))),
    }
}

async fn switch(actor: &Actor<'_>, target: &Located, value: &str) -> Result<Outcome<ActionOutput>> {
    let wanted = wanted_state(target, value)?;
    let node = &target.node;
    let word = if wanted { "on" } else { "off" };
    if is_on(node.states) == Some(wanted) {
        let effect = Effect::confirmed(format!("it was {word} already, nothing had to be done"));
        return Ok(unchanged(&format!("Set {} {word}", named(target)), target, effect));
    }
    if !wanted && matches!(node.role, Role::RadioButton | Role::MenuItemRadio) {
        return Err(refused(
            "the value",
            &format!("{} cannot be switched off by itself", named(target)),
            "Switch on another radio button of its group.",
        ));
    }
    let next = text![
        Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus"),
        " uses the real pointer."
    ];
    if !can_invoke(node) {
        let why = format!("{} offers no action that would switch it", named(target));
        return Err(refused("the value", &why, next));
    }
    let report = actor.act(&Request::to(target, NodeAction::Invoke(None), Goal::Switched(wanted))).await?;
    Ok(acted(actor, &format!("Set {} {word}", named(target)), Some(target), &report, Some(next)))
}

pub(super) async fn set_number(
    actor: &Actor<'_>,
    target: &Located,
    wanted: f64,
) -> Result<Outcome<ActionOutput>> {
    let node = &target.node;
    let range = node.details.value.known().copied();
    if let Some(range) = range
        && range.maximum > range.minimum
        && !(range.minimum..=range.maximum).contains(&wanted)
    {
        return Err(out_of_range(target, Some(&range), "is out of range"));
    }
    let set = NodeAction::SetValue(wanted);
    if actor.app.only_shows(node.id, &set) {
        let is_field =
            node.abilities.contains(Abilities::EDITABLE_TEXT) || node.states.contains(States::EDITABLE);
        if is_field && actor.agent_seat(&[Means::Text]).await.is_there() {
            return typed_instead(actor, target, &Written::literal(&wanted.to_string())).await;
        }
        let application = &actor.app.application().name;
        return Err(refused(
            "the value",
            &format!(
                "{application} would show it in {} without notifying the page, which would keep the old one",
                named(target)
            ),
            text![
                Invocation::of("ax_type")
                    .with("query", &*target.handle)
                    .with("text", wanted.to_string())
                    .with("clear_first", true)
                    .with("mode", "focus"),
                " types it with the real keyboard."
            ],
        ));
    }
    let report = actor.act(&Request::to(target, set, Goal::Number(wanted, range))).await?;
    Ok(acted(actor, &format!("Set {} to {wanted}", named(target)), Some(target), &report, None))
}

fn out_of_range(target: &Located, range: Option<&NumericValue>, why: &str) -> Error {
    let error = Error::invalid_parameter("value", format!("{why} for {}", named(target)));
    match range {
        Some(range) => error.with_next(format!(
            "It takes {} to {}; it holds {} now.",
            range.minimum, range.maximum, range.current
        )),
        None => error.with_next("It takes a number."),
    }
}

pub(super) async fn set_text(
    actor: &Actor<'_>,
    target: &Located,
    value: &Written,
) -> Result<Outcome<ActionOutput>> {
    let text = value.text().to_owned();
    let set = NodeAction::SetText(text.clone());
    if actor.app.only_shows(target.node.id, &set) && actor.agent_seat(&[Means::Text]).await.is_there() {
        return typed_instead(actor, target, value).await;
    }
    let before = read(actor, &target.node).await?;
    let next = with_keyboard(target);
    let goal = Goal::Text { wanted: Wanted::Whole(text.clone()), before, next: next.clone().into() };
    let secret = value.names_secrets().then_some(value);
    let request = Request { secret, ..Request::to(target, set, goal) };
    let report = actor.act(&request).await?;
    Ok(acted(actor, &format!("Set the text of {}", named(target)), Some(target), &report, Some(next)))
}

/// Types a value in the place of what is there, on the caller's own keyboard.
async fn typed_instead(
    actor: &Actor<'_>,
    target: &Located,
    value: &Written,
) -> Result<Outcome<ActionOutput>> {
    if value.text().contains(['\n', '\r']) && !target.node.states.contains(States::MULTI_LINE) {
        let why =
            format!("{} takes one line, and the end of a line is the key that submits it", named(target));
        return Err(Error::invalid_parameter("value", why)
            .with_next("Leave out the ends of lines, or set a field that takes several lines."));
    }
    let typing = Typing { target: Some(target.clone()), text: value, clear: true, seat: SeatOf::Agent };
    let report = actor.act(&typing).await?;
    Ok(acted(actor, &format!("Typed the value of {}", named(target)), Some(target), &report, None))
}

/// What types in the place of what is there.
fn with_keyboard(target: &Located) -> Text {
    text![
        Invocation::of("ax_type")
            .with("query", &*target.handle)
            .with("clear_first", true)
            .with("mode", "focus"),
        " types with the real keyboard."
    ]
}
