//! Choosing from the open list of a combo box, for applications that act on a choice that is made there and on no other.

use super::actor::{Action, Actor, named, refused};
use super::choosing::{check_choice, choosing_again, is_chosen};
use super::confirm::Deed;
use super::expected::Expected;
use super::journal::{ElementState, Revert};
use super::observation::Observation;
use super::popups::{self, Watch, Which};
use super::route::Route;
use super::settle::Baseline;
use crate::effect::Effect;
use crate::locate::Located;
use async_trait::async_trait;
use handeye_core::{
    DetailKinds, Error, ErrorCode, Invocation, Node, NodeAction, NodeId, Permit, Result, Role, States, Tree,
    WindowId, text,
};
use handeye_tree::describe::{describe, quote};
use std::collections::HashSet;
use std::sync::Arc;

/// How often a list is opened. A window that becomes the active one closes lists that had opened just before.
const ATTEMPTS: usize = 2;

/// Choosing an option in the open list of its combo box.
pub struct ChooseInList<'a> {
    /// The combo box.
    pub target: &'a Located,
    /// The option.
    pub option: Arc<Node>,
    /// The label of the option that is chosen now, if that is known.
    pub chosen: Option<String>,
}

impl ChooseInList<'_> {
    fn with_pointer(&self) -> Invocation {
        Invocation::of("ax_click").with("query", &*self.target.handle).with("mode", "focus")
    }
}

#[async_trait]
impl Action for ChooseInList<'_> {
    /// What is open before.
    type Aim = Option<HashSet<WindowId>>;

    fn target(&self) -> Option<&Located> {
        Some(self.target)
    }

    fn route(&self) -> Route {
        Route::Accessibility
    }

    async fn deed(&self, _actor: &Actor<'_>) -> Result<Deed> {
        Ok(Deed::open(self.option.id))
    }

    async fn aim(&self, actor: &Actor<'_>, _permit: &Permit) -> Result<Self::Aim> {
        let application = actor.app.application();
        if let Some(user) = popups::user_elsewhere(actor.desk, application).await {
            return Err(refused(
                "the choice",
                &format!(
                    "{} takes a choice from its open list only, and that would take the keyboard from window \"{}\"",
                    named(self.target),
                    quote(&user.title)
                ),
                text![
                    self.with_pointer(),
                    " opens the list; then ",
                    Invocation::of("ax_click"),
                    format!(" on {} in it.", describe(&self.option))
                ],
            ));
        }
        Ok(popups::open_now(actor.desk, application).await)
    }

    fn watched(&self, _open: &Self::Aim) -> (Option<NodeId>, Expected) {
        (Some(self.target.node.id), Expected::Proof)
    }

    async fn dispatch(
        &self,
        actor: &Actor<'_>,
        permit: &Permit,
        open: &Self::Aim,
        baseline: &Baseline<'_>,
    ) -> Result<Observation> {
        let container = self.target.node.id;
        let mut watch =
            Watch::on(actor.desk, permit, actor.app.application(), Which::OpenedAfter(open.clone()));
        let mut entry = in_open_list(baseline.tree(), container, &self.option);
        let mut attempts = 0;
        while entry.is_none() && attempts < ATTEMPTS {
            attempts += 1;
            let opened = actor.request(permit, baseline, container, &NodeAction::Invoke(None)).await?;
            entry = in_open_list(&opened.after, container, &self.option);
            if opened.ended || opened.unresponsive {
                break;
            }
            // A list that opens late is not closed again.
            let now = actor.app.reread(&[container], DetailKinds::empty()).await?;
            if is_expanded(&now, container) {
                break;
            }
        }
        let Some(entry) = entry else {
            watch.end().await;
            let message =
                format!("{} did not open a list with {}", named(self.target), describe(&self.option));
            return Err(Error::new(ErrorCode::ActionFailed, message)
                .with_next(text![self.with_pointer(), " opens it with the real pointer."]));
        };
        let pressed = actor.request(permit, baseline, entry, &NodeAction::Invoke(None)).await;
        // Nothing if the list is closed, as it should be.
        watch.end().await;
        pressed
    }

    async fn judge(
        &self,
        actor: &Actor<'_>,
        _open: &mut Self::Aim,
        observation: &Observation,
    ) -> Result<Effect> {
        let container = self.target.node.id;
        let is_closed = in_open_list(&observation.after, container, &self.option).is_none();
        if is_closed && is_chosen(actor, observation, container, &self.option).await? {
            return Ok(Effect::confirmed(format!("{} is chosen now", describe(&self.option))));
        }
        if is_closed {
            check_choice(actor, observation, self.target, &self.option)?;
        }
        Ok(Effect::unconfirmed("the combo box does not say that it is chosen"))
    }

    fn revert(&self, _aim: &Self::Aim, _before: Option<&ElementState>) -> Revert {
        choosing_again(self.chosen.as_deref(), &self.option)
    }
}

/// Whether the combo box reports that its list is open.
fn is_expanded(tree: &Tree, container: NodeId) -> bool {
    tree.get(container).is_some_and(|node| node.states.contains(States::EXPANDED))
}

/// The entry of that name in a list that is open. It is not part of the combo box: a browser draws the list itself.
fn in_open_list(tree: &Tree, container: NodeId, option: &Node) -> Option<NodeId> {
    let is_open = |entry: &Node| {
        let mut above = tree.ancestors(entry.id);
        above
            .find(|node| node.role == Role::ComboBox)
            .is_some_and(|list| list.id != container && list.states.contains(States::EXPANDED))
    };
    tree.nodes()
        .filter(|node| node.role == Role::MenuItem && node.is_showing() && node.label() == option.label())
        .find(|node| is_open(node))
        .map(|node| node.id)
}

#[cfg(test)]
mod tests {
    use super::in_open_list;
    use handeye_core::States;
    use handeye_core::testing::{named, tree};

    #[test]
    fn an_entry_is_found_in_an_open_list_and_not_in_the_closed_combo_box() {
        let mut tree = tree(
            "window \"Main\"\n  combobox \"Size\"\n    menuitem \"Small\"\n  combobox \"List\"\n    menuitem \"Small\"",
        );
        let (size, list) = (named(&tree, "Size"), named(&tree, "List"));
        let option = tree.children(size).next().unwrap().as_ref().clone();
        assert_eq!(in_open_list(&tree, size, &option), None);
        tree.update(list, |node| node.states.insert(States::EXPANDED));
        let entry = tree.children(list).next().unwrap().id;
        assert_eq!(in_open_list(&tree, size, &option), Some(entry));
    }
}
