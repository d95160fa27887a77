//! Frames that stand for the one button in them. What cells make one line is [`handeye_core::name_from_cells`].

use super::blank::{CONTENT, NOTICEABLE};
use super::content::{is_loading, speaking_inside};
use crate::line::tags;
use handeye_core::{Abilities, Node, Role, States, Tree};
use std::sync::Arc;

/// The button that is all there is in a frame which says no more than it: tool bars of GTK 3 have such a frame around each tool.
pub(crate) fn button_in_frame<'t>(tree: &'t Tree, frame: &Node) -> Option<&'t Arc<Node>> {
    let around = frame.parent.and_then(|parent| tree.get(parent));
    let is_own = around.is_some_and(|around| around.owner == frame.owner);
    if !frame.role.is_structural() || frame.label().is_empty() || !is_own || !is_only_a_frame(tree, frame) {
        return None;
    }
    let mut parts = speaking_inside(tree, frame.id).take(2);
    let (Some(part), None) = (parts.next(), parts.next()) else { return None };
    let button = tree.get(part)?;
    let is_button = matches!(button.role, Role::Button | Role::ToggleButton);
    (is_button && button.owner == frame.owner && says_the_same(frame, button)).then_some(button)
}

/// Whether an element is nothing but a name: without content, state or ability that a line would show or a caller could use.
fn is_only_a_frame(tree: &Tree, frame: &Node) -> bool {
    let abilities = CONTENT | Abilities::ACTION;
    frame.is_showing()
        && !frame.abilities.intersects(abilities)
        && !frame.states.intersects(NOTICEABLE | States::FOCUSABLE)
        && tags(frame, false).next().is_none()
        && frame.value_text().is_none()
        && frame.strangers == 0
        && frame.unloaded_children() == 0
        && !is_loading(tree, frame)
}

/// Whether the name and the description of a frame are those of the button in it, whatever their case.
fn says_the_same(frame: &Node, button: &Node) -> bool {
    let words = |text: &str| text.trim().trim_end_matches(['…', '.', ':']).to_lowercase();
    let (name, description) = (words(&frame.name), words(&frame.description));
    let is_described = description.is_empty()
        || description == words(&button.name)
        || description == words(&button.description);
    words(frame.label()) == words(button.label())
        && (name.is_empty() || name == words(button.label()))
        && is_described
}
