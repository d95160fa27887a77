//! What an action will hit, judged by what the application says about it.

use super::words;
use crate::effect::quote;
use handeye_core::{Abilities, Node, NodeId, Role, States, Tree};
use std::sync::Arc;

/// How far above a label the button or link that it belongs to may be.
const NEAR: usize = 4;
/// Most elements of a dialog that are read for what it asks.
const DIALOG_ELEMENTS: usize = 200;
/// Longest text of a dialog that is judged, in bytes.
const DIALOG_TEXT: usize = 4_000;

/// What is done to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// A click, or what does the same.
    Press,
    /// The return key: it may mean the dialog's default button.
    Return,
    /// The delete key.
    Delete,
    /// Something is dropped on it.
    Drop,
}

/// Why it is risky.
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

/// Something that may be destroyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// Why.
    pub reason: Reason,
    /// What will be done, to end the sentence "This will …" with.
    pub deed: String,
    /// What the dialog says, where that is why.
    pub dialog: Option<String>,
}

/// Judges a gesture on an element; `None` if nothing says that it may destroy something.
pub fn judge(tree: &Tree, id: NodeId, gesture: Gesture) -> Option<Risk> {
    let node = tree.get(id)?;
    match gesture {
        Gesture::Press => press(tree, node),
        Gesture::Return if acts_on_return(node) => press(tree, node),
        Gesture::Return => default_of_dialog(tree, node),
        Gesture::Delete => delete(node),
        Gesture::Drop => words::is_trash(node.label())
            .then(|| Risk::of_words(format!("drop something on '{}'", quote(node.label())))),
    }
}

impl Risk {
    fn of_words(deed: String) -> Self {
        Self { reason: Reason::Words, deed, dialog: None }
    }

    /// What is hit tells nothing about itself.
    pub fn unseen(deed: String) -> Self {
        Self { reason: Reason::Unseen, deed, dialog: None }
    }
}

fn press(tree: &Tree, node: &Arc<Node>) -> Option<Risk> {
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
    let mut texts_of_path = path.iter().filter(|node| can_destroy(node)).flat_map(|node| texts(tree, node));
    if let Some(text) = texts_of_path.find(|text| words::is_destructive(text)) {
        return Some(Risk::of_words(format!("click '{}'", quote(text.trim()))));
    }
    let pressed = path.iter().find(|node| is_pressed(node))?;
    let said = dialog_text(tree, pressed)?;
    let labels = texts(tree, pressed);
    let agrees = labels.iter().any(|label| words::is_affirmative(label)) && words::is_destructive(&said);
    let loses = labels.iter().any(|label| words::is_no(label)) && words::asks_to_save(&said);
    (agrees || loses).then(|| Risk {
        reason: Reason::Dialog,
        deed: format!("click '{}'", quote(pressed.label())),
        dialog: Some(said),
    })
}

/// The return key where the focus is on nothing that takes it: a dialog presses its default button, which need not tell that it is it.
fn default_of_dialog(tree: &Tree, node: &Arc<Node>) -> Option<Risk> {
    let said = dialog_text(tree, node)?;
    let by_button = || {
        let dialog = dialog_of(tree, node)?;
        let mut buttons = tree.descendants(dialog.id).take(DIALOG_ELEMENTS).filter(|node| is_pressed(node));
        buttons.find(|button| words::is_destructive(button.label())).map(|button| button.label().to_owned())
    };
    let is_risky = words::is_destructive(&said) || by_button().is_some();
    is_risky.then(|| Risk {
        reason: Reason::Dialog,
        deed: "press return in a dialog".into(),
        dialog: Some(said),
    })
}

fn delete(node: &Node) -> Option<Risk> {
    // In a text it takes back a character, which an editor can undo.
    let takes_text = node.abilities.contains(Abilities::EDITABLE_TEXT)
        || matches!(node.role, Role::TextBox | Role::SearchBox | Role::SpinButton);
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
    (is_item && !takes_text)
        .then(|| Risk::of_words(format!("press delete on {} '{}'", node.role, quote(node.label()))))
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

const fn is_pressed(node: &Node) -> bool {
    matches!(node.role, Role::Button | Role::ToggleButton | Role::MenuItem | Role::Link)
}

const fn acts_on_return(node: &Node) -> bool {
    is_pressed(node)
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
    use crate::testing::{named, tree};

    fn judged(outline: &str, name: &str, gesture: Gesture) -> Option<Reason> {
        let tree = tree(outline);
        judge(&tree, named(&tree, name), gesture).map(|risk| risk.reason)
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
}
