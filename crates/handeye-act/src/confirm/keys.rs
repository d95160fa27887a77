//! What keys will hit, judged one after the other: what a key does depends on what has the focus, and that is known for the first
//! ones only.

use super::assessment::{Assessment, Reason, Risk};
use super::choice;
use super::deed::{Key, Manner, Stroke};
use super::labels::is_pressed;
use super::popup::{self, Popup, is_marked, is_menu_item};
use super::press::{default_button, is_opener, press, worst_in_reach, worst_of};
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
    let popup = popup::open(tree, holder);
    let mut worst = Assessment::Harmless;
    for stroke in strokes {
        worst = worst.or(one(tree, stroke, focus, &popup));
        if moves_on(tree, stroke, focus) {
            focus = Focus::Unknown;
        }
    }
    worst
}

fn one(tree: &Tree, stroke: &Stroke, focus: Focus<'_>, popup: &Popup<'_>) -> Assessment {
    if let Some(what) = ends(stroke) {
        return Assessment::Risky(Risk {
            reason: Reason::Words,
            deed: format!("{what} ({})", stroke.shown),
            dialog: None,
            hit: None,
        });
    }
    if stroke.is_harmless_anywhere() {
        return Assessment::Harmless;
    }
    if !popup.items.is_empty() && !stroke.is_command() {
        return in_popup(tree, stroke, focus, popup);
    }
    match (stroke.key, focus) {
        (_, Focus::At(node)) if edits(tree, stroke, node) => Assessment::Harmless,
        (Key::Return, _) => on_return(tree, stroke, focus),
        (Key::Erase, Focus::At(node)) => on_erase(stroke, node),
        (Key::Move | Key::Page, Focus::At(node)) if !stroke.is_command() => on_move(tree, stroke, node),
        (Key::Character(_), Focus::At(node)) if node.role == Role::ComboBox && !stroke.is_command() => {
            choice::worst(tree, node, &format!("press {}", stroke.shown))
        }
        (Key::Space, Focus::At(node)) if is_button(node) && !stroke.is_command() => {
            press(tree, node, Manner::Click)
        }
        (Key::Space, Focus::Unknown) if !stroke.is_command() => {
            worst_in_reach(tree, &stroke.shown, |_| true).unwrap_or_else(|| unknown(stroke))
        }
        (Key::Character(Some(letter)), _) if stroke.has(Modifier::Alt) || is_on_menu(focus) => {
            worst_in_reach(tree, &stroke.shown, |node| has_letter(node, letter))
                .unwrap_or_else(|| unknown(stroke))
        }
        _ => unknown(stroke),
    }
}

/// What a key ends by itself: the application, or more.
fn ends(stroke: &Stroke) -> Option<&'static str> {
    let with = |modifier| stroke.has(modifier);
    match stroke.key {
        Key::System => Some("switch the computer off or end the session"),
        Key::Erase if with(Modifier::Ctrl) && with(Modifier::Alt) => {
            Some("switch the computer off or end the session")
        }
        Key::Close => Some("close the window"),
        Key::F4 if with(Modifier::Alt) => Some("close the window"),
        Key::F4 if with(Modifier::Ctrl) => Some("close what the window shows"),
        Key::Character(Some('q' | 'Q')) if with(Modifier::Ctrl) || with(Modifier::Super) => {
            Some("quit the application")
        }
        Key::Character(Some('w' | 'W')) if with(Modifier::Ctrl) || with(Modifier::Super) => {
            Some("close the window or what it shows")
        }
        _ => None,
    }
}

/// A key while a menu or a list is open, which takes it: return and space choose the marked item, a letter one that it belongs to.
fn in_popup(tree: &Tree, stroke: &Stroke, focus: Focus<'_>, popup: &Popup<'_>) -> Assessment {
    let is_item = |node: &Arc<Node>| popup.items.iter().any(|item| item.id == node.id);
    let risky = match (stroke.key, focus) {
        (Key::Move | Key::Page, _) => return Assessment::Harmless,
        (Key::Return | Key::Space, Focus::At(node)) if is_item(node) => {
            let chosen = press(tree, node, Manner::Open);
            // The title of a menu that is not open may leave the key to the default button.
            let button = default_button(tree, node).filter(|_| is_opener(tree, node));
            return match button {
                Some(button) => button.or(chosen),
                None => chosen,
            };
        }
        (Key::Return | Key::Space, _) => {
            let may_be_hit = |item: &&Arc<Node>| !popup.is_certain || is_marked(item) || is_moved(focus);
            worst_of(tree, &stroke.shown, popup.items.iter().copied().filter(may_be_hit))
        }
        (Key::Character(Some(letter)), _) => {
            worst_of(tree, &stroke.shown, popup.items.iter().copied().filter(|item| has_letter(item, letter)))
                .or_else(|| worst_in_reach(tree, &stroke.shown, |node| has_letter(node, letter)))
        }
        _ => None,
    };
    match (risky, focus) {
        // It is open by all that shows, but a text field has the focus by its own word.
        (Some(Assessment::Risky(risk)), Focus::At(node)) if takes_text(node) && !popup.is_certain => {
            Assessment::Doubtful(risk)
        }
        (Some(risky), _) => risky,
        (None, _) => unknown(stroke),
    }
}

fn is_on_menu(focus: Focus<'_>) -> bool {
    matches!(focus, Focus::At(node) if is_menu_item(node))
}

const fn is_moved(focus: Focus<'_>) -> bool {
    matches!(focus, Focus::Unknown)
}

fn on_return(tree: &Tree, stroke: &Stroke, focus: Focus<'_>) -> Assessment {
    let Focus::At(node) = focus else {
        return worst_in_reach(tree, &stroke.shown, |_| true).unwrap_or_else(|| unknown(stroke));
    };
    if stroke.is_command() {
        return default_button(tree, node).unwrap_or_else(|| unknown(stroke));
    }
    if is_pressed(node) {
        return press(tree, node, Manner::Click);
    }
    if takes_text(node) && node.states.contains(States::MULTI_LINE) {
        // A chat sends with it.
        return unknown(stroke);
    }
    let list = choice::chooser(tree, node).filter(|list| list.states.contains(States::EXPANDED));
    if let Some(list) = list.filter(|list| list.role == Role::ComboBox) {
        return choice::worst(tree, list, &format!("press {}", stroke.shown));
    }
    // An item opens, unless its list leaves the key to the default button.
    let opens = matches!(node.role, Role::ListItem | Role::TreeItem | Role::Row | Role::Cell);
    let opened = if opens { press(tree, node, Manner::Open) } else { unknown(stroke) };
    match default_button(tree, node) {
        Some(button) => button.or(opened),
        None => opened,
    }
}

fn on_erase(stroke: &Stroke, node: &Node) -> Assessment {
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

/// Arrows and their relatives: they choose what is next to the choice, mark what is next in a list, or move the view.
fn on_move(tree: &Tree, stroke: &Stroke, node: &Arc<Node>) -> Assessment {
    let how = format!("press {}", stroke.shown);
    match choice::chooser(tree, node) {
        Some(chooser) => choice::worst(tree, chooser, &how),
        // It draws itself, and may do anything with a key.
        None if matches!(node.role, Role::Canvas | Role::Media) => unknown(stroke),
        None => choice::among_items(tree, node, &how),
    }
}

fn unknown(stroke: &Stroke) -> Assessment {
    Assessment::Doubtful(Risk::unseen(format!("press {}", stroke.shown)))
}

/// Whether the focus may be elsewhere after this key.
fn moves_on(tree: &Tree, stroke: &Stroke, focus: Focus<'_>) -> bool {
    let Focus::At(node) = focus else { return true };
    match stroke.key {
        Key::Modifier => false,
        Key::Return => stroke.is_command() || !takes_text(node) || !node.states.contains(States::MULTI_LINE),
        _ => !edits(tree, stroke, node),
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

/// Whether a key only edits the text of a field, or moves the caret in it, in all toolkits.
fn edits(tree: &Tree, stroke: &Stroke, node: &Arc<Node>) -> bool {
    if !takes_text(node) {
        return false;
    }
    // Arrows change a number, and choose from the list below a field.
    let moves_caret = || choice::chooser(tree, node).is_none();
    if !stroke.is_command() {
        return match stroke.key {
            Key::Space | Key::Erase | Key::Character(_) => true,
            Key::Move | Key::Page => moves_caret(),
            _ => false,
        };
    }
    if !stroke.modifiers.iter().all(|modifier| matches!(modifier, Modifier::Ctrl | Modifier::Shift)) {
        return false;
    }
    match stroke.key {
        Key::Move => moves_caret(),
        Key::Character(Some(letter)) => match (letter, stroke.has(Modifier::Shift)) {
            // A capital letter brings Shift along.
            ('z' | 'Z', true) | ('a' | 'c' | 'v' | 'x' | 'z' | 'y' | 'Z', false) => true,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a label may have this letter underlined.
fn has_letter(node: &Node, letter: char) -> bool {
    let letter: Vec<char> = letter.to_lowercase().collect();
    node.label().to_lowercase().contains(&*letter.iter().collect::<String>())
}
