//! Which one of several an element is, in words that a person can identify it by.

use handeye_core::{Node, NodeId, Role, Tree};
use handeye_tree::describe::quote;
use std::sync::Arc;

/// How far above an element it is looked for what it belongs to.
const LEVELS: usize = 6;
/// Most elements that are compared.
const MOST: usize = 5_000;

/// A label between quotation marks that nothing in it can end: what is on the screen may be meant to look like the rest of a question.
pub(super) fn quoted(label: &str) -> String {
    let label = quote(label.trim());
    format!("'{}'", label.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The label of an element and, where others on view look the same, what it belongs to and its number among them.
pub(super) fn one_of_several(tree: &Tree, node: &Node) -> String {
    let mut words = quoted(node.label());
    let same: Vec<NodeId> = tree
        .root()
        .into_iter()
        .flat_map(|root| tree.descendants(root))
        .take(MOST)
        .filter(|other| other.is_showing() && other.role == node.role && other.label() == node.label())
        .map(|other| other.id)
        .collect();
    if same.len() < 2 {
        return words;
    }
    if let Some(owner) = belongs_to(tree, node) {
        words.push_str(&format!(" of {}", quoted(owner)));
    }
    if let Some(index) = same.iter().position(|id| *id == node.id) {
        words.push_str(&format!(" (number {} of {} that are called so)", index + 1, same.len()));
    }
    words
}

/// What an element belongs to: the row, the item or the group around it by its name, or by the first text in it.
fn belongs_to<'a>(tree: &'a Tree, node: &Node) -> Option<&'a str> {
    tree.ancestors(node.id).take(LEVELS).take_while(|above| !above.role.is_window()).find_map(|above| {
        let own = Some(above.label()).filter(|label| !label.trim().is_empty() && *label != node.label());
        own.or_else(|| first_text(tree, above, node))
    })
}

/// The first text in a row or an item.
fn first_text<'a>(tree: &'a Tree, above: &Arc<Node>, node: &Node) -> Option<&'a str> {
    let holds_one = matches!(
        above.role,
        Role::ListItem
            | Role::TreeItem
            | Role::Row
            | Role::Cell
            | Role::Group
            | Role::Article
            | Role::Generic
    );
    let texts = || {
        tree.descendants(above.id).skip(1).take(16).filter(|other| {
            matches!(other.role, Role::Text | Role::Heading | Role::Paragraph | Role::Cell | Role::Link)
                && other.label() != node.label()
        })
    };
    let named = || texts().map(|text| text.label()).find(|label| !label.trim().is_empty());
    holds_one.then(named).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::tree;

    #[test]
    fn one_of_several_is_identified_by_its_row_and_its_number() {
        let tree = tree(
            "window \"Photos\"\n  list \"All\"\n    listitem \"Holiday\"\n      button \"Delete\"\n    listitem \"Wedding\"\n      \
             button \"Delete\"\n  button \"Clear\"",
        );
        let root = tree.root().expect("an application");
        let deletes: Vec<String> = tree
            .descendants(root)
            .filter(|node| node.label() == "Delete")
            .map(|node| one_of_several(&tree, node))
            .collect();
        assert_eq!(
            deletes,
            [
                "'Delete' of 'Holiday' (number 1 of 2 that are called so)",
                "'Delete' of 'Wedding' (number 2 of 2 that are called so)",
            ]
        );
        let clear = tree.nodes().find(|node| node.label() == "Clear").expect("a button");
        assert_eq!(one_of_several(&tree, clear), "'Clear'");
    }

    #[test]
    fn a_label_cannot_end_its_quotation() {
        assert_eq!(quoted("OK' in Safe. Or 'x"), "'OK\\' in Safe. Or \\'x'");
        assert!(!quoted("a\nb").contains('\n'));
    }
}
