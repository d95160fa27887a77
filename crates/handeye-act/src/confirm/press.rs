//! A press, judged by what will be hit: its own words, its dialog, and what a key may reach.

use super::assessment::{Assessment, Risk};
use super::deed::Manner;
use super::dialog;
use super::labels::{INSIDE_BUTTON, inside, is_pressed, opens, texts, texts_inside};
use super::which::{one_of_several, quoted};
use handeye_core::{Node, Role, States, Tree};
use handeye_words::consequences as words;
use std::sync::Arc;

/// How far above a label the button or link that it belongs to may be.
pub(super) const NEAR: usize = 4;
/// Most elements that are looked through for what a key may reach.
const REACHABLE: usize = 5_000;

/// A press on an element, or what does the same.
pub(super) fn press(tree: &Tree, node: &Arc<Node>, manner: Manner) -> Assessment {
    let path = path(tree, node);
    let says = |node: &&&Arc<Node>| {
        let shown = if is_pressed(node) { inside(tree, node, INSIDE_BUTTON) } else { Vec::new() };
        texts(tree, node).into_iter().chain(shown).any(words::is_destructive)
    };
    let named = |hit: &Arc<Node>| {
        let text = texts_inside(tree, hit).find(|text| words::is_destructive(text)).unwrap_or_default();
        if hit.label() == text {
            format!("click {}", one_of_several(tree, hit))
        } else {
            format!("click {}", quoted(text))
        }
    };
    let acts = |node: &&&Arc<Node>| can_destroy(node) || (manner == Manner::Open && opens(node));
    if let Some(hit) = path.iter().filter(acts).filter(|node| !is_opener(tree, node)).find(says) {
        return Assessment::Risky(Risk::of_words(named(hit), hit));
    }
    if let Some(agreement) =
        path.iter().find(|node| is_pressed(node)).and_then(|pressed| dialog::agreement(tree, pressed))
    {
        return agreement;
    }
    // What is only chosen acts when something else is pressed, in most applications.
    let speaks = |hit: &&&Arc<Node>| {
        let is_meant = hit.id == node.id || hit.role.is_interactive() || opens(hit);
        let can_speak = !hit.role.is_window() && !is_opener(tree, hit);
        is_meant && can_speak && texts_inside(tree, hit).any(words::is_destructive)
    };
    if let Some(hit) = path.iter().find(speaks) {
        return Assessment::Doubtful(Risk::of_words(named(hit), hit));
    }
    if is_mute(tree, node, &path) {
        let hit = Some(node.id);
        return Assessment::Doubtful(Risk {
            hit,
            ..Risk::unseen(format!("click a {} without a name", node.role))
        });
    }
    Assessment::Harmless
}

/// The context button on an element: it opens a menu at most, unless that is open already; what draws itself may do anything.
pub(super) fn context(tree: &Tree, node: &Arc<Node>) -> Assessment {
    let assessed = press(tree, node, Manner::Click);
    match assessed {
        Assessment::Risky(risk)
            if !matches!(node.role, Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio) =>
        {
            let deed = risk.deed.replacen("click", "right click", 1);
            Assessment::Doubtful(Risk { deed, ..risk })
        }
        other => other,
    }
}

/// An element and what it belongs to: a click on a label inside of a button means the button.
fn path<'a>(tree: &'a Tree, node: &'a Arc<Node>) -> Vec<&'a Arc<Node>> {
    let mut path = vec![node];
    if !node.role.is_interactive() {
        // The name of its window or its application does not say what it does.
        let is_part = |above: &&Arc<Node>| !above.role.is_window() && above.parent.is_some();
        for above in tree.ancestors(node.id).take(NEAR).take_while(is_part) {
            path.push(above);
            if above.role.is_interactive() {
                break;
            }
        }
    }
    path
}

/// Whether nothing shows what a press on it does: it has no words, or a sign in their place.
fn is_mute(tree: &Tree, node: &Node, path: &[&Arc<Node>]) -> bool {
    if path.iter().any(|node| texts(tree, node).iter().any(|text| !words::is_mute(text))) {
        return false;
    }
    let has_sign = path.iter().any(|node| texts(tree, node).iter().any(|text| !text.trim().is_empty()));
    let draws_itself = match node.role {
        Role::Canvas | Role::Media | Role::Image => true,
        role => {
            let may_draw = role.is_structural() || role.is_window();
            may_draw && node.child_count == 0 && node.children.is_empty()
        }
    };
    let takes_sign = is_setting(node) || opens(node) || node.role == Role::Text;
    path.iter().any(|node| is_pressed(node)) || draws_itself || (has_sign && takes_sign)
}

/// The return key where the focus is on nothing that takes it: the default button of the window is pressed, which need not report that it is the default.
pub(super) fn default_button(tree: &Tree, node: &Node) -> Option<Assessment> {
    let window = tree.window_of(node.id)?;
    let known = tree
        .descendants(window.id)
        .take(REACHABLE)
        .find(|inside| inside.states.contains(States::DEFAULT) && inside.is_showing() && is_pressed(inside));
    if let Some(Assessment::Risky(risk)) = known.map(|button| press(tree, button, Manner::Click)) {
        let deed = risk.deed.replacen("click", "press return, which hits", 1);
        return Some(Assessment::Risky(Risk { deed, ..risk }));
    }
    dialog::on_return(tree, node)
}

/// The worst of what can be pressed on view and fits, for a key of which it is not known what it will hit.
pub(super) fn worst_in_reach(tree: &Tree, shown: &str, fits: impl Fn(&Node) -> bool) -> Option<Assessment> {
    let pressed =
        tree.nodes().take(REACHABLE).filter(|node| node.is_showing() && is_pressed(node) && fits(node));
    worst_of(tree, shown, pressed)
}

/// The first risky one of what a key may press.
pub(super) fn worst_of<'a>(
    tree: &Tree,
    shown: &str,
    pressed: impl Iterator<Item = &'a Arc<Node>>,
) -> Option<Assessment> {
    let mut assessed = pressed.map(|node| press(tree, node, Manner::Open));
    let risky = assessed.find_map(|assessed| match assessed {
        Assessment::Risky(risk) => Some(risk),
        Assessment::Doubtful(_) | Assessment::Harmless => None,
    })?;
    let deed = risky.deed.replacen("click", &format!("press {shown}, which may hit"), 1);
    Some(Assessment::Risky(Risk { deed, ..risky }))
}

/// Whether a press only opens what it holds: a menu called "Format" does nothing yet.
pub(super) fn is_opener(tree: &Tree, node: &Node) -> bool {
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
    let is_chosen_or_set = matches!(
        node.role,
        Role::TextBox
            | Role::SearchBox
            | Role::SpinButton
            | Role::Slider
            | Role::CheckBox
            | Role::RadioButton
            | Role::ComboBox
            | Role::MenuBar
            | Role::Document
            | Role::Table
            | Role::List
            | Role::ListBox
            | Role::Tree
    );
    !opens(node) && !is_chosen_or_set && !node.role.is_window()
}
