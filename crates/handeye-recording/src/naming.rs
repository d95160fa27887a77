//! Names an element of a tree so that it is found again: by role and label, by what it is in, by its number as the last resort.

use handeye_core::{Node, NodeId, Tree, screen_text};
use handeye_query::{Query, Search, Strategy};

/// Longest label that names an element, in characters. A longer one is a text and no name.
const MAX_LABEL: usize = 80;
/// Most elements that are counted to find the number of one.
const MAX_NUMBER: usize = 200;

/// A query that means this element and no other one now; `None` if there is none.
pub fn query(tree: &Tree, id: NodeId) -> Option<String> {
    let node = tree.get(id)?;
    let own = step(node);
    if means(tree, &own, id) {
        return Some(own);
    }
    let within = tree
        .ancestors(id)
        .filter(|above| !above.role.is_window() && above.parent.is_some() && label(above).is_some())
        .map(|above| format!("{} >> {own}", step(above)));
    let numbered = (1..=MAX_NUMBER).map(|number| format!("{own} #{number}"));
    let matching =
        Query::parse(&own, Strategy::Auto).ok()?.find(tree, Search { limit: 1, ..Search::default() });
    let count = matching.map_or(0, |matches| matches.total);
    within.chain(numbered.take(count)).find(|query| means(tree, query, id))
}

/// Whether a query means this element alone.
fn means(tree: &Tree, query: &str, id: NodeId) -> bool {
    let Ok(query) = Query::parse(query, Strategy::Auto) else { return false };
    query
        .find(tree, Search { limit: 1, ..Search::default() })
        .is_ok_and(|found| found.equally_good == 1 && found.nodes.first().is_some_and(|first| first.id == id))
}

/// An element by its role and its label, if it has one.
fn step(node: &Node) -> String {
    match label(node) {
        Some(label) => format!("{} {}", node.role.aria(), quoted(label)),
        None => format!("role:{}", node.role.aria()),
    }
}

/// The label that an element can be called by.
pub(crate) fn label(node: &Node) -> Option<&str> {
    let label = node.label().trim();
    let is_name = !label.is_empty()
        && label.chars().count() <= MAX_LABEL
        && !label.chars().any(char::is_control)
        // It is shown in files, and must be what it looks like.
        && screen_text::line(label, MAX_LABEL) == label
        && !label.contains("{{");
    is_name.then_some(label)
}

/// A text as the query language has it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::{named, tree};
    use proptest::prelude::*;

    #[test]
    fn an_element_is_called_by_as_little_as_means_it_alone() {
        let tree = tree(
            "window \"Main\"\n  button \"Save\"\n  group \"First\"\n    button \"OK\"\n  group \"Second\"\n    \
             button \"OK\"\n    textbox\n    textbox\n",
        );
        let call = |id| query(&tree, id);
        assert_eq!(call(named(&tree, "Save")).as_deref(), Some("button \"Save\""));
        let second = named(&tree, "Second");
        let inside: Vec<NodeId> = tree.children(second).map(|node| node.id).collect();
        assert_eq!(call(inside[0]).as_deref(), Some("group \"Second\" >> button \"OK\""));
        assert_eq!(call(inside[2]).as_deref(), Some("role:textbox #2"));
    }

    proptest! {
        #[test]
        fn a_query_means_its_element(labels in proptest::collection::vec("[ -~]{0,12}", 1..12)) {
            let mut tree = tree("window \"Main\"\n");
            let window = named(&tree, "Main");
            let mut ids = Vec::new();
            for label in &labels {
                let id = NodeId::mint();
                let node = Node::new(id, Some(window), handeye_core::Role::Button, label);
                handeye_core::testing::add(&mut tree, window, node);
                ids.push(id);
            }
            for id in ids {
                if let Some(query) = query(&tree, id) {
                    prop_assert!(means(&tree, &query, id), "{query}");
                }
            }
        }
    }
}
