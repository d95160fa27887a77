//! Elements in sentences.

use handeye_core::{Node, screen_text};

/// Longest text that a sentence repeats, in characters.
const QUOTED: usize = 60;

/// An element in a sentence: `button "Save"`, and whose it is where that is not its application's.
pub fn describe(node: &Node) -> String {
    let label = quote(node.label().trim());
    let mut description = node.role.to_string();
    if !label.is_empty() {
        description.push_str(&format!(" \"{label}\""));
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
