//! Trees for tests, written as the outlines that they give.
//!
//! ```text
//! window "Untitled" [active]
//!   button "Save" [id=save] [disabled]
//!   textbox "Document" [focused]: "hello"
//!   list "Files" [count=500]
//!     listitem "a.txt" [hidden]
//! ```
//!
//! The bullets of an outline may be there. Everything is enabled and showing unless a tag says otherwise. A role is an ARIA name, or another one
//! that [`Role::answers_to`] (`toggle button`). The tags `action`, `words` and `picture` are abilities: actions, text that can be read, being a picture.

pub mod recorded;

use crate::{
    Abilities, Application, ApplicationId, Detail, Node, NodeId, NumericValue, ProcessIdentity, Role,
    SourceId, States, TextContent, Tree, TreeAccess,
};
use std::sync::Arc;

/// The application that an indented text describes; its windows are the lines without indentation.
pub fn tree(text: &str) -> Tree {
    let mut tree = Tree::new();
    let root = NodeId::mint();
    tree.insert(blank(root, None, Role::Application, "App"));
    tree.set_root(root);
    let mut open: Vec<(usize, NodeId)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        open.retain(|(level, _)| *level < indent);
        let parent = open.last().map_or(root, |(_, id)| *id);
        let node = parse(line.trim().trim_start_matches("- "), parent);
        open.push((indent, node.id));
        add(&mut tree, parent, node);
    }
    tree
}

/// Adds an element as the last child of `parent`.
pub fn add(tree: &mut Tree, parent: NodeId, node: Node) {
    let id = node.id;
    tree.insert(node);
    tree.update(parent, |parent| {
        parent.children.push(id);
        parent.child_count = parent.child_count.max(parent.children.len() as u32);
    });
}

/// Adds the element that `line` describes and returns its id.
pub fn add_line(tree: &mut Tree, parent: NodeId, line: &str) -> NodeId {
    let node = parse(line, parent);
    let id = node.id;
    add(tree, parent, node);
    id
}

/// Takes an element and everything below it out of the tree and out of its parent.
pub fn remove(tree: &mut Tree, id: NodeId) {
    let parent = tree.get(id).and_then(|node| node.parent);
    tree.remove_subtree(id);
    if let Some(parent) = parent {
        tree.update(parent, |parent| {
            parent.children.retain(|child| *child != id);
            parent.child_count = parent.children.len() as u32;
        });
    }
}

/// The first element of that name, in document order.
pub fn named(tree: &Tree, name: &str) -> NodeId {
    let root = tree.root().expect("a test tree has a root");
    tree.descendants(root)
        .find(|node| &*node.name == name)
        .unwrap_or_else(|| panic!("nothing is called {name}"))
        .id
}

/// An element that shows, is enabled and has nothing else.
pub fn blank(id: NodeId, parent: Option<NodeId>, role: Role, name: &str) -> Node {
    Node::new(id, parent, role, name)
}

fn parse(line: &str, parent: NodeId) -> Node {
    let (head, value) = match line.rsplit_once(": ") {
        Some((head, value)) if !head.is_empty() && head.matches('"').count() % 2 == 0 => (head, Some(value)),
        _ => (line, None),
    };
    let (head, tags) = match head.find(" [") {
        Some(at) => head.split_at(at),
        None => (head, ""),
    };
    let (written, name) = match head.find('"') {
        Some(at) => (&head[..at], head[at..].trim().trim_matches('"')),
        None => (head, ""),
    };
    let role = Role::ALL
        .iter()
        .copied()
        .find(|known| known.aria() == written.trim() && *known != Role::ToggleButton)
        .or_else(|| Role::ALL.iter().copied().find(|known| known.answers_to(written.trim())))
        .unwrap_or_else(|| panic!("no role is called {written}"));
    let mut node = blank(NodeId::mint(), Some(parent), role, name);
    let written = written.trim();
    if written != role.aria() && role.atspi_names().contains(&written) {
        node.native_role = written.into();
    }
    for tag in tags.split('[').filter_map(|tag| tag.trim().strip_suffix(']')) {
        apply(&mut node, tag);
    }
    if let Some(value) = value {
        if let Ok(current) = value.parse() {
            node.details.value =
                Detail::Known(NumericValue { current, minimum: 0.0, maximum: 100.0, step: 1.0 });
        } else {
            let shown: Arc<str> = value.trim_matches('"').into();
            let total_chars = shown.chars().count() as u32;
            node.details.text = Detail::Known(TextContent { shown, total_chars });
        }
    }
    node
}

fn apply(node: &mut Node, tag: &str) {
    if let Some((key, value)) = tag.split_once('=') {
        match key {
            "checked" => node.states.insert(States::MIXED),
            "id" => node.details.identifier = Detail::Known(value.into()),
            "description" => node.description = value.into(),
            "count" => node.child_count = value.parse().expect("a number"),
            _ => panic!("no tag is called {key}"),
        }
        return;
    }
    match tag {
        "hidden" => node.states.remove(States::SHOWING | States::VISIBLE),
        "disabled" => node.states.remove(States::ENABLED),
        "protected" => node.states.insert(States::PROTECTED),
        "action" => node.abilities.insert(Abilities::ACTION),
        "words" => node.abilities.insert(Abilities::TEXT),
        "picture" => node.abilities.insert(Abilities::IMAGE),
        name => node.states.insert(
            States::from_name(&name.to_uppercase()).unwrap_or_else(|| panic!("no state is called {name}")),
        ),
    }
}

/// An application with a tree.
pub fn application(name: &str, pid: u32, bundle: &str) -> Application {
    Application {
        id: ApplicationId::new(SourceId::new("test"), format!("process {pid}")),
        name: name.into(),
        process: Some(ProcessIdentity::unverified(pid)),
        bundle_id: Some(bundle.into()),
        toolkit: None,
        tree: TreeAccess::Available,
    }
}
