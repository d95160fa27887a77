//! Which of several elements of one name is meant: the one that can be seen and acted on.
//!
//! Toolkits put elements into wrappers of the same name, and keep twins that have no place on the screen.

use handeye_core::{Abilities, ConnectedApp, DetailKinds, ErrorCode, Node, NodeId, Result, States, Tree};
use std::sync::Arc;

/// What distinguishes twins.
pub const DISTINGUISHED_BY: DetailKinds = DetailKinds::EXTENTS.union(DetailKinds::ACTIONS);

/// Reads elements again, with what distinguishes twins. Those that have gone are not in the tree.
pub async fn reread(app: &dyn ConnectedApp, nodes: &[Arc<Node>]) -> Result<Arc<Tree>> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    match app.reread(&ids, DISTINGUISHED_BY).await {
        // One of them has gone meanwhile; the mirror knows which.
        Err(error) if error.code == ErrorCode::StaleReference => Ok(app.mirror().snapshot()),
        other => other,
    }
}

/// Leaves out each element that has a better twin in `tree`, where all were read: one of the same label that has an area where this one has none, or can
/// be acted on where this one cannot. Keeps the order.
pub fn without_worse(tree: &Tree, nodes: &[Arc<Node>]) -> Vec<Arc<Node>> {
    let fresh: Vec<&Arc<Node>> = nodes.iter().filter_map(|node| tree.get(node.id)).collect();
    let has_better =
        |node: &Node| fresh.iter().any(|other| is_twin(other, node) && worth(other) > worth(node));
    fresh.iter().filter(|node| !has_better(node)).map(|node| Arc::clone(node)).collect()
}

fn is_twin(one: &Node, other: &Node) -> bool {
    one.id != other.id && one.label().trim() == other.label().trim()
}

/// What makes one of two twins the one that is meant, the most important first.
fn worth(node: &Node) -> (bool, bool) {
    let has_area = node.details.extents.known().is_none_or(|extents| !extents.is_empty());
    (has_area, can_act(node))
}

/// Whether anything can be done with the element itself.
fn can_act(node: &Node) -> bool {
    let has_action = node.abilities.contains(Abilities::ACTION)
        && node.details.actions.known().is_none_or(|actions| !actions.is_empty());
    has_action
        || node.states.intersects(States::SELECTABLE | States::EDITABLE)
        || node.abilities.contains(Abilities::VALUE)
}
