//! A press, judged by what will be hit: its own words, its dialog, and what a key may reach.

use super::assessment::{Assessment, Reason, Risk};
use super::which::{one_of_several, quoted};
use super::words;
use handeye_core::{Node, Role, States, Tree};
use std::sync::Arc;

/// How far above a label the button or link that it belongs to may be.
pub(super) const NEAR: usize = 4;
/// Most elements of a dialog that are read for what it asks.
const DIALOG_ELEMENTS: usize = 200;
/// Longest text of a dialog that is judged, in bytes.
const DIALOG_TEXT: usize = 4_000;
/// Most elements that are looked through for what a key may reach.
const REACHABLE: usize = 5_000;

/// A click on an element, or what does the same.
pub(super) fn press(tree: &Tree, node: &Arc<Node>) -> Assessment {
    // A click on a label inside of a button means the button.
    let mut path = vec![node];
    if !node.role.is_interactive() {
        for above in tree.ancestors(node.id).take(NEAR).take_while(|above| !above.role.is_window()) {
            path.push(above);
            if above.role.is_interactive() {
                break;
            }
        }
    }
    let says = |node: &&&Arc<Node>| texts(tree, node).iter().any(|text| words::is_destructive(text));
    let click = |hit: &Arc<Node>| format!("click {}", one_of_several(tree, hit));
    let named = |hit: &Arc<Node>| {
        let text = texts(tree, hit).into_iter().find(|text| words::is_destructive(text)).unwrap_or_default();
        if hit.label() == text { click(hit) } else { format!("click {}", quoted(text)) }
    };
    if let Some(hit) = path.iter().filter(|node| can_destroy(node) && !is_opener(tree, node)).find(says) {
        return Assessment::Risky(Risk::of_words(named(hit), hit));
    }
    if let Some(risk) = path.iter().find(|node| is_pressed(node)).and_then(|pressed| agreement(tree, pressed))
    {
        return Assessment::Risky(risk);
    }
    // What is only chosen acts when something else is pressed, in most applications.
    if let Some(hit) = path.iter().filter(|node| is_setting(node)).find(says) {
        return Assessment::Doubtful(Risk::of_words(named(hit), hit));
    }
    let is_mute = path.iter().all(|node| texts(tree, node).iter().all(|text| text.trim().is_empty()));
    if is_mute && (is_pressed(node) || matches!(node.role, Role::Canvas | Role::Media)) {
        let hit = Some(node.id);
        return Assessment::Doubtful(Risk {
            hit,
            ..Risk::unseen(format!("click a {} without a name", node.role))
        });
    }
    Assessment::Harmless
}

/// A button that agrees to what its dialog asks, or refuses to save what would be lost.
fn agreement(tree: &Tree, pressed: &Arc<Node>) -> Option<Risk> {
    let question = dialog_text(tree, pressed)?;
    let labels = texts(tree, pressed);
    let agrees = labels.iter().any(|label| words::is_affirmative(label)) && words::is_destructive(&question);
    let loses = labels.iter().any(|label| words::is_no(label)) && words::asks_to_save(&question);
    (agrees || loses).then(|| Risk {
        reason: Reason::Dialog,
        deed: format!("click {}", one_of_several(tree, pressed)),
        dialog: Some(question),
        hit: Some(pressed.id),
    })
}

/// The return key where the focus is on nothing that takes it: the default button of the window is pressed, which need not report that it is the default.
pub(super) fn default_button(tree: &Tree, node: &Node) -> Option<Assessment> {
    let window = tree.window_of(node.id)?;
    let known = tree
        .descendants(window.id)
        .take(REACHABLE)
        .find(|inside| inside.states.contains(States::DEFAULT) && inside.is_showing() && is_pressed(inside));
    if let Some(Assessment::Risky(risk)) = known.map(|button| press(tree, button)) {
        let deed = risk.deed.replacen("click", "press return, which hits", 1);
        return Some(Assessment::Risky(Risk { deed, ..risk }));
    }
    let question = dialog_text(tree, node)?;
    let by_button = || {
        let dialog = dialog_of(tree, node)?;
        let mut buttons = tree.descendants(dialog.id).take(DIALOG_ELEMENTS).filter(|node| is_pressed(node));
        buttons.find(|button| words::is_destructive(button.label()))
    };
    let is_risky = words::is_destructive(&question) || by_button().is_some();
    is_risky.then(|| {
        Assessment::Risky(Risk {
            reason: Reason::Dialog,
            deed: "press return in a dialog".into(),
            dialog: Some(question),
            hit: Some(node.id),
        })
    })
}

/// The worst of what can be pressed on view and fits, for a key of which it is not known what it will hit.
pub(super) fn worst_in_reach(tree: &Tree, shown: &str, fits: impl Fn(&Node) -> bool) -> Option<Assessment> {
    let pressed =
        tree.nodes().take(REACHABLE).filter(|node| node.is_showing() && is_pressed(node) && fits(node));
    let risky = pressed.map(|node| press(tree, node)).find_map(|assessed| match assessed {
        Assessment::Risky(risk) => Some(risk),
        Assessment::Doubtful(_) | Assessment::Harmless => None,
    })?;
    let deed = risky.deed.replacen("click", &format!("press {shown}, which may hit"), 1);
    Some(Assessment::Risky(Risk { deed, ..risky }))
}

/// Whether a press only opens what it holds: a menu called "Format" does nothing yet.
fn is_opener(tree: &Tree, node: &Node) -> bool {
    let opens_more = || tree.children(node.id).any(|child| matches!(child.role, Role::Menu | Role::MenuItem));
    match node.role {
        Role::Menu => true,
        Role::MenuItem => node.states.contains(States::HAS_POPUP) || opens_more(),
        _ => false,
    }
}

/// Whether it is set rather than pressed.
const fn is_setting(node: &Node) -> bool {
    matches!(node.role, Role::CheckBox | Role::RadioButton)
}

/// Whether a click on it can do more than choose, open or place the caret: its words are then no title of something else.
const fn can_destroy(node: &Node) -> bool {
    !matches!(
        node.role,
        Role::ListItem
            | Role::TreeItem
            | Role::Row
            | Role::Cell
            | Role::ColumnHeader
            | Role::Tab
            | Role::TextBox
            | Role::SearchBox
            | Role::SpinButton
            | Role::Slider
            | Role::CheckBox
            | Role::RadioButton
            | Role::ComboBox
            | Role::MenuBar
            | Role::Document
            | Role::Paragraph
            | Role::Heading
            | Role::Table
            | Role::List
            | Role::ListBox
            | Role::Tree
    ) && !node.role.is_window()
}

/// Whether a press makes it act.
pub(super) const fn is_pressed(node: &Node) -> bool {
    matches!(
        node.role,
        Role::Button
            | Role::ToggleButton
            | Role::Switch
            | Role::MenuItem
            | Role::MenuItemCheckBox
            | Role::MenuItemRadio
            | Role::Link
    )
}

/// What an element says about itself: its name, its description, and, if it has neither, what it holds.
fn texts<'a>(tree: &'a Tree, node: &'a Arc<Node>) -> Vec<&'a str> {
    let mut texts: Vec<&str> =
        [&*node.name, &*node.description].into_iter().filter(|text| !text.is_empty()).collect();
    if texts.is_empty() && (is_pressed(node) || node.role.is_structural()) {
        const INSIDE: usize = 8;
        let inside = tree.descendants(node.id).skip(1).take(INSIDE);
        // A whole page is not a label.
        let few = tree.descendants(node.id).nth(INSIDE).is_none();
        texts.extend(inside.map(|node| node.label()).filter(|label| few && !label.is_empty()));
    }
    texts
}

/// The dialog that an element belongs to.
fn dialog_of<'a>(tree: &'a Tree, node: &Node) -> Option<&'a Arc<Node>> {
    tree.ancestors(node.id).find(|above| {
        matches!(above.role, Role::Dialog | Role::Alert)
            || (above.role == Role::Window && above.states.contains(States::MODAL))
    })
}

/// What the dialog of an element says: its title and its texts, without the labels of what can be pressed in it.
fn dialog_text(tree: &Tree, node: &Node) -> Option<String> {
    let dialog = dialog_of(tree, node)?;
    let inside = tree.descendants(dialog.id).take(DIALOG_ELEMENTS);
    let nodes = inside
        .filter(|node| node.id == dialog.id || (!node.role.is_interactive() && !node.role.is_structural()));
    let mut text = String::new();
    for node in nodes {
        let content = node.details.text.known().map(|content| &*content.shown);
        for part in [Some(&*node.name), Some(&*node.description), content].into_iter().flatten() {
            let part = part.trim();
            if part.is_empty() || text.contains(part) {
                continue;
            }
            if text.len() + part.len() > DIALOG_TEXT {
                return Some(text);
            }
            if !text.is_empty() {
                text.push_str(if text.ends_with(['.', '?', '!', ':']) { " " } else { ". " });
            }
            text.push_str(part);
        }
    }
    Some(text)
}
