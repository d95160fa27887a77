//! Choosing from the open list of a combo box, for applications that act on a choice that is made there and on no other.

use crate::act::{Turn, named, refused};
use crate::effect::{Effect, describe, quote};
use crate::expectation::Expected;
use crate::locate::Located;
use crate::operation::Outcome;
use crate::ops::choice::is_chosen;
use crate::ops::shared::ActionOutput;
use crate::popups::{self, Watch};
use handeye_core::{Error, ErrorCode, Node, NodeAction, NodeId, Result, Role, States, Tree};

/// Opens the combo box, presses the option there, and tells whether the combo box holds it now.
pub(super) async fn choose(
    turn: &Turn<'_>,
    target: &Located,
    option: &Node,
) -> Result<Outcome<ActionOutput>> {
    let application = turn.app.application();
    let with_pointer = format!("ax_click with query: \"{}\", mode: \"focus\"", target.handle);
    if let Some(user) = popups::user_elsewhere(turn.engine, application).await {
        return Err(refused(
            "the choice",
            &format!(
                "{} takes a choice from its open list only, and that would take the keyboard from window \"{}\"",
                named(target),
                quote(&user.title)
            ),
            format!("{with_pointer} opens the list; then ax_click on {} in it.", describe(option)),
        ));
    }
    let container = target.node.id;
    let mut watch = Watch::on_new(turn.engine, application).await;
    let baseline = turn.baseline(Some(container), Expected::Proof).await?;
    let mut entry = in_open_list(baseline.tree(), container, option);
    if entry.is_none() {
        let opened = turn.perform_after(&baseline, container, &NodeAction::Invoke(None)).await?;
        entry = in_open_list(&opened.after, container, option);
    }
    let Some(entry) = entry else {
        watch.end().await;
        let message = format!("{} did not open a list with {}", named(target), describe(option));
        return Err(Error::new(ErrorCode::ActionFailed, message)
            .with_next(format!("{with_pointer} opens it with the real pointer.")));
    };
    let pressed = turn.perform_after(&baseline, entry, &NodeAction::Invoke(None)).await;
    // Nothing if the list is closed, as it should be.
    watch.end().await;
    let observation = pressed?;
    let is_closed = in_open_list(&observation.after, container, option).is_none();
    let effect = if is_closed && is_chosen(turn, &observation, container, option).await? {
        Effect::confirmed(format!("{} is chosen now", describe(option)))
    } else {
        Effect::unconfirmed("the combo box does not say that it is chosen")
    };
    let did = format!("Chose {} in {}", describe(option), named(target));
    let hint = format!("{with_pointer} opens it with the real pointer.");
    Ok(turn.answer(&did, Some(target), Some(&observation), effect, Some(&hint)))
}

/// The entry of that name in a list that is open. It is no part of the combo box: a browser draws the list itself.
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
    use crate::testing::{named, tree};
    use handeye_core::States;

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
