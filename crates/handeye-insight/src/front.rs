//! Which window of an application is in front, as far as its tree shows that.

use handeye_core::{NodeId, Role, States, Tree};

/// The window in front: an open modal dialog before the active window, that before the others.
pub fn front(tree: &Tree) -> Option<NodeId> {
    let shown = || tree.windows().filter(|window| window.is_showing());
    let is_dialog = |role: Role| matches!(role, Role::Dialog | Role::Alert);
    let blocks = shown().filter(|window| {
        window.states.contains(States::MODAL)
            || (is_dialog(window.role) && window.states.contains(States::ACTIVE))
    });
    blocks
        .last()
        .or_else(|| shown().find(|window| window.states.contains(States::ACTIVE)))
        .or_else(|| shown().filter(|window| is_dialog(window.role)).last())
        .or_else(|| shown().next())
        .map(|window| window.id)
}
