//! Menus and lists that are open: they take the keys, whatever else reports that it has the focus.

use handeye_core::{Node, NodeId, Role, States, Tree};
use std::sync::Arc;

/// What is open.
pub(super) struct Popup<'a> {
    /// Its items on view.
    pub items: Vec<&'a Arc<Node>>,
    /// Whether one of them is marked, and so certainly gets the next key.
    pub is_certain: bool,
}

/// What is open on view, except for the list below a text field that `holder` is.
pub(super) fn open(tree: &Tree, holder: Option<NodeId>) -> Popup<'_> {
    let items: Vec<&Arc<Node>> = tree
        .nodes()
        .filter(|node| node.is_showing() && (is_in_menu(tree, node) || is_in_list(tree, node, holder)))
        .collect();
    let is_certain = items.iter().any(|item| is_marked(item));
    Popup { items, is_certain }
}

/// Whether an element is an item of a menu.
pub(super) const fn is_menu_item(node: &Node) -> bool {
    matches!(node.role, Role::Menu | Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio)
}

/// Whether the keys would choose it now.
pub(super) const fn is_marked(node: &Node) -> bool {
    node.states.intersects(States::SELECTED.union(States::FOCUSED))
}

/// Whether it is an item of an open menu. The bar of a window and the menus of a page are there all the time.
fn is_in_menu(tree: &Tree, node: &Node) -> bool {
    if !is_menu_item(node) {
        return false;
    }
    if node.states.contains(States::FOCUSED) {
        return true;
    }
    let mut around = tree.ancestors(node.id);
    let is_fixed = |above: &Arc<Node>| match above.role {
        Role::Document => true,
        // A closed one shows the entry that is chosen.
        Role::ComboBox => !above.states.contains(States::EXPANDED),
        _ => false,
    };
    if around.any(is_fixed) {
        return false;
    }
    let is_below_menu = tree.ancestors(node.id).next().is_some_and(|above| is_menu_item(above));
    is_below_menu || node.states.contains(States::SELECTED)
}

/// Whether it is an entry of the open list of a combo box that is none of a page.
fn is_in_list(tree: &Tree, node: &Node, holder: Option<NodeId>) -> bool {
    if node.role != Role::ListItem {
        return false;
    }
    let around = || tree.ancestors(node.id);
    let Some(list) = around().find(|above| above.role == Role::ComboBox) else { return false };
    let is_holder =
        |holder: NodeId| holder == list.id || tree.ancestors(holder).any(|above| above.id == list.id);
    list.states.contains(States::EXPANDED)
        && !holder.is_some_and(is_holder)
        && !around().any(|above| above.role == Role::Document)
}
