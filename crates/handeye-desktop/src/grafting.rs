//! Which elements can carry another source's tree, and the tree that results.

use handeye_core::{Node, NodeId, Role, Tree};
use std::sync::Arc;

/// A tree that is shown under an element of another one.
pub(crate) struct Scion {
    /// The element under which it is shown.
    pub(crate) carrier: NodeId,
    /// The tree. What is below its root is shown; its root represents an application, which the carrier replaces.
    pub(crate) tree: Arc<Tree>,
}

/// Whether an element may stand for what another source shows in detail: a document, a picture that is drawn, what is embedded, a socket. A
/// socket has no role of its own (toolkits call it a panel or a filler): it is an element whose child of another process its source left out.
pub(crate) fn may_carry(node: &Node) -> bool {
    matches!(node.role, Role::Document | Role::Canvas | Role::Media) || node.strangers > 0
}

/// `host` with each of `scions` in the place of what was below its carrier. A scion may be carried by one before it. One whose carrier is
/// not there, or that shows nothing, changes nothing.
pub(crate) fn grafted(host: &Tree, scions: &[Scion]) -> Tree {
    let mut tree = host.clone();
    for scion in scions {
        let shown: Vec<NodeId> = scion.tree.windows().map(|node| node.id).collect();
        let Some(carrier) = tree.get(scion.carrier).filter(|_| !shown.is_empty()) else { continue };
        for replaced in carrier.children.clone() {
            tree.remove_subtree(replaced);
        }
        let root = scion.tree.root();
        for node in scion.tree.nodes().filter(|node| Some(node.id) != root) {
            tree.insert_shared(Arc::clone(node));
        }
        for id in &shown {
            tree.update(*id, |node| node.parent = Some(scion.carrier));
        }
        tree.update(scion.carrier, |carrier| {
            carrier.child_count = u32::try_from(shown.len()).unwrap_or(u32::MAX);
            carrier.children = shown;
            // What was left out is what the scion shows.
            carrier.strangers = 0;
        });
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::{named, tree};

    fn browser() -> Tree {
        tree(
            "window \"Browser\"
               button \"Reload\"
               document \"Page\"
                 text \"as the browser reports it\"
               button \"Close\"",
        )
    }

    fn names(tree: &Tree) -> Vec<String> {
        let root = tree.root().expect("a root");
        tree.descendants(root).skip(1).map(|node| node.name.to_string()).collect()
    }

    #[test]
    fn a_scion_replaces_what_its_carrier_showed() {
        let host = browser();
        let page = tree("heading \"Title\"\nlist \"Links\"\n  link \"First\"");
        let carrier = named(&host, "Page");
        let all = grafted(&host, &[Scion { carrier, tree: Arc::new(page) }]);
        assert_eq!(names(&all), ["Browser", "Reload", "Page", "Title", "Links", "First", "Close"]);
        let first = named(&all, "First");
        let above: Vec<String> = all.ancestors(first).map(|node| node.name.to_string()).collect();
        assert_eq!(above, ["Links", "Page", "Browser", "App"]);
        assert_eq!(all.window_of(first).map(|node| &*node.name), Some("Browser"));
        assert_eq!(all.get(carrier).map(|node| node.child_count), Some(2));
    }

    #[test]
    fn a_scion_may_carry_another_one() {
        let host = browser();
        let page = tree("heading \"Title\"\ncanvas \"Map\"");
        let map = tree("button \"Zoom in\"");
        let (carrier, canvas) = (named(&host, "Page"), named(&page, "Map"));
        let scions =
            [Scion { carrier, tree: Arc::new(page) }, Scion { carrier: canvas, tree: Arc::new(map) }];
        assert_eq!(names(&grafted(&host, &scions))[2..6], ["Page", "Title", "Map", "Zoom in"]);
    }

    #[test]
    fn a_scion_without_carrier_or_content_changes_nothing() {
        let host = browser();
        let carrier = named(&host, "Page");
        let scions = [
            Scion { carrier: NodeId::mint(), tree: Arc::new(tree("button \"Lost\"")) },
            Scion { carrier, tree: Arc::default() },
        ];
        assert_eq!(names(&grafted(&host, &scions)), names(&host));
    }
}
