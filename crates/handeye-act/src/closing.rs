//! Menus, lists and popovers, which close for any click beside them.

use crate::observation::Observation;
use handeye_core::{Node, Role, States, Tree};

/// The states of a button, a box or an item that has opened a menu or a popover; in GTK 3 a button that stays down counts as checked.
pub(super) const OPEN: States = States::PRESSED.union(States::EXPANDED).union(States::CHECKED);

/// Whether what an element had opened has closed, as the popover of a button does for any click beside it. A toggle button that opens
/// something need not report so, as in GTK 3: where nothing was open, it came up because it is one of several.
pub(super) fn is_opener_closing(
    observation: &Observation,
    node: &Node,
    gained: States,
    lost: States,
) -> bool {
    if !lost.intersects(OPEN) || gained.intersects(OPEN) {
        return false;
    }
    let reports_popup = node.states.contains(States::HAS_POPUP) || lost.contains(States::EXPANDED);
    let may_stay_down = matches!(node.role, Role::Button | Role::ToggleButton);
    is_opener(node) && (reports_popup || !may_stay_down || has_open_popup(&observation.before))
}

/// Whether a popover or a menu was open.
fn has_open_popup(tree: &Tree) -> bool {
    let is_in_bar = |node: &Node| {
        node.parent.and_then(|parent| tree.get(parent)).is_some_and(|above| above.role == Role::MenuBar)
    };
    tree.nodes().any(|node| node.is_showing() && (is_popover(node) || (is_menu(node) && !is_in_bar(node))))
}

/// Whether an element is a menu or an item of one.
fn is_menu(node: &Node) -> bool {
    matches!(node.role, Role::Menu | Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio)
}

/// Whether an element is a popover of GTK 3, which is a part of its window.
fn is_popover(node: &Node) -> bool {
    node.states.contains(States::MODAL) && !node.role.is_window()
}

/// Whether an element may open a menu, a list or a popover.
fn is_opener(node: &Node) -> bool {
    matches!(node.role, Role::Button | Role::ToggleButton | Role::ComboBox | Role::Menu | Role::MenuItem)
        || node.states.contains(States::HAS_POPUP)
}

/// Whether what is gone was a menu, or another popup: those have the focus while they are open.
pub(super) fn is_popup(observation: &Observation, gone: &Node) -> bool {
    let before = &observation.before;
    let is_open_list = |node: &Node| node.role == Role::ComboBox;
    // A click in a popover, other than one beside it, closes it only by what it does.
    let is_around_target = |node: &Node| {
        let target = observation.target.into_iter();
        target.flat_map(|target| before.ancestors(target)).any(|above| above.id == node.id)
    };
    let is_popover_beside = |node: &Node| is_popover(node) && !is_around_target(node);
    // GTK 4 has a popover below its button.
    let has_closed = |node: &Node| {
        let now = observation.after.get(node.id).map_or(States::empty(), |now| now.states);
        is_opener(node) && (node.states - now).intersects(OPEN) && !is_around_target(node)
    };
    let mut inside = before.descendants(gone.id);
    let above = || before.ancestors(gone.id).take_while(|node| !node.role.is_window());
    if is_menu(gone) || is_popover_beside(gone) {
        return true;
    }
    if above().any(|node| is_menu(node) || is_open_list(node) || is_popover_beside(node) || has_closed(node))
    {
        return true;
    }
    inside.any(|node| {
        (is_menu(node) && !holds_menu_bar(before, gone))
            || (node.states.contains(States::FOCUSED) && Some(node.id) != observation.target)
    })
}

/// A window with a menu bar has menus in it and is none.
fn holds_menu_bar(tree: &Tree, node: &Node) -> bool {
    tree.descendants(node.id).any(|inside| inside.role == Role::MenuBar)
}
