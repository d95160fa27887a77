//! What keys will hit, judged one after the other: what a key does depends on what has the focus, and that is known for the first
//! ones only.

use super::assessment::{Assessment, Reason, Risk};
use super::deed::{Key, Stroke};
use super::press::{default_button, is_pressed, press, worst_in_reach};
use super::which::quoted;
use handeye_core::{Abilities, Modifier, Node, NodeId, Role, States, Tree};
use std::sync::Arc;

/// Where the next key goes.
#[derive(Clone, Copy)]
enum Focus<'a> {
    /// To this element.
    At(&'a Arc<Node>),
    /// To something unknown: nothing shows that it has the focus, or a key before has moved it.
    Unknown,
}

/// Judges keys that are pressed one after the other, beginning at `holder`.
pub(super) fn assess(tree: &Tree, strokes: &[Stroke], holder: Option<NodeId>) -> Assessment {
    let mut focus = holder.and_then(|id| tree.get(id)).map_or(Focus::Unknown, Focus::At);
    let mut worst = Assessment::Harmless;
    for stroke in strokes {
        worst = worst.or(one(tree, stroke, focus));
        if moves_on(stroke, focus) {
            focus = Focus::Unknown;
        }
    }
    worst
}

fn one(tree: &Tree, stroke: &Stroke, focus: Focus<'_>) -> Assessment {
    match (stroke.key, focus) {
        (Key::Tab | Key::Move | Key::Escape | Key::Modifier, _) => Assessment::Harmless,
        (Key::Return, _) => on_return(tree, stroke, focus),
        (Key::Erase, Focus::At(node)) => on_erase(stroke, node),
        (Key::Space | Key::Character(_), Focus::At(node)) if takes_text(node) && !stroke.is_command() => {
            Assessment::Harmless
        }
        (Key::Space, Focus::At(node)) if is_button(node) && !stroke.is_command() => press(tree, node),
        (Key::Space, Focus::Unknown) if !stroke.is_command() => {
            worst_in_reach(tree, &stroke.shown, |_| true).unwrap_or_else(|| unknown(stroke))
        }
        (Key::F4, _) if stroke.has(Modifier::Alt) => ends(stroke, "close the window"),
        (Key::Character(Some('q' | 'Q')), _) if stroke.has(Modifier::Ctrl) || stroke.has(Modifier::Super) => {
            ends(stroke, "quit the application")
        }
        (Key::Character(Some(letter)), Focus::At(node)) if takes_text(node) && edits(stroke, letter) => {
            Assessment::Harmless
        }
        (Key::Character(Some(letter)), _) if stroke.has(Modifier::Alt) || in_menu(tree, focus) => {
            worst_in_reach(tree, &stroke.shown, |node| has_letter(node, letter))
                .unwrap_or_else(|| unknown(stroke))
        }
        (Key::Space | Key::Erase | Key::F4 | Key::Character(_) | Key::Other, _) => unknown(stroke),
    }
}

fn on_return(tree: &Tree, stroke: &Stroke, focus: Focus<'_>) -> Assessment {
    let Focus::At(node) = focus else {
        return worst_in_reach(tree, &stroke.shown, |_| true).unwrap_or_else(|| unknown(stroke));
    };
    if stroke.is_command() {
        return default_button(tree, node).unwrap_or_else(|| unknown(stroke));
    }
    if is_pressed(node) {
        return press(tree, node);
    }
    if takes_text(node) && node.states.contains(States::MULTI_LINE) {
        return Assessment::Harmless;
    }
    // An item opens, unless its list leaves the key to the default button.
    let opens = matches!(node.role, Role::ListItem | Role::TreeItem | Role::Row | Role::Cell);
    let otherwise = || if opens { Assessment::Harmless } else { unknown(stroke) };
    default_button(tree, node).unwrap_or_else(otherwise)
}

fn on_erase(stroke: &Stroke, node: &Node) -> Assessment {
    if takes_text(node) {
        // It takes back a character or a word, which an editor can undo.
        return Assessment::Harmless;
    }
    let is_item = matches!(
        node.role,
        Role::ListItem
            | Role::TreeItem
            | Role::Row
            | Role::Cell
            | Role::Image
            | Role::List
            | Role::ListBox
            | Role::Tree
            | Role::TreeGrid
            | Role::Table
    );
    if is_item {
        let deed = format!("press {} on {} {}", stroke.shown, node.role, quoted(node.label()));
        return Assessment::Risky(Risk::of_words(deed, node));
    }
    unknown(stroke)
}

/// A key that closes what is open, with all that was not saved.
fn ends(stroke: &Stroke, what: &str) -> Assessment {
    Assessment::Risky(Risk {
        reason: Reason::Words,
        deed: format!("{what} ({})", stroke.shown),
        dialog: None,
        hit: None,
    })
}

fn unknown(stroke: &Stroke) -> Assessment {
    Assessment::Doubtful(Risk::unseen(format!("press {}", stroke.shown)))
}

/// Whether the focus may be elsewhere after this key.
fn moves_on(stroke: &Stroke, focus: Focus<'_>) -> bool {
    let in_text = matches!(focus, Focus::At(node) if takes_text(node));
    match stroke.key {
        Key::Modifier => false,
        Key::Space | Key::Move | Key::Erase => !in_text,
        Key::Character(letter) => {
            !in_text || (stroke.is_command() && !letter.is_some_and(|letter| edits(stroke, letter)))
        }
        Key::Return => {
            !matches!(focus, Focus::At(node) if takes_text(node) && node.states.contains(States::MULTI_LINE))
        }
        Key::Tab | Key::Escape | Key::F4 | Key::Other => true,
    }
}

/// Whether what is typed goes into a text. In a terminal it is a command.
fn takes_text(node: &Node) -> bool {
    let is_field = matches!(node.role, Role::TextBox | Role::SearchBox | Role::SpinButton);
    let is_editable =
        node.abilities.contains(Abilities::EDITABLE_TEXT) || node.states.contains(States::EDITABLE);
    &*node.native_role != "terminal"
        && !node.states.contains(States::READ_ONLY)
        && (is_field || (is_editable && !is_button(node)))
}

/// Whether space switches or presses it.
const fn is_button(node: &Node) -> bool {
    is_pressed(node) || matches!(node.role, Role::CheckBox | Role::RadioButton)
}

/// Whether a control key with this letter only edits a text, in all toolkits.
fn edits(stroke: &Stroke, letter: char) -> bool {
    let ctrl_only =
        stroke.modifiers.iter().all(|modifier| matches!(modifier, Modifier::Ctrl | Modifier::Shift));
    ctrl_only && matches!(letter.to_ascii_lowercase(), 'a' | 'c' | 'v' | 'x' | 'z' | 'y')
}

/// Whether a menu is open, which takes a letter as the choice of an item.
fn in_menu(tree: &Tree, focus: Focus<'_>) -> bool {
    const ITEMS: [Role; 4] = [Role::Menu, Role::MenuItem, Role::MenuItemCheckBox, Role::MenuItemRadio];
    match focus {
        Focus::At(node) => ITEMS.contains(&node.role),
        Focus::Unknown => tree.nodes().any(|node| {
            ITEMS.contains(&node.role)
                && node.is_showing()
                && node.states.intersects(States::SELECTED | States::FOCUSED)
        }),
    }
}

/// Whether a label may have this letter underlined.
fn has_letter(node: &Node, letter: char) -> bool {
    let letter: Vec<char> = letter.to_lowercase().collect();
    node.label().to_lowercase().contains(&*letter.iter().collect::<String>())
}
