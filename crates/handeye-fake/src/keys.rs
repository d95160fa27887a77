//! What keys do in a fake application, as toolkits do it: they press the focus, the default button, mnemonics and accelerators, delete items,
//! open rows, and choose in a combo box and in an open menu.

use super::app::FakeApp;
use handeye_core::{Chord, Modifier, Node, NodeAction, NodeId, Role, States};

/// Presses a key while the application has the keyboard.
pub(super) fn press(app: &FakeApp, chord: &Chord) {
    let has = |modifier| chord.modifiers.contains(&modifier);
    let focused = app.focused().and_then(|id| app.node(id));
    let on_text = focused.as_ref().is_some_and(|node| node.role == Role::TextBox);
    let is_command = has(Modifier::Ctrl) || has(Modifier::Alt) || has(Modifier::Super);
    if !is_command && has_open_menu(app) {
        return invoke(app, in_menu(app, &chord.key));
    }
    match chord.key.as_str() {
        "down" | "up" | "escape" if is_command => app.note_harm(),
        "delete" if on_text && is_command => app.note_harm(),
        "w" if has(Modifier::Ctrl) => app.note_harm(),
        "x" if has(Modifier::Ctrl) && has(Modifier::Shift) => app.note_harm(),
        "down" | "up" => {
            if let Some(node) = focused {
                choose_next(app, node.id);
            }
        }
        "return" | "kp_enter" | "\n" if focused.as_ref().is_some_and(|node| sends(node)) => app.note_harm(),
        "return" | "kp_enter" | "\n" => match focused {
            Some(node) if is_pressed(&node) || node.role == Role::ListItem => invoke(app, Some(node.id)),
            _ => invoke(app, find(app, |node| node.states.contains(States::DEFAULT))),
        },
        "space" | " " => match focused {
            Some(node) if is_pressed(&node) => invoke(app, Some(node.id)),
            Some(node) if on_text => app.set_text(node.id, &format!("{} ", app.text(node.id))),
            _ => {}
        },
        "tab" | "\t" => move_focus(app),
        "delete" => match focused {
            Some(node) if on_text => app.set_text(node.id, ""),
            Some(node) if node.role == Role::ListItem => app.note_harm(),
            _ => {}
        },
        "f4" if has(Modifier::Alt) => app.note_harm(),
        letter if has(Modifier::Alt) => {
            let letter = letter.to_lowercase();
            invoke(app, find(app, |node| is_pressed(node) && node.name.to_lowercase().starts_with(&letter)));
        }
        letter if has(Modifier::Ctrl) => {
            let letter = letter.to_lowercase();
            invoke(
                app,
                find(app, |node| {
                    node.role == Role::MenuItem && node.name.to_lowercase().starts_with(&letter)
                }),
            );
        }
        letter => {
            if let Some(node) = focused.filter(|_| on_text) {
                app.set_text(node.id, &format!("{}{letter}", app.text(node.id)));
            }
        }
    }
}

/// Whether a menu is open, which takes each key.
fn has_open_menu(app: &FakeApp) -> bool {
    find(app, |node| node.role == Role::MenuItem && node.is_showing()).is_some()
}

/// The item of the open menu that a key chooses.
fn in_menu(app: &FakeApp, key: &str) -> Option<NodeId> {
    let is_choice = matches!(key, "return" | "kp_enter" | "\n" | "space" | " ");
    find(app, |node| {
        node.role == Role::MenuItem
            && node.is_showing()
            && (is_choice || node.name.to_lowercase().starts_with(key))
    })
}

/// Chooses the option after the first one of a combo box, as an arrow or the wheel does it.
pub(super) fn choose_next(app: &FakeApp, id: NodeId) {
    let next = {
        let truth = app.truth();
        let combo_box = truth.get(id).filter(|node| node.role == Role::ComboBox);
        combo_box.and_then(|node| truth.children(node.id).nth(1)).map(|option| option.id)
    };
    invoke(app, next);
}

/// Whether Return sends what a field holds.
fn sends(node: &Node) -> bool {
    node.role == Role::TextBox && node.states.contains(States::MULTI_LINE)
}

fn invoke(app: &FakeApp, id: Option<NodeId>) {
    let Some(id) = id else { return };
    app.act(id, &NodeAction::Invoke(None)).expect("a fake that takes actions");
}

fn is_pressed(node: &Node) -> bool {
    matches!(node.role, Role::Button | Role::ToggleButton | Role::MenuItem | Role::CheckBox | Role::Link)
}

fn find(app: &FakeApp, is_it: impl Fn(&Node) -> bool) -> Option<NodeId> {
    app.truth().nodes().find(|node| is_it(node)).map(|node| node.id)
}

/// To the next element, as Tab does it.
fn move_focus(app: &FakeApp) {
    let next = {
        let truth = app.truth();
        let all: Vec<NodeId> = truth
            .nodes()
            .filter(|node| is_pressed(node) || node.role == Role::TextBox)
            .map(|node| node.id)
            .collect();
        let now = truth.nodes().find(|node| node.states.contains(States::FOCUSED)).map(|node| node.id);
        let place = now.and_then(|id| all.iter().position(|other| *other == id)).map_or(0, |place| place + 1);
        all.get(place % all.len().max(1)).copied()
    };
    if let Some(next) = next {
        app.act(next, &NodeAction::Focus).expect("a fake that takes the focus");
    }
}
