//! The list of a combo box, which opens as a popup.

use super::choosing::is_option;
use handeye_core::{Node, NodeId, Role, Tree};

/// The combo box that a click on an element sets: what is in it is an option.
pub(super) fn set_by(tree: &Tree, option: NodeId) -> Option<&Node> {
    let is_option = tree.get(option).is_some_and(|node| is_option(node.role));
    tree.ancestors(option).find(|node| is_option && node.role == Role::ComboBox).map(AsRef::as_ref)
}

/// The combo box whose list shows an element: an option or the list itself. One of a page may show its list in the page.
pub(super) fn combo_box_of(tree: &Tree, id: NodeId) -> Option<&Node> {
    let may_pop_up = tree.get(id).is_some_and(|node| is_option(node.role) || is_list(node));
    let combo_box = tree.ancestors(id).find(|node| may_pop_up && node.role == Role::ComboBox)?;
    let is_in_page = tree.ancestors(combo_box.id).any(|above| above.role == Role::Document);
    (!is_in_page).then_some(combo_box.as_ref())
}

/// The list of a combo box that shows an element, or is the element: within its popup, it may have a border around it.
pub(super) fn list_of(tree: &Tree, id: NodeId) -> Option<&Node> {
    let node = tree.get(id)?;
    let list = if is_list(node) { node } else { tree.ancestors(id).next().filter(|above| is_list(above))? };
    combo_box_of(tree, list.id).map(|_| list.as_ref())
}

fn is_list(node: &Node) -> bool {
    matches!(node.role, Role::List | Role::Table | Role::Tree)
}
