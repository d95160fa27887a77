//! Elements in sentences.

use handeye_core::{Node, Tree, name_from_cells, screen_text};

/// Longest text that a sentence repeats, in characters.
const QUOTED: usize = 60;

/// An element in a sentence: `button "Save"`, and whose it is where that is not its application's.
pub fn describe(node: &Node) -> String {
    called(node, node.label())
}

/// The same for an element of `tree`: a cell that consists of cells is called by their texts, as in an outline.
pub fn describe_in(tree: &Tree, node: &Node) -> String {
    name_from_cells(tree, node).map_or_else(|| describe(node), |name| called(node, &name))
}

fn called(node: &Node, name: &str) -> String {
    let name = quote(name.trim());
    let mut description = node.role.to_string();
    if !name.is_empty() {
        description.push_str(&format!(" \"{name}\""));
    }
    if let Some(owner) = &node.owner {
        description.push_str(&format!(" of {owner}"));
    }
    description
}

/// Text of the screen, short and on one line.
pub fn quote(text: &str) -> String {
    screen_text::line(text, QUOTED)
}
