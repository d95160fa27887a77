//! The list of a combo box, which opens as a popup.

use super::choosing::is_option;
use handeye_core::{Node, NodeId, Role, Tree};

/// The combo box in whose list an option is.
pub(super) fn combo_box_of(tree: &Tree, id: NodeId) -> Option<&Node> {
    let is_option = tree.get(id).is_some_and(|node| is_option(node.role));
    tree.ancestors(id).find(|node| is_option && node.role == Role::ComboBox).map(AsRef::as_ref)
}

/// The list of a combo box that an option is in: within its popup, it may have a border around it.
pub(super) fn list_of(tree: &Tree, option: NodeId) -> Option<&Node> {
    let list = tree.ancestors(option).next().filter(|above| above.role == Role::List)?;
    combo_box_of(tree, option).map(|_| list.as_ref())
}
