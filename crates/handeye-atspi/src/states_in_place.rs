//! The states of elements as far as they depend on where the elements are.

use super::toolkit::{ElementContext, Toolkit};
use handeye_core::{NodeId, Role, States, Tree};

/// The states of an element of `role` below `parent`, as handeye understands them.
pub(super) fn states_in_place(
    tree: &Tree,
    toolkit: Toolkit,
    parent: Option<NodeId>,
    role: Role,
    states: States,
) -> States {
    toolkit.normalise_states(states, place_in(tree, parent, role))
}

/// The place of an element of `role` below `parent`.
pub(super) fn place_in(tree: &Tree, parent: Option<NodeId>, role: Role) -> ElementContext<'_> {
    let parent = parent.and_then(|parent| tree.get(parent));
    ElementContext {
        role,
        embedded: parent.is_some_and(|node| node.owner.is_some()),
        // An application's own element has no states, so it counts as showing.
        parent_showing: parent.is_none_or(|node| node.parent.is_none() || node.is_showing()),
        parent_focused: parent.is_some_and(|node| node.states.contains(States::FOCUSED)),
        parent_role: parent.map(|node| &*node.native_role),
    }
}

/// Derives SHOWING again for everything below `id`, for toolkits that set it on windows only.
pub(super) fn derive_showing_below(tree: &mut Tree, toolkit: Toolkit, id: NodeId) {
    let below: Vec<NodeId> = tree.descendants(id).skip(1).map(|node| node.id).collect();
    for id in below {
        let Some(node) = tree.get(id) else { continue };
        let states = states_in_place(tree, toolkit, node.parent, node.role, node.states - States::SHOWING);
        tree.update(id, |node| node.states = states);
    }
}
