//! Choosing one of the options that an element holds.

use crate::answer::{acted, unchanged};
use crate::shared::ActionOutput;
use handeye_act::effect::Effect;
use handeye_act::locate::Located;
use handeye_act::{
    Actor, Choose, ChooseInList, Goal, Request, chosen, holds, is_option, named, pressing, refused,
};
use handeye_call::outcome::Outcome;
use handeye_core::nearness::nearest;
use handeye_core::{
    DetailKinds, Error, ErrorCode, Invocation, Node, NodeAction, Result, Role, Scope, States, Tree, text,
};
use handeye_tree::describe::{describe, quote};
use std::sync::Arc;

/// How many options an error lists.
const LISTED: usize = 20;

/// Whether such an element holds options to choose from.
pub(super) const fn is_container(role: Role) -> bool {
    matches!(
        role,
        Role::ComboBox
            | Role::ListBox
            | Role::List
            | Role::TabList
            | Role::RadioGroup
            | Role::Menu
            | Role::Tree
    )
}

/// Chooses the option called `name` below the target.
pub(super) async fn choose(actor: &Actor<'_>, target: &Located, name: &str) -> Result<Outcome<ActionOutput>> {
    let container = target.node.id;
    let scope = Scope { root: Some(container), hidden: true, details: DetailKinds::empty() };
    let tree = actor.app.refresh(scope).await?;
    let option = find_option(&tree, target, name)?;
    let did = format!("Chose {} in {}", describe(&option), named(target));
    if holds(&tree, container, &option) {
        let effect = Effect::confirmed("it was chosen already, nothing had to be done");
        return Ok(unchanged(&did, target, effect));
    }
    let hint = text![
        Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus"),
        " opens it with the real pointer."
    ];
    let chosen = chosen(actor, &tree, container).await?;
    let only_shows = actor.app.only_shows(option.id, &NodeAction::Select { extend: false });
    if only_shows && target.node.role == Role::ComboBox {
        let report = actor.act(&ChooseInList { target, option, chosen }).await?;
        return Ok(acted(actor, &did, Some(target), &report, Some(hint)));
    }
    let report = actor.act(&Choose { target, option, chosen }).await?;
    Ok(acted(actor, &did, Some(target), &report, Some(hint)))
}

/// Selects an element in its container, or takes it out of the selection.
pub(super) async fn set_selected(
    actor: &Actor<'_>,
    target: &Located,
    wanted: bool,
) -> Result<Outcome<ActionOutput>> {
    let node = &target.node;
    let word = if wanted { "selected" } else { "unselected" };
    let did = format!("Set {} {word}", named(target));
    if node.states.contains(States::SELECTED) == wanted {
        let effect = Effect::confirmed(format!("it was {word} already, nothing had to be done"));
        return Ok(unchanged(&did, target, effect));
    }
    let mut action = if wanted { NodeAction::Select { extend: false } } else { NodeAction::Deselect };
    if actor.app.only_shows(node.id, &action) {
        let press = if wanted { pressing(actor, node.id).await? } else { None };
        action = press.ok_or_else(|| {
            refused(
                "the value",
                &format!("{} would only be shown as {word}", named(target)),
                text![
                    "Click the option that is to be chosen: ",
                    Invocation::of("ax_click").with("mode", "focus"),
                    " uses the real pointer."
                ],
            )
        })?;
    }
    let report = actor.act(&Request::to(target, action, Goal::Selected(wanted))).await?;
    Ok(acted(actor, &did, Some(target), &report, None))
}

fn find_option(tree: &Tree, target: &Located, name: &str) -> Result<Arc<Node>> {
    let options: Vec<&Arc<Node>> =
        tree.descendants(target.node.id).skip(1).filter(|node| is_option(node.role)).collect();
    let wanted = name.trim();
    let found = options
        .iter()
        .find(|node| node.label() == wanted)
        .or_else(|| options.iter().find(|node| node.label().to_lowercase() == wanted.to_lowercase()));
    if let Some(option) = found {
        return Ok(Arc::clone(option));
    }
    if options.is_empty() {
        return Err(refused(
            "the choice",
            &format!("{} shows no options while it is closed", named(target)),
            text![
                "Open it with ",
                Invocation::of("ax_click").with("query", &*target.handle).after_with(),
                ", then click the option."
            ],
        ));
    }
    let labels: Vec<&str> =
        options.iter().map(|node| node.label()).filter(|label| !label.is_empty()).collect();
    let near = nearest(wanted, labels.iter().copied(), 1);
    let error = Error::new(ErrorCode::ElementNotFound, format!("{} has no such option", named(target)))
        .with_found(labels.iter().take(LISTED).map(|label| quote(label)));
    Err(match near.first() {
        Some(near) => error.with_next(format!("Did you mean \"{}\"?", quote(near))),
        None => error.with_next("Use the name of one of its options."),
    })
}
