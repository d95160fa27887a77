//! What a dialog asks, and which of its buttons agree to it.

use super::assessment::{Assessment, Reason, Risk};
use super::labels::{is_pressed, texts};
use super::which::one_of_several;
use handeye_core::{Node, Role, States, TextContent, Tree};
use handeye_words::consequences as words;
use std::collections::HashSet;
use std::sync::Arc;

/// Most elements of a dialog that are read for what it asks.
const ELEMENTS: usize = 5_000;
/// Longest text of a dialog that is judged, in bytes; one of more is not known.
const JUDGED: usize = 256 * 1024;
/// Longest text of a dialog that a risk carries, in characters.
const CARRIED: usize = 4_000;
/// What a question shows of a dialog's text at least, in characters.
const SHOWN: usize = 300;
/// Most buttons of a dialog that only asks something.
const BUTTONS: usize = 6;

/// What a dialog says: its title and its texts, without the labels of what can be pressed in it.
pub(super) struct Question<'a> {
    dialog: &'a Arc<Node>,
    /// All of its texts, one after the other.
    text: String,
    /// Whether some of it is not known.
    is_cut: bool,
}

impl<'a> Question<'a> {
    /// What the dialog of an element says; `None` if it is in none.
    pub(super) fn of(tree: &'a Tree, node: &Node) -> Option<Self> {
        let dialog = dialog_of(tree, node)?;
        let mut question = Self { dialog, text: String::new(), is_cut: false };
        let mut known = HashSet::new();
        for (index, node) in tree.descendants(dialog.id).enumerate() {
            if index >= ELEMENTS {
                question.is_cut = true;
                break;
            }
            if node.id != dialog.id && (node.role.is_interactive() || node.role.is_structural()) {
                continue;
            }
            let content = node.details.text.known();
            question.is_cut |=
                is_cut(&node.name) || is_cut(&node.description) || content.is_some_and(TextContent::is_cut);
            let content = content.map(|content| &*content.shown);
            for part in [Some(&*node.name), Some(&*node.description), content].into_iter().flatten() {
                let part = part.trim();
                if !part.is_empty() && known.insert(part) {
                    question.add(part);
                }
            }
        }
        Some(question)
    }

    fn add(&mut self, part: &str) {
        if self.text.len() + part.len() > JUDGED {
            self.is_cut = true;
            return;
        }
        if self.text.len() < CARRIED && self.text.contains(part) {
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(if self.text.ends_with(['.', '?', '!', ':']) { " " } else { ". " });
        }
        self.text.push_str(part);
    }

    /// Whether to agree to it may destroy something.
    pub(super) fn is_destructive(&self) -> bool {
        words::is_destructive(&self.text)
    }

    /// A risk because of it, with as much of its text as a question needs.
    pub(super) fn risk(&self, deed: String, hit: &Node) -> Risk {
        Risk { reason: Reason::Dialog, deed, dialog: Some(self.excerpt()), hit: Some(hit.id) }
    }

    /// The text if it is short; else its beginning, after the place that makes it risky.
    fn excerpt(&self) -> String {
        let beginning = |length: usize| self.text.chars().take(length).collect::<String>();
        let is_telling = |part: &str| words::is_destructive(part) || words::asks_to_save(part);
        let carried = beginning(CARRIED);
        if is_telling(&beginning(SHOWN)) {
            return carried;
        }
        let characters: Vec<char> = self.text.chars().collect();
        let mut windows = characters.chunks(SHOWN / 3).map(String::from_iter).collect::<Vec<String>>();
        windows.push(String::new());
        match windows.windows(2).map(<[String]>::concat).find(|part| is_telling(part)) {
            Some(part) => format!("… {part} … {carried}"),
            None => carried,
        }
    }

    /// Whether the dialog does nothing but ask: it holds texts and a few buttons, and nothing that is set or chosen in it.
    fn only_asks(&self, tree: &Tree) -> bool {
        let holds_more = |node: &Node| {
            matches!(
                node.role,
                Role::Tab
                    | Role::ComboBox
                    | Role::SpinButton
                    | Role::Slider
                    | Role::Switch
                    | Role::ListItem
                    | Role::TreeItem
                    | Role::Row
                    | Role::Cell
                    | Role::MenuItem
                    | Role::Document
            )
        };
        if self.dialog.role == Role::Alert {
            return true;
        }
        let mut buttons = 0;
        tree.descendants(self.dialog.id).take(ELEMENTS).filter(|node| node.is_showing()).all(|node| {
            buttons += usize::from(is_pressed(node));
            buttons <= BUTTONS && !holds_more(node)
        })
    }
}

/// A button that may agree to what its dialog asks, or refuses to save what would be lost.
pub(super) fn agreement(tree: &Tree, pressed: &Arc<Node>) -> Option<Assessment> {
    let labels = texts(tree, pressed);
    let any = |is_it: fn(&str) -> bool| labels.iter().any(|label| is_it(label));
    let (agrees, refuses) = (any(words::is_affirmative), any(words::is_refusal));
    if refuses && !agrees && !any(words::is_no) {
        return None;
    }
    let question = Question::of(tree, pressed)?;
    let risk = || question.risk(format!("click {}", one_of_several(tree, pressed)), pressed);
    if any(words::is_no) && words::asks_to_save(&question.text) {
        return Some(Assessment::Risky(risk()));
    }
    if refuses && !agrees {
        return None;
    }
    if question.is_destructive() {
        // Among many controls, only a clear yes agrees to all of it.
        let is_clear = agrees || question.only_asks(tree);
        return Some(if is_clear { Assessment::Risky(risk()) } else { Assessment::Doubtful(risk()) });
    }
    question.is_cut.then(|| Assessment::Doubtful(risk()))
}

/// Whether the return key in the dialog of an element may do what the dialog asks.
pub(super) fn on_return(tree: &Tree, node: &Node) -> Option<Assessment> {
    let question = Question::of(tree, node)?;
    let by_button = || {
        let mut buttons = tree.descendants(question.dialog.id).take(ELEMENTS).filter(|node| is_pressed(node));
        buttons.any(|button| words::is_destructive(button.label()))
    };
    let risk = || question.risk("press return in a dialog".into(), node);
    if question.is_destructive() || by_button() {
        return Some(Assessment::Risky(risk()));
    }
    question.is_cut.then(|| Assessment::Doubtful(risk()))
}

/// The dialog that an element belongs to.
fn dialog_of<'a>(tree: &'a Tree, node: &Node) -> Option<&'a Arc<Node>> {
    tree.ancestors(node.id).find(|above| {
        matches!(above.role, Role::Dialog | Role::Alert)
            || (above.role == Role::Window && above.states.contains(States::MODAL))
    })
}

/// Whether a platform has cut a name or a description: it fills what a node may hold.
const fn is_cut(text: &str) -> bool {
    /// The note that stands for the rest may be shorter than the room that is left for it.
    const NOTE: usize = 64;
    text.len() + NOTE > Node::MAX_NAME_BYTES
}
