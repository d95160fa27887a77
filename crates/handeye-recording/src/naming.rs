//! Names an element of a tree so that it is found again: by role and label, by what it is in, by its number as the last resort.

use handeye_core::{Node, NodeId, Tree, cell_around, name_from_cells, screen_text};
use handeye_query::{Query, Search, Strategy};

/// Longest label that names an element, in characters. A longer one is a text and no name.
const MAX_LABEL: usize = 80;
/// Most elements that are counted to find the number of one.
const MAX_NUMBER: usize = 200;

/// A query that means this element and no other one now; `None` if there is none.
pub fn query(tree: &Tree, id: NodeId) -> Option<String> {
    let node = tree.get(id)?;
    let own = step(tree, node);
    if means(tree, &own, id) {
        return Some(own);
    }
    let within = tree
        .ancestors(id)
        .filter(|above| !above.role.is_window() && above.parent.is_some() && label(above).is_some())
        .map(|above| format!("{} >> {own}", step(tree, above)));
    let numbered = (1..=MAX_NUMBER).map(|number| format!("{own} #{number}"));
    let matching =
        Query::parse(&own, Strategy::Auto).ok()?.find(tree, Search { limit: 1, ..Search::default() });
    let count = matching.map_or(0, |matches| matches.total);
    within.chain(numbered.take(count)).find(|query| means(tree, query, id))
}

/// Whether a query means this element alone, or the cell that it is the text of.
fn means(tree: &Tree, query: &str, id: NodeId) -> bool {
    let Ok(query) = Query::parse(query, Strategy::Auto) else { return false };
    let whole = || tree.get(id).and_then(|part| cell_around(tree, part)).map(|cell| cell.id);
    let is_it = |found: NodeId| found == id || whole() == Some(found);
    query.find(tree, Search { limit: 1, ..Search::default() }).is_ok_and(|found| {
        found.equally_good == 1 && found.nodes.first().is_some_and(|first| is_it(first.id))
    })
}

/// An element by its role and its label, if it has one; a cell of cells by their texts, as an outline shows it.
fn step(tree: &Tree, node: &Node) -> String {
    let of_cells = || name_from_cells(tree, node).filter(|name| is_name(name));
    match label(node).map(str::to_owned).or_else(of_cells) {
        Some(label) => format!("{} {}", node.role.aria(), quoted(&label)),
        None => format!("role:{}", node.role.aria()),
    }
}

/// The label that an element can be called by.
pub(crate) fn label(node: &Node) -> Option<&str> {
    Some(node.label().trim()).filter(|label| is_name(label))
}

fn is_name(label: &str) -> bool {
    !label.is_empty()
        && label.chars().count() <= MAX_LABEL
        && !label.chars().any(char::is_control)
        // It is shown in files, and must be what it looks like.
        && screen_text::line(label, MAX_LABEL) == label
        && !label.contains("{{")
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

    #[test]
    fn a_row_of_cells_is_called_as_an_outline_shows_it() {
        let tree = tree(
            "window \"Tagger\"\n  table\n    cell\n      cell [picture]\n      cell \"bin\" [words]\n    cell\n      \
             cell \"a.ogg\" [words]\n      cell \"4 KB\" [words]\n",
        );
        let call = |id| query(&tree, id);
        let around = |name| tree.get(named(&tree, name)).and_then(|part| part.parent).expect("its cell");
        assert_eq!(call(named(&tree, "bin")).as_deref(), Some("cell \"bin\""), "the text is the whole name");
        assert_eq!(call(around("bin")).as_deref(), Some("cell \"bin\""));
        assert_eq!(call(around("4 KB")).as_deref(), Some("cell \"a.ogg 4 KB\""));
        assert_eq!(call(named(&tree, "4 KB")).as_deref(), Some("cell \"4 KB\""));
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
