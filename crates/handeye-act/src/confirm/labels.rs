//! What a press makes act, and the texts that an element says of itself.

use handeye_core::{Node, Role, Tree};

/// Most elements in a row that are read for what it says.
const INSIDE_ROW: usize = 200;
/// Most elements in a button, or in something without words of its own, that are read for what it says: a whole page is not a label.
pub(super) const INSIDE_BUTTON: usize = 8;

/// Whether a double click, Return or its own action makes it act, and a click only marks it.
pub(super) const fn opens(node: &Node) -> bool {
    matches!(
        node.role,
        Role::ListItem
            | Role::TreeItem
            | Role::Row
            | Role::Cell
            | Role::ColumnHeader
            | Role::Tab
            | Role::Heading
            | Role::Paragraph
    )
}

/// Whether a press makes it act.
pub(super) const fn is_pressed(node: &Node) -> bool {
    matches!(
        node.role,
        Role::Button
            | Role::ToggleButton
            | Role::Switch
            | Role::MenuItem
            | Role::MenuItemCheckBox
            | Role::MenuItemRadio
            | Role::Link
    )
}

/// What an element says about itself: its name, its description, and, if it has neither, what it holds.
pub(super) fn texts<'a>(tree: &'a Tree, node: &'a Node) -> Vec<&'a str> {
    let own: Vec<&str> = own_texts(node).collect();
    let is_label = is_pressed(node) || opens(node) || node.role.is_structural();
    if own.is_empty() && is_label { inside(tree, node, INSIDE_BUTTON) } else { own }
}

/// The labels of what an element holds, if that is not more than `most` elements.
pub(super) fn inside<'a>(tree: &'a Tree, node: &Node, most: usize) -> Vec<&'a str> {
    let held = || tree.descendants(node.id).skip(1).filter(|node| node.is_showing());
    if held().nth(most).is_some() {
        return Vec::new();
    }
    held().map(|node| node.label()).filter(|label| !label.is_empty()).collect()
}

/// The same and, for a row, an item or a button, whatever is in it.
pub(super) fn texts_inside<'a>(tree: &'a Tree, node: &'a Node) -> impl Iterator<Item = &'a str> {
    let most = match node {
        row if opens(row) => INSIDE_ROW,
        button if is_pressed(button) => INSIDE_BUTTON,
        _ => 0,
    };
    let inside = tree.descendants(node.id).skip(1).take(most);
    texts(tree, node).into_iter().chain(inside.flat_map(|node| own_texts(node)))
}

fn own_texts(node: &Node) -> impl Iterator<Item = &str> {
    [&*node.name, &*node.description].into_iter().filter(|text| !text.is_empty())
}
