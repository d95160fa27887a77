//! Choosing one of the options that an element holds.

use crate::act::{Turn, named, refused};
use crate::effect::{Effect, describe, quote};
use crate::expectation::Expected;
use crate::locate::Located;
use crate::nearness::nearest;
use crate::operation::Outcome;
use crate::ops::open_list;
use crate::ops::press;
use crate::ops::shared::ActionOutput;
use crate::settle::Observation;
use handeye_core::{
    Abilities, DetailKinds, Error, ErrorCode, Node, NodeAction, NodeId, Result, Role, Scope, States, Tree,
};
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

/// Whether such an element is an option.
pub(super) const fn is_option(role: Role) -> bool {
    matches!(
        role,
        Role::ListItem
            | Role::MenuItem
            | Role::MenuItemRadio
            | Role::MenuItemCheckBox
            | Role::Tab
            | Role::RadioButton
            | Role::TreeItem
            | Role::Row
            | Role::Cell
    )
}

/// Chooses the option called `name` below the target.
pub(super) async fn choose(turn: &Turn<'_>, target: &Located, name: &str) -> Result<Outcome<ActionOutput>> {
    let container = target.node.id;
    let scope = Scope { root: Some(container), hidden: true, details: DetailKinds::empty() };
    let tree = turn.app.refresh(scope).await?;
    let option = find_option(&tree, target, name)?;
    let did = format!("Chose {} in {}", describe(&option), named(target));
    if holds(&tree, container, &option) {
        let effect = Effect::confirmed("it was chosen already, nothing had to be done");
        return Ok(turn.answer(&did, Some(target), None, effect, None));
    }
    let select = NodeAction::Select { extend: false };
    let only_shows = turn.app.only_shows(option.id, &select);
    if only_shows && target.node.role == Role::ComboBox {
        return open_list::choose(turn, target, &option).await;
    }
    let baseline = turn.baseline(Some(container), Expected::Proof).await?;
    let selecting = if only_shows {
        Err(not_told(turn, target, &option))
    } else {
        turn.perform_after(&baseline, option.id, &select).await
    };
    let is_done = match &selecting {
        Ok(observation) => is_chosen(turn, observation, container, &option).await?,
        Err(error) => {
            !matches!(error.code, ErrorCode::ActionFailed | ErrorCode::NotSupported | ErrorCode::Refused)
        }
    };
    // Some containers take no selection, but their options can be pressed.
    let press = if is_done { None } else { pressing(turn, option.id).await? };
    let observation = match press {
        Some(press) => turn.perform_after(&baseline, option.id, &press).await?,
        None => selecting?,
    };
    let effect = if is_chosen(turn, &observation, container, &option).await? {
        Effect::confirmed(format!("{} is chosen now", describe(&option)))
    } else {
        Effect::unconfirmed("neither the option nor its container says that it is chosen")
    };
    let hint = format!(
        "ax_click with query: \"{}\", mode: \"focus\" opens it with the real pointer.",
        target.handle
    );
    Ok(turn.answer(&did, Some(target), Some(&observation), effect, Some(&hint)))
}

/// The refusal to select an option of which the application would only show that it is selected.
fn not_told(turn: &Turn<'_>, target: &Located, option: &Node) -> Error {
    let application = &turn.app.application().name;
    refused(
        "the choice",
        &format!("{application} would show {} as selected and do nothing about it", describe(option)),
        format!(
            "ax_click with query: \"{} >> {} {}\", mode: \"focus\" uses the real pointer.",
            target.handle,
            option.role,
            quote(option.label())
        ),
    )
}

/// The action by which an option is pressed; `None` if it has none, or only one that opens it.
async fn pressing(turn: &Turn<'_>, option: NodeId) -> Result<Option<NodeAction>> {
    let tree = match turn.app.reread(&[option], DetailKinds::ACTIONS).await {
        // Chosen, and gone with its list.
        Err(error) if error.code == ErrorCode::StaleReference => return Ok(None),
        other => other?,
    };
    let press = tree.get(option).and_then(|option| press::single(option));
    Ok(press.filter(|press| matches!(press, NodeAction::Invoke(_))))
}

/// Selects an element in its container, or takes it out of the selection.
pub(super) async fn set_selected(
    turn: &Turn<'_>,
    target: &Located,
    wanted: bool,
) -> Result<Outcome<ActionOutput>> {
    let node = &target.node;
    let word = if wanted { "selected" } else { "unselected" };
    let did = format!("Set {} {word}", named(target));
    if node.states.contains(States::SELECTED) == wanted {
        let effect = Effect::confirmed(format!("it was {word} already, nothing had to be done"));
        return Ok(turn.answer(&did, Some(target), None, effect, None));
    }
    let mut action = if wanted { NodeAction::Select { extend: false } } else { NodeAction::Deselect };
    if turn.app.only_shows(node.id, &action) {
        let press = if wanted { pressing(turn, node.id).await? } else { None };
        action = press.ok_or_else(|| {
            refused(
                "the value",
                &format!("{} would only be shown as {word}", named(target)),
                "Click the option that is to be chosen: ax_click with mode: \"focus\" uses the real pointer.",
            )
        })?;
    }
    let observation = turn.perform(node.id, &action, Expected::Proof).await?;
    let effect = match observation.now(node.id) {
        Some(now) if now.states.contains(States::SELECTED) == wanted => {
            Effect::confirmed(format!("it is now {word}"))
        }
        _ => Effect::unconfirmed(format!("it does not say that it is {word}")),
    };
    Ok(turn.answer(&did, Some(target), Some(&observation), effect, None))
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
            format!("Open it with ax_click, query: \"{}\", then click the option.", target.handle),
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

/// Whether the tree says that the option is the chosen one.
fn holds(tree: &Tree, container: NodeId, option: &Node) -> bool {
    if let Some(choice) = told_choice(tree, container) {
        return choice.trim() == option.label().trim();
    }
    let chosen = States::SELECTED | States::CHECKED;
    let is_closed = tree
        .get(container)
        .is_some_and(|node| node.role == Role::ComboBox && !node.states.contains(States::EXPANDED));
    let option_says = tree.get(option.id).is_some_and(|node| {
        // In an open menu, selected means under the pointer; a closed list (a browser's) shows its choice only.
        let is_choice = node.role != Role::MenuItem || (is_closed && node.is_showing());
        node.states.intersects(chosen) && is_choice
    });
    let container_says = tree.get(container).is_some_and(|node| {
        node.role == Role::ComboBox
            && (*node.name == *option.name || node.value_text().is_some_and(|value| value == *option.name))
    });
    option_says || container_says
}

/// What a combo box itself says to be chosen: its value or its name, where one of its options is called so. Its list may have
/// another one selected without any effect (Qt).
fn told_choice(tree: &Tree, container: NodeId) -> Option<String> {
    let node = tree.get(container).filter(|node| node.role == Role::ComboBox)?;
    let is_option_called = |label: &str| {
        let mut below = tree.descendants(container).skip(1);
        !label.trim().is_empty()
            && below.any(|node| is_option(node.role) && node.label().trim() == label.trim())
    };
    [node.value_text(), Some(node.name.to_string())]
        .into_iter()
        .flatten()
        .find(|label| is_option_called(label))
}

/// Reads the option and its container anew and tells whether they say that it is chosen.
pub(super) async fn is_chosen(
    turn: &Turn<'_>,
    observation: &Observation,
    container: NodeId,
    option: &Node,
) -> Result<bool> {
    if observation.ended || observation.unresponsive {
        return Ok(false);
    }
    let present: Vec<NodeId> =
        [container, option.id].into_iter().filter(|id| observation.after.contains(*id)).collect();
    let tree = turn.app.reread(&present, DetailKinds::TEXT | DetailKinds::VALUE).await?;
    if holds(&tree, container, option) {
        return Ok(true);
    }
    // One that has a name of its own, and a menu that is closed, say nothing in the tree (GTK 3).
    let is_selecting = tree
        .get(container)
        .is_some_and(|node| node.role == Role::ComboBox && node.abilities.contains(Abilities::SELECTION));
    Ok(is_selecting
        && told_choice(&tree, container).is_none()
        && turn.app.selected_in(container).await? == Some(option.id))
}
