//! Roles: something that reacts to a click and is announced as a mere area.

use crate::findings::Findings;
use crate::rule::CONTROL_ROLE;
use crate::view::{Element, View, is_control};
use handeye_core::{Abilities, Role, States};
use std::sync::Arc;

/// The actions by which something is pressed. Toolkits offer others, such as `SetFocus` or `clickAncestor`, for nearly everything.
const PRESSES: [&str; 6] = ["click", "press", "activate", "toggle", "jump", "open"];

pub(super) fn check(view: &View<'_>, element: &Element<'_>, findings: &mut Findings) {
    let node = element.node;
    if !node.abilities.contains(Abilities::ACTION) {
        return;
    }
    if is_control(node.role) {
        findings.checked(&CONTROL_ROLE);
        return;
    }
    let is_area =
        node.role.is_structural() || matches!(node.role, Role::Text | Role::Image | Role::Paragraph);
    if !is_area || !element.node.states.contains(States::ENABLED) || element.seen.is_none() {
        return;
    }
    let is_press = |action: &Arc<str>| PRESSES.contains(&action.trim().to_ascii_lowercase().as_str());
    let is_pressed = node.details.actions.known().is_some_and(|actions| actions.iter().any(is_press))
        || view.links(node.id).is_some_and(|links| links.actions.iter().any(is_press));
    // A container that passes clicks on, or an item whose container is the control.
    let holds_controls = view
        .below(node.id)
        .any(|below| is_control(below.node.role) || below.node.states.contains(States::FOCUSABLE));
    let in_control =
        view.tree().ancestors(node.id).take_while(|above| !above.role.is_window()).any(|above| {
            is_control(above.role)
                || matches!(
                    above.role,
                    Role::ListItem
                        | Role::TreeItem
                        | Role::Cell
                        | Role::Row
                        | Role::ColumnHeader
                        | Role::Menu
                )
        });
    if !is_pressed || holds_controls || in_control {
        return;
    }
    // The label of a field offers a click of its own, which goes to the field.
    let is_focusable = node.states.contains(States::FOCUSABLE);
    if matches!(node.role, Role::Text | Role::Paragraph) && !is_focusable {
        return;
    }
    findings.checked(&CONTROL_ROLE);
    findings.fail(
        &CONTROL_ROLE,
        element,
        format!("it can be pressed, but its role is {}", node.role.aria()),
        "Use the toolkit's own control, or set the role (button, link, checkbox).",
    );
}
