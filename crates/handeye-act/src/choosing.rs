//! Choosing one of the options that an element holds, without the pointer.

use super::actor::{Action, Actor, named, refused};
use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::press;
use super::route::Route;
use super::settle::Baseline;
use crate::effect::Effect;
use crate::locate::Located;
use async_trait::async_trait;
use handeye_core::{
    Abilities, DetailKinds, Error, ErrorCode, Invocation, Node, NodeAction, NodeId, Permit, Result, Role,
    States, Tree, text,
};
use handeye_tree::describe::{describe, quote};
use std::sync::Arc;

/// Choosing an option by selecting or pressing it.
pub struct Choose<'a> {
    /// The element that holds it.
    pub target: &'a Located,
    /// The option.
    pub option: Arc<Node>,
    /// The label of the option that is chosen now, if that is known.
    pub chosen: Option<String>,
}

#[async_trait]
impl Action for Choose<'_> {
    type Aim = ();

    fn target(&self) -> Option<&Located> {
        Some(self.target)
    }

    fn route(&self) -> Route {
        Route::Accessibility
    }

    async fn deed(&self, _actor: &Actor<'_>) -> Result<Deed> {
        Ok(Deed::open(self.option.id))
    }

    async fn aim(&self, _actor: &Actor<'_>, _permit: &Permit) -> Result<()> {
        Ok(())
    }

    fn watched(&self, (): &()) -> (Option<NodeId>, Expected) {
        (Some(self.target.node.id), Expected::Proof)
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        (): &(),
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let option = &self.option;
        let select = NodeAction::Select { extend: false };
        let selecting = if actor.app.only_shows(option.id, &select) {
            Err(only_shown(actor, self.target, option))
        } else {
            actor.request(permit, baseline, option.id, &select).await
        };
        let is_done = match &selecting {
            Ok(observation) => is_chosen(actor, observation, self.target.node.id, option).await?,
            Err(error) => {
                !matches!(error.code, ErrorCode::ActionFailed | ErrorCode::NotSupported | ErrorCode::Refused)
            }
        };
        // Some containers take no selection, but their options can be pressed.
        let press = if is_done { None } else { pressing(actor, option.id).await? };
        match press {
            Some(press) if actor.app.only_shows(option.id, &press) => {
                Err(chosen_when_open(actor, self.target, option))
            }
            Some(press) => actor.request(permit, baseline, option.id, &press).await,
            None => selecting,
        }
    }

    async fn judge(&self, actor: &Actor<'_>, (): &mut (), observation: &Observation) -> Result<Effect> {
        if is_chosen(actor, observation, self.target.node.id, &self.option).await? {
            return Ok(Effect::confirmed(format!("{} is chosen now", describe(&self.option))));
        }
        check_choice(actor, observation, self.target, &self.option)?;
        Ok(Effect::unconfirmed("neither the option nor its container says that it is chosen"))
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        choosing_again(self.chosen.as_deref(), &self.option)
    }
}

/// Takes a choice of `option` back.
pub(super) fn choosing_again(chosen: Option<&str>, option: &Node) -> Revert {
    chosen.map_or(Revert::Impossible, |before| Revert::Choose {
        before: before.to_owned(),
        after: option.label().to_owned(),
    })
}

/// The label of the one option that is chosen in a container, if that is known and another option has no label like it.
pub async fn chosen(actor: &Actor<'_>, tree: &Tree, container: NodeId) -> Result<Option<String>> {
    let options: Vec<&Arc<Node>> =
        tree.descendants(container).skip(1).filter(|node| is_option(node.role)).collect();
    let mut held = options.iter().filter(|option| holds(tree, container, option));
    let label = match (held.next(), held.next()) {
        (Some(only), None) => only.label().to_owned(),
        (None, None)
            if tree.get(container).is_some_and(|node| node.abilities.contains(Abilities::SELECTION)) =>
        {
            let selected = actor.app.selected_in(container).await?;
            match options.iter().find(|option| Some(option.id) == selected) {
                Some(option) => option.label().to_owned(),
                None => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    let namesakes = options.iter().filter(|option| option.label() == label).count();
    Ok((namesakes == 1 && !label.trim().is_empty()).then_some(label))
}

/// The refusal to select an option of which the application would only show that it is selected.
fn only_shown(actor: &Actor<'_>, target: &Located, option: &Node) -> Error {
    let application = &actor.app.application().name;
    refused(
        "the choice",
        &format!("{application} would show {} as selected and do nothing about it", describe(option)),
        text![
            Invocation::of("ax_click")
                .with("query", format!("{} >> {} {}", target.handle, option.role, quote(option.label())))
                .with("mode", "focus"),
            " uses the real pointer."
        ],
    )
}

/// The action by which an option is pressed; `None` if it has none, or only one that opens it.
pub async fn pressing(actor: &Actor<'_>, option: NodeId) -> Result<Option<NodeAction>> {
    let tree = match actor.app.reread(&[option], DetailKinds::ACTIONS).await {
        // Chosen, and gone with its list.
        Err(error) if error.code == ErrorCode::StaleReference => return Ok(None),
        other => other?,
    };
    let press = tree.get(option).and_then(|option| press::single(option));
    Ok(press.filter(|press| matches!(press, NodeAction::Invoke(_))))
}

/// Whether such an element is an option.
pub const fn is_option(role: Role) -> bool {
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

/// Whether the tree says that the option is the chosen one.
pub fn holds(tree: &Tree, container: NodeId, option: &Node) -> bool {
    if let Some(choice) = reported_choice(tree, container) {
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
fn reported_choice(tree: &Tree, container: NodeId) -> Option<String> {
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

/// Fails if the container itself says that another option is chosen: then the application accepted the request and did nothing.
pub(super) fn check_choice(
    actor: &Actor<'_>,
    observation: &Observation,
    target: &Located,
    option: &Node,
) -> Result<()> {
    // Both have just been read again.
    let tree = actor.app.mirror().snapshot();
    match reported_choice(&tree, target.node.id).filter(|choice| choice.trim() != option.label().trim()) {
        Some(choice) if !observation.ended && !observation.unresponsive => {
            let message = format!(
                "the application accepted the choice, but {} still shows \"{}\"",
                named(target),
                quote(&choice)
            );
            Err(Error::new(ErrorCode::ActionFailed, message).with_next(text![
                Invocation::of("ax_click").with("query", &*target.handle).with("mode", "focus"),
                " opens it with the real pointer; then ",
                Invocation::of("ax_click").with("mode", "focus"),
                format!(" on {}.", describe(option))
            ]))
        }
        _ => Ok(()),
    }
}

/// The refusal to choose an option that can be clicked in the open list only.
fn chosen_when_open(actor: &Actor<'_>, target: &Located, option: &Node) -> Error {
    let application = &actor.app.application().name;
    let open = Invocation::of("ax_click").with("query", &*target.handle);
    let choose =
        Invocation::of("ax_click").with("query", format!("{} {}", option.role, quote(option.label())));
    refused(
        "the choice",
        &format!("{application} would show {} as selected and do nothing about it", describe(option)),
        text![open, " opens the list, then ", choose, " chooses."],
    )
}

/// Reads the option and its container again and returns whether they report that it is chosen.
pub(super) async fn is_chosen(
    actor: &Actor<'_>,
    observation: &Observation,
    container: NodeId,
    option: &Node,
) -> Result<bool> {
    if observation.ended || observation.unresponsive {
        return Ok(false);
    }
    let present: Vec<NodeId> =
        [container, option.id].into_iter().filter(|id| observation.after.contains(*id)).collect();
    let tree = actor.app.reread(&present, DetailKinds::TEXT | DetailKinds::VALUE).await?;
    if holds(&tree, container, option) {
        return Ok(true);
    }
    // One that has a name of its own, and a menu that is closed, say nothing in the tree (GTK 3).
    let is_selecting = tree
        .get(container)
        .is_some_and(|node| node.role == Role::ComboBox && node.abilities.contains(Abilities::SELECTION));
    Ok(is_selecting
        && reported_choice(&tree, container).is_none()
        && actor.app.selected_in(container).await? == Some(option.id))
}
