//! What an element says and what can be done with it, by itself.

use crate::line::shown_value;
use handeye_core::{Abilities, Node, NodeId, Role, States, Tree};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Whether the element lists rows, of which there may be very many.
pub(super) const fn is_collection(role: Role) -> bool {
    matches!(role, Role::List | Role::ListBox | Role::Tree | Role::TreeGrid | Role::Table | Role::Calendar)
}

/// What belongs to the frame of a user interface and carries no content, with everything inside of it.
pub fn is_furniture(node: &Node) -> bool {
    matches!(node.role, Role::Separator | Role::ScrollBar)
}

/// Whether the line of an element would add nothing to the lines around it.
pub(super) fn says_nothing(tree: &Tree, node: &Node, above: Option<&Arc<Node>>) -> bool {
    // What is left out of it is stated below its line.
    if node.has_virtual_children() || node.strangers > 0 {
        return false;
    }
    let label = node.label().trim();
    let is_bare = label.is_empty() && shown_value(node).is_none();
    match node.role {
        Role::Text | Role::Paragraph => {
            let repeats = above.is_some_and(|above| !label.is_empty() && above.label().trim() == label);
            (is_bare || repeats) && !node.states.contains(States::EDITABLE)
        }
        Role::Image => is_bare && !is_clickable(node),
        // The item that opens it says what it is.
        Role::Menu => is_bare && above.is_some_and(|above| above.role == Role::MenuItem),
        // Their children speak for themselves.
        Role::MenuBar | Role::ToolBar | Role::StatusBar | Role::TabList | Role::Form | Role::Article => {
            is_bare
        }
        role => role.is_structural() && is_bare && !tree.is_focused(node.id),
    }
}

pub(super) fn is_clickable(node: &Node) -> bool {
    node.abilities.contains(Abilities::ACTION) && node.states.contains(States::FOCUSABLE)
}

/// Whether an element is a page of which not all is there yet, or the place of one that is being replaced. Browsers have empty pages also
/// in the windows of their own parts, which have no title; nothing ever comes into those.
pub(super) fn is_loading(tree: &Tree, node: &Node) -> bool {
    let is_titled = || tree.window_of(node.id).is_some_and(|window| !window.name.is_empty());
    let is_unfinished_page = node.role == Role::Document
        && node.is_showing()
        && (node.states.contains(States::BUSY)
            || (node.child_count == 0 && node.name.is_empty() && is_titled()));
    is_unfinished_page || (tree.awaits_page(node.id) && is_titled())
}

/// The nearest elements at and below `start` that an outline would give a line, found by looking through wrappers.
pub fn speaking(tree: &Tree, start: NodeId) -> impl Iterator<Item = NodeId> {
    nearest_speaking(tree, vec![start])
}

/// The nearest elements below `start` that an outline would give a line.
pub(super) fn speaking_inside(tree: &Tree, start: NodeId) -> impl Iterator<Item = NodeId> {
    let inside = tree.get(start).map(|node| node.children.iter().rev().copied().collect());
    nearest_speaking(tree, inside.unwrap_or_default())
}

fn nearest_speaking(tree: &Tree, mut stack: Vec<NodeId>) -> impl Iterator<Item = NodeId> {
    let mut seen = FxHashSet::default();
    std::iter::from_fn(move || {
        while let Some(id) = stack.pop() {
            let Some(node) = tree.get(id).filter(|node| node.is_showing() && !is_furniture(node)) else {
                continue;
            };
            if !seen.insert(id) {
                continue;
            }
            if !says_nothing(tree, node, None) {
                return Some(id);
            }
            stack.extend(node.children.iter().rev());
        }
        None
    })
}

/// Whether an element gets a reference: what can be acted on, and what can be asked for by itself.
pub fn addressable(node: &Node) -> bool {
    let role = node.role;
    let is_editable = node.states.contains(States::EDITABLE);
    match role {
        Role::Text | Role::Paragraph | Role::Heading | Role::ToolTip => is_editable,
        Role::Image => is_clickable(node),
        Role::ProgressBar | Role::LevelBar => false,
        _ if node.has_virtual_children() => true,
        _ if role.is_interactive() || role.is_window() || is_collection(role) => true,
        Role::Menu | Role::Document | Role::Canvas | Role::Row => true,
        // What a program paints itself, as wxWidgets' toolbars have it, is a part with a name and nothing inside.
        _ if role.is_structural() && !node.label().is_empty() => true,
        _ => is_editable || (!node.label().is_empty() && !node.children.is_empty()) || is_clickable(node),
    }
}
