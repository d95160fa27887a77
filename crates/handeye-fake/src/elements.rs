//! The elements of a fake application: what they have by their role, and what they do by themselves.

use handeye_core::testing::blank;
use handeye_core::{
    Abilities, Extents, Node, NodeAction, NodeId, NumericValue, Rect, Role, States, TextContent, Tree,
};
use handeye_core::{Detail, Details};

/// What elements do by themselves.
pub(super) fn usual(tree: &mut Tree, id: NodeId, action: &NodeAction) {
    let nodes: Vec<NodeId> = tree.nodes().map(|node| node.id).collect();
    let siblings: Vec<NodeId> = tree
        .get(id)
        .and_then(|node| node.parent)
        .map(|parent| tree.children(parent).map(|node| node.id).collect())
        .unwrap_or_default();
    match action {
        NodeAction::Invoke(_) => {
            tree.update(id, |node| match node.role {
                Role::CheckBox | Role::Switch | Role::RadioButton => node.states.toggle(States::CHECKED),
                Role::ToggleButton => node.states.toggle(States::PRESSED),
                _ => {}
            });
        }
        NodeAction::Focus => {
            for other in nodes {
                tree.update(other, |node| node.states.remove(States::FOCUSED));
            }
            tree.update(id, |node| node.states.insert(States::FOCUSED));
        }
        NodeAction::SetText(text) => {
            tree.update(id, |node| put_text(node, text));
        }
        NodeAction::InsertText(text) => {
            tree.update(id, |node| {
                let whole = node.value_text().unwrap_or_default() + text;
                put_text(node, &whole);
            });
        }
        NodeAction::SetValue(number) => {
            tree.update(id, |node| {
                if let Detail::Known(value) = &mut node.details.value {
                    value.current = *number;
                }
            });
        }
        NodeAction::Select { extend } => {
            for other in siblings.iter().filter(|_| !extend) {
                tree.update(*other, |node| node.states.remove(States::SELECTED));
            }
            tree.update(id, |node| node.states.insert(States::SELECTED));
        }
        NodeAction::Deselect => {
            tree.update(id, |node| node.states.remove(States::SELECTED));
        }
        NodeAction::ScrollIntoView => {}
    }
}

pub(super) fn put_text(node: &mut Node, text: &str) {
    let total_chars = text.chars().count() as u32;
    let shown: String = text.chars().take(TextContent::MAX_CHARS as usize).collect();
    node.details.text = Detail::Known(TextContent { shown: shown.into(), total_chars });
}

/// Adds an element below `parent` with what its role usually has, in a row below its elder siblings.
pub fn insert(tree: &mut Tree, id: NodeId, parent: NodeId, role: Role, name: &str) {
    let place = tree.get(parent).map_or(0, |node| node.children.len()) as i32;
    let mut new = node(id, Some(parent), role, name);
    let area = if role.is_window() {
        Rect::new(100, 100, 400, 300)
    } else {
        Rect::new(110, 110 + place * 20, 100, 18)
    };
    new.details.extents = Detail::Known(Extents::OnScreen(area));
    let is_selectable = new.states.contains(States::SELECTABLE);
    tree.insert(new);
    tree.update(parent, |node| {
        node.children.push(id);
        node.child_count += 1;
        node.abilities
            .set(Abilities::SELECTION, is_selectable || node.abilities.contains(Abilities::SELECTION));
    });
}

pub(super) fn node(id: NodeId, parent: Option<NodeId>, role: Role, name: &str) -> Node {
    let mut node = blank(id, parent, role, name);
    node.native_role = role.aria().into();
    node.details = Details { actions: Detail::Absent, text: Detail::Absent, ..Details::default() }.into();
    match role {
        Role::Button
        | Role::ToggleButton
        | Role::CheckBox
        | Role::RadioButton
        | Role::Switch
        | Role::MenuItem
        | Role::Link => {
            node.abilities |= Abilities::ACTION;
            node.details.actions = Detail::Known(["click".into()].into());
        }
        Role::TextBox => {
            node.abilities |= Abilities::TEXT | Abilities::EDITABLE_TEXT;
            node.states |= States::EDITABLE | States::FOCUSABLE;
            node.details.text = Detail::Known(TextContent { shown: "".into(), total_chars: 0 });
        }
        Role::Slider | Role::ScrollBar | Role::ProgressBar => {
            node.abilities |= Abilities::VALUE;
            node.details.value =
                Detail::Known(NumericValue { current: 0.0, minimum: 0.0, maximum: 100.0, step: 1.0 });
            if role == Role::ScrollBar {
                node.states |= States::VERTICAL;
            }
        }
        Role::ListItem | Role::Tab => node.states |= States::SELECTABLE,
        _ => {}
    }
    node
}
