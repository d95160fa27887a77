//! Trees of real applications as text, one element a line: what tests read again without the application.
//!
//! ```text
//! application "mousepad"
//!   frame "Untitled" active resizable
//!     push button "Save" focusable -enabled ~"Saves the file"
//!     text "" editable multi_line ="hello"/5
//!     progress bar "" #0.5/0/1
//!     table "" *4000
//! ```
//!
//! The role is the toolkit's. Then come the name, the states (those without which hardly any element is are left out, and `-` marks a missing one),
//! the description, the text with its whole length, the number with its range, and how many children it has if not all of them are here.

use crate::{Detail, Node, NodeId, NumericValue, Role, States, TextContent, Tree};
use std::fmt::Write as _;

/// Most rows, items and cells of one list that are written.
const MOST_ITEMS: usize = 24;
/// Most characters of a text that are written.
const MOST_CHARACTERS: usize = 60;
/// The states of an element that is drawn and not greyed out.
const USUAL: States = States::SHOWING.union(States::VISIBLE).union(States::ENABLED);

/// What an application shows. Hidden elements that hold nothing that shows are left out, and so are the later items of long lists.
pub fn write(tree: &Tree) -> String {
    let mut out = String::new();
    if let Some(root) = tree.root() {
        write_node(tree, root, 0, &mut out);
    }
    out
}

fn write_node(tree: &Tree, id: NodeId, depth: usize, out: &mut String) {
    let Some(node) = tree.get(id) else { return };
    let shown: Vec<NodeId> = tree
        .children(id)
        .filter(|child| tree.descendants(child.id).any(|inner| inner.is_showing()))
        .map(|child| child.id)
        .collect();
    let is_list = matches!(
        node.role,
        Role::List | Role::ListBox | Role::Table | Role::Tree | Role::TreeGrid | Role::Menu | Role::Document
    );
    let kept = if is_list { shown.len().min(MOST_ITEMS) } else { shown.len() };
    line(node, kept, depth, out);
    for child in &shown[..kept] {
        write_node(tree, *child, depth + 1, out);
    }
}

fn line(node: &Node, kept: usize, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let mut add =
        |text: std::fmt::Arguments<'_>| out.write_fmt(text).expect("a string takes what is written");
    add(format_args!("{indent}{} {:?}", node.native_role, cut(&node.name)));
    for (name, state) in States::all().iter_names() {
        match (node.states.contains(state), USUAL.contains(state)) {
            (true, false) => add(format_args!(" {}", name.to_lowercase())),
            (false, true) => add(format_args!(" -{}", name.to_lowercase())),
            _ => {}
        }
    }
    if !node.description.is_empty() {
        add(format_args!(" ~{:?}", cut(&node.description)));
    }
    if let Some(text) = node.details.text.known() {
        add(format_args!(" ={:?}/{}", cut(&text.shown), text.total_chars));
    }
    if let Some(value) = node.details.value.known() {
        add(format_args!(" #{}/{}/{}", value.current, value.minimum, value.maximum));
    }
    if node.child_count as usize > kept {
        add(format_args!(" *{}", node.child_count));
    }
    add(format_args!("\n"));
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

/// The tree that [`write`] has written.
///
/// # Panics
///
/// If a line is not in the notation.
pub fn read(text: &str) -> Tree {
    let mut tree = Tree::new();
    let mut open: Vec<NodeId> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let depth = (line.len() - line.trim_start_matches(' ').len()) / 2;
        open.truncate(depth);
        let mut node = parse(line.trim_start_matches(' '), open.last().copied());
        node.role = role_at(&node.native_role, &node.name, &open, &tree);
        let id = node.id;
        if let Some(parent) = open.last() {
            super::add(&mut tree, *parent, node);
        } else {
            tree.insert(node);
            tree.set_root(id);
        }
        open.push(id);
    }
    tree
}

/// The role of an element that its toolkit calls `role`, in a tree at a place below the elements `above`: as `handeye-atspi` has it for Qt, the only
/// toolkit that calls what is inside of a window a frame, and a window a filler.
pub fn role_at(role: &str, name: &str, above: &[NodeId], tree: &Tree) -> Role {
    let of_toolkit = Role::from_atspi_name(role);
    let is_of_chromium =
        tree.root().and_then(|root| tree.get(root)).is_some_and(|app| &*app.name == "Chromium");
    match (above.len(), of_toolkit) {
        (1, role) if role.is_structural() && !name.is_empty() => Role::Window,
        (2.., Role::Window) if role == "frame" && !is_of_chromium => Role::Group,
        _ => of_toolkit,
    }
}

fn parse(line: &str, parent: Option<NodeId>) -> Node {
    let (role, rest) = line.split_once(" \"").unwrap_or_else(|| panic!("no name in {line}"));
    let (name, mut rest) = quoted(rest);
    let mut node = Node::new(NodeId::mint(), parent, Role::from_atspi_name(role), &name);
    node.native_role = role.into();
    loop {
        rest = rest.trim_start();
        if let Some(text) = rest.strip_prefix("~\"") {
            let (description, left) = quoted(text);
            node.description = description.into();
            rest = left;
        } else if let Some(text) = rest.strip_prefix("=\"") {
            let (shown, left) = quoted(text);
            let (total, left) = word(left.trim_start_matches('/'));
            let total_chars = total.parse().expect("the length of a text");
            node.details.text = Detail::Known(TextContent { shown: shown.into(), total_chars });
            rest = left;
        } else if !rest.is_empty() {
            let (tag, left) = word(rest);
            apply(&mut node, tag);
            rest = left;
        } else {
            return node;
        }
    }
}

fn apply(node: &mut Node, tag: &str) {
    let state = |name: &str| {
        States::from_name(&name.to_uppercase()).unwrap_or_else(|| panic!("no state is called {name}"))
    };
    if let Some(number) = tag.strip_prefix('#') {
        let mut parts = number.split('/').map(|part| part.parse().expect("a number"));
        let mut next = || parts.next().expect("three numbers");
        let (current, minimum, maximum) = (next(), next(), next());
        node.details.value = Detail::Known(NumericValue { current, minimum, maximum, step: 0.0 });
    } else if let Some(count) = tag.strip_prefix('*') {
        node.child_count = count.parse().expect("a number of children");
    } else if let Some(missing) = tag.strip_prefix('-') {
        node.states.remove(state(missing));
    } else {
        node.states.insert(state(tag));
    }
}

fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(' ').unwrap_or(text.len()))
}

/// The text up to the closing quotation mark, as `{:?}` escapes it, and what follows.
fn quoted(text: &str) -> (String, &str) {
    let mut out = String::new();
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => return (out, &text[at + 1..]),
            '\\' => match rest.next().map(|(_, escaped)| escaped) {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('0') => out.push('\0'),
                Some('u') => {
                    let digits: String =
                        rest.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                    let code = u32::from_str_radix(&digits, 16).expect("a character's number");
                    out.extend(char::from_u32(code));
                }
                Some(other) => out.push(other),
                None => break,
            },
            other => out.push(other),
        }
    }
    panic!("no closing mark in {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let text = "application \"App\"\n  file chooser \"Say \\\"hi\\\"\\n\\u{200b}\" active modal\n    entry \"\" focusable editable ~\"Path\" =\"a/b\"/3\n    progress bar \"\" -enabled #0.5/0/1\n    table \"\" *4000\n";
        let tree = read(text);
        assert_eq!(write(&tree), text);
        let chooser = tree.windows().next().expect("a window");
        assert_eq!((chooser.role, &*chooser.native_role), (Role::Dialog, "file chooser"));
    }
}
