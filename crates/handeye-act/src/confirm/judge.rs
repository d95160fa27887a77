//! What an action will hit, judged by what the application says about it.

use super::deed::Deed;
use super::keys;
use super::which::{one_of_several, quoted};
use super::words;
use handeye_core::{Node, NodeId, Role, States, Tree};
use std::sync::Arc;

/// How far above a label the button or link that it belongs to may be.
const NEAR: usize = 4;
/// Most elements of a dialog that are read for what it asks.
const DIALOG_ELEMENTS: usize = 200;
/// Longest text of a dialog that is judged, in bytes.
const DIALOG_TEXT: usize = 4_000;
/// Most elements that are looked through for what a key may reach.
const REACHABLE: usize = 5_000;

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its own words say so.
    Words,
    /// It agrees to what its dialog asks.
    Dialog,
    /// Nothing tells what is hit.
    Unseen,
}

impl Reason {
    /// Its name in the audit log.
    pub const fn flag(self) -> &'static str {
        match self {
            Self::Words => "destructive_keyword",
            Self::Dialog => "destructive_dialog",
            Self::Unseen => "unseen_target",
        }
    }
}

/// Something that a person is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// Why.
    pub reason: Reason,
    /// What will be done, to end the sentence "This will …" with.
    pub deed: String,
    /// What the dialog says, where that is why.
    pub dialog: Option<String>,
    /// The element that is hit, where it is known.
    pub hit: Option<NodeId>,
}

/// What is known about an action before it is done, from the least to the worst.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assessment {
    /// What is hit is known, and nothing says that it may destroy something.
    Harmless,
    /// What is hit is not known, or whether it acts at once: who wants to be asked always is asked.
    Doubtful(Risk),
    /// Something may be destroyed.
    Risky(Risk),
}

impl Assessment {
    /// The worse of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Risky(_), _) | (_, Self::Harmless) | (Self::Doubtful(_), Self::Doubtful(_)) => self,
            _ => other,
        }
    }
}

/// Judges what is about to be done.
pub fn assess(tree: &Tree, deed: &Deed) -> Assessment {
    match deed {
        Deed::Press { named, does } => {
            let on = |id: &NodeId| tree.get(*id).map_or(Assessment::Harmless, |node| press(tree, node));
            if named == does { on(named) } else { on(named).or(on(does)) }
        }
        Deed::Keys { strokes, holder } => keys::assess(tree, strokes, *holder),
        Deed::Drag { from, to, place } => drag(tree, *from, *to, place),
        Deed::Blind { deed, .. } => Assessment::Doubtful(Risk::unseen(deed.clone())),
        Deed::Harmless => Assessment::Harmless,
    }
}

impl Risk {
    /// Its own words say so.
    pub(super) fn of_words(deed: String, hit: &Node) -> Self {
        Self { reason: Reason::Words, deed, dialog: None, hit: Some(hit.id) }
    }

    /// What is hit tells nothing about itself.
    pub fn unseen(deed: String) -> Self {
        Self { reason: Reason::Unseen, deed, dialog: None, hit: None }
    }
}

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
    let said = dialog_text(tree, pressed)?;
    let labels = texts(tree, pressed);
    let agrees = labels.iter().any(|label| words::is_affirmative(label)) && words::is_destructive(&said);
    let loses = labels.iter().any(|label| words::is_no(label)) && words::asks_to_save(&said);
    (agrees || loses).then(|| Risk {
        reason: Reason::Dialog,
        deed: format!("click {}", one_of_several(tree, pressed)),
        dialog: Some(said),
        hit: Some(pressed.id),
    })
}

/// The return key where the focus is on nothing that takes it: the default button of the window is pressed, which need not tell that it is it.
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
    let said = dialog_text(tree, node)?;
    let by_button = || {
        let dialog = dialog_of(tree, node)?;
        let mut buttons = tree.descendants(dialog.id).take(DIALOG_ELEMENTS).filter(|node| is_pressed(node));
        buttons.find(|button| words::is_destructive(button.label()))
    };
    let is_risky = words::is_destructive(&said) || by_button().is_some();
    is_risky.then(|| {
        Assessment::Risky(Risk {
            reason: Reason::Dialog,
            deed: "press return in a dialog".into(),
            dialog: Some(said),
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

/// The pointer pressed on one element and released on another.
fn drag(tree: &Tree, from: Option<NodeId>, to: Option<NodeId>, place: &str) -> Assessment {
    let (Some(from), Some(to)) = (from.and_then(|id| tree.get(id)), to.and_then(|id| tree.get(id))) else {
        return Assessment::Doubtful(Risk::unseen(format!("drag {place}")));
    };
    if words::is_trash(to.label()) {
        return Assessment::Risky(Risk::of_words(format!("drop something on {}", quoted(to.label())), to));
    }
    let is_in = |inner: &Node, outer: &Node| {
        inner.id == outer.id || tree.ancestors(inner.id).any(|node| node.id == outer.id)
    };
    // Pressed and released on one element is a click; a menu chooses where the button is released.
    let is_click = is_in(from, to) || is_in(to, from) || in_one_button(tree, from, to);
    let is_menu = |node: &Node| {
        matches!(node.role, Role::Menu | Role::MenuItem | Role::ComboBox)
            || node.states.contains(States::HAS_POPUP)
    };
    let clicked = if is_click { press(tree, from).or(press(tree, to)) } else { Assessment::Harmless };
    if is_menu(from) || is_menu(to) { clicked.or(press(tree, to)) } else { clicked }
}

/// Whether two elements are parts of the same button.
fn in_one_button(tree: &Tree, one: &Node, other: &Node) -> bool {
    let button = |node: &Node| {
        let around = tree.ancestors(node.id).take(NEAR).find(|above| above.role.is_interactive());
        if node.role.is_interactive() { Some(node.id) } else { around.map(|node| node.id) }
    };
    button(one).is_some_and(|id| button(other) == Some(id))
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
        // A whole page is no label.
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
    let said = inside
        .filter(|node| node.id == dialog.id || (!node.role.is_interactive() && !node.role.is_structural()));
    let mut text = String::new();
    for node in said {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::deed::{Key, Stroke};
    use handeye_core::Modifier;
    use handeye_core::testing::{named, tree};

    /// What is done to an element.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Gesture {
        Press,
        Return,
        Delete,
        Drop,
    }

    fn stroke(key: Key, modifiers: &[Modifier]) -> Stroke {
        Stroke { key, modifiers: modifiers.to_vec(), shown: "it".into() }
    }

    fn keys(tree: &Tree, holder: Option<NodeId>, strokes: Vec<Stroke>) -> Assessment {
        assess(tree, &Deed::Keys { strokes, holder })
    }

    fn judged(outline: &str, name: &str, gesture: Gesture) -> Option<Reason> {
        let tree = tree(outline);
        let id = named(&tree, name);
        let assessed = match gesture {
            Gesture::Press => assess(&tree, &Deed::press(id)),
            Gesture::Return => keys(&tree, Some(id), vec![stroke(Key::Return, &[])]),
            Gesture::Delete => keys(&tree, Some(id), vec![stroke(Key::Erase, &[])]),
            Gesture::Drop => {
                let from = tree.root().expect("an application");
                assess(&tree, &Deed::Drag { from: Some(from), to: Some(id), place: String::new() })
            }
        };
        match assessed {
            Assessment::Risky(risk) => Some(risk.reason),
            Assessment::Doubtful(_) | Assessment::Harmless => None,
        }
    }

    #[test]
    fn its_own_words_decide() {
        let outline = "window \"Settings\"\n  button \"Delete All Data\"\n  button \"Save\"\n  button \"X\" [description=Löschen]\n  \
                       menu \"Edit\"\n    menuitem \"Delete\"\n  listitem \"Delete me.txt\"\n  checkbox \"Delete after import\"\n  \
                       link \"Deleted Items\"\n  group\n    text \"Remove\"";
        let press = |name: &str| judged(outline, name, Gesture::Press);
        assert_eq!(press("Delete All Data"), Some(Reason::Words));
        assert_eq!(press("X"), Some(Reason::Words));
        assert_eq!(press("Delete"), Some(Reason::Words));
        assert_eq!(
            press("Remove"),
            Some(Reason::Words),
            "a label may be all that an application tells of a button"
        );
        for harmless in ["Save", "Delete me.txt", "Delete after import", "Deleted Items", "Settings"] {
            assert_eq!(press(harmless), None, "{harmless}");
        }
    }

    #[test]
    fn a_click_on_what_is_inside_of_a_button_means_the_button() {
        let outline = "window \"W\"\n  button \"Delete\"\n    img \"bin\"\n  button \"\"\n    text \"Erase\"\n    img \"face\"";
        assert_eq!(judged(outline, "bin", Gesture::Press), Some(Reason::Words));
        assert_eq!(
            judged(outline, "face", Gesture::Press),
            Some(Reason::Words),
            "a button without a name is what it holds"
        );
    }

    #[test]
    fn what_a_dialog_asks_decides_about_its_yes() {
        let outline = "dialog \"Question\"\n  text \"Delete all photos? This cannot be undone.\"\n  button \"OK\"\n  button \"Cancel\"\n  \
                       button \"Save\"\nwindow \"Main\"\n  text \"Delete all photos?\"\n  button \"Yes\"";
        assert_eq!(judged(outline, "OK", Gesture::Press), Some(Reason::Dialog));
        assert_eq!(judged(outline, "OK", Gesture::Return), Some(Reason::Dialog));
        assert_eq!(judged(outline, "Cancel", Gesture::Press), None);
        assert_eq!(judged(outline, "Save", Gesture::Press), None);
        assert_eq!(judged(outline, "Yes", Gesture::Press), None, "a main window holds all kinds of text");
    }

    #[test]
    fn no_to_saving_is_yes_to_losing() {
        let outline = "alertdialog \"Editor\"\n  text \"Save changes to letter.txt?\"\n  button \"Yes\"\n  button \"No\"";
        assert_eq!(judged(outline, "No", Gesture::Press), Some(Reason::Dialog));
        assert_eq!(judged(outline, "Yes", Gesture::Press), None);
    }

    #[test]
    fn return_means_the_default_button_of_a_dialog() {
        let outline = "dialog \"Rename\"\n  textbox \"Name\"\n  button \"OK\"\n\
                       dialog \"Erase\"\n  text \"The disk will be erased.\"\n  checkbox \"Quick\"\n  button \"Erase disk\"";
        assert_eq!(judged(outline, "Name", Gesture::Return), None);
        assert_eq!(judged(outline, "Quick", Gesture::Return), Some(Reason::Dialog));
        assert_eq!(judged(outline, "Quick", Gesture::Press), None);
    }

    #[test]
    fn the_delete_key_is_for_items_and_not_for_text() {
        let outline = "window \"Files\"\n  list \"Folder\"\n    listitem \"a.txt\"\n  textbox \"Path\"\n  button \"Go\"";
        assert_eq!(judged(outline, "a.txt", Gesture::Delete), Some(Reason::Words));
        assert_eq!(judged(outline, "Path", Gesture::Delete), None);
        assert_eq!(judged(outline, "Go", Gesture::Delete), None);
    }

    #[test]
    fn the_trash_takes_what_is_dropped_on_it() {
        let outline = "window \"Desktop\"\n  listitem \"Trash\"\n  listitem \"Documents\"";
        assert_eq!(judged(outline, "Trash", Gesture::Drop), Some(Reason::Words));
        assert_eq!(judged(outline, "Documents", Gesture::Drop), None);
        assert_eq!(judged(outline, "Trash", Gesture::Press), None);
    }

    const KEYS: &str = "window \"Main\"\n  button \"Delete\"\n  button \"Refresh\"\n  textbox \"Name\"\n  checkbox \"Erase on exit\"\n  \
                        switch \"Wipe now\"";

    #[test]
    fn what_keys_do_depends_on_the_focus() {
        let tree = tree(KEYS);
        let at = |name: &str, strokes| keys(&tree, Some(named(&tree, name)), strokes);
        let risky = |assessed: &Assessment| matches!(assessed, Assessment::Risky(_));
        let doubtful = |assessed: &Assessment| matches!(assessed, Assessment::Doubtful(_));
        assert!(risky(&at("Delete", Stroke::typing(" "))));
        assert!(risky(&at("Wipe now", Stroke::typing(" "))));
        assert!(doubtful(&at("Erase on exit", Stroke::typing(" "))), "it is set, and acts later");
        assert_eq!(at("Refresh", Stroke::typing(" ")), Assessment::Harmless);
        assert_eq!(at("Name", Stroke::typing("a b")), Assessment::Harmless);
        assert!(risky(&at("Name", Stroke::typing("a\t "))), "the tab may have moved to anything");
        assert!(doubtful(&at("Name", Stroke::typing("a\n"))), "what the field does with it is not known");
        assert!(risky(&at("Refresh", vec![stroke(Key::Character(Some('d')), &[Modifier::Alt])])));
        assert!(doubtful(&at("Refresh", vec![stroke(Key::Character(Some('d')), &[Modifier::Ctrl])])));
        assert!(risky(&at("Name", vec![stroke(Key::F4, &[Modifier::Alt])])));
        assert_eq!(
            at("Name", vec![stroke(Key::Character(Some('c')), &[Modifier::Ctrl])]),
            Assessment::Harmless
        );
        assert!(
            doubtful(&keys(&Tree::default(), None, Stroke::typing("d"))),
            "nothing tells what has the focus"
        );
    }

    #[test]
    fn a_drag_from_a_button_to_itself_is_a_click() {
        let tree =
            tree("window \"Main\"\n  button \"Delete\"\n    img \"bin\"\n  listitem \"a\"\n  listitem \"b\"");
        let drag = |from: &str, to: &str| {
            let end = |name: &str| Some(named(&tree, name));
            assess(&tree, &Deed::Drag { from: end(from), to: end(to), place: String::new() })
        };
        for (from, to) in [("Delete", "Delete"), ("bin", "Delete"), ("bin", "bin")] {
            assert!(matches!(drag(from, to), Assessment::Risky(_)), "{from} to {to}");
        }
        assert_eq!(drag("a", "b"), Assessment::Harmless);
        assert_eq!(drag("Delete", "b"), Assessment::Harmless, "released elsewhere, a button does nothing");
    }

    #[test]
    fn a_menu_that_only_opens_does_nothing_yet() {
        let tree = tree(
            "window \"Main\"\n  menu \"Format\"\n    menuitem \"Clear\"\n  menuitem \"Quit\"\n    menuitem \"Really\"",
        );
        let press = |name: &str| assess(&tree, &Deed::press(named(&tree, name)));
        assert_eq!(press("Format"), Assessment::Harmless);
        assert_eq!(press("Quit"), Assessment::Harmless, "it has a menu of its own");
        assert!(matches!(press("Clear"), Assessment::Risky(_)));
    }
}
