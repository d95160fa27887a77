//! Dialogs that ask for a file.

use crate::facts::{Facts, ids};
use crate::pattern::{Detection, Pattern};
use handeye_core::{Node, States};
use handeye_words::consequences::is_refusal;
use handeye_words::interface;
use std::sync::Arc;

/// Most check boxes of a dialog that asks for a file.
const MOST_TOGGLES: usize = 8;

/// Fewest buttons with a sign instead of words that are a path of folders and what sorts files.
const FEWEST_SIGNS: usize = 2;

/// A dialog that asks where to save, or what to open.
pub(crate) fn file_dialog(facts: &Facts<'_>) -> Option<Detection> {
    let is_chooser = facts.chooses_file && !facts.has_menu_bar;
    if !is_chooser && !has_shape(facts) {
        return None;
    }
    let saves = facts.buttons.iter().copied().find(|button| interface::saves(button.label()));
    let opens = facts.buttons.iter().copied().find(|button| interface::opens(button.label()));
    let accepts = || facts.buttons.iter().copied().find(|button| button.states.contains(States::DEFAULT));
    let (pattern, button) = match (saves, opens) {
        (Some(save), _) => (Pattern::FileSaveDialog, Some(save)),
        (None, Some(open)) => (Pattern::FileOpenDialog, Some(open)),
        // Words of a language that is not known, or "OK": a name is typed only to save.
        _ if !is_chooser => return None,
        _ if !facts.fields.is_empty() => (Pattern::FileSaveDialog, accepts()),
        _ => (Pattern::FileOpenDialog, accepts()),
    };
    let basis = button.map(|button| button.id).into_iter();
    Some(Detection::new(pattern, basis.chain(ids(&facts.fields)).chain(ids(&facts.lists))))
}

/// Whether a dialog has what dialogs for files of all toolkits have: a list of files, a name or a type, and two answers.
fn has_shape(facts: &Facts<'_>) -> bool {
    let is_answer =
        |button: &&Arc<Node>| interface::saves(button.label()) || interface::opens(button.label());
    let refuses = |button: &&Arc<Node>| is_refusal(button.label()) && !interface::saves(button.label());
    // Where no name is typed, there is a list of places beside that of the files, or a path above it, whose buttons have signs or names of folders.
    let has_places = facts.lists.len() >= 2 && facts.headers.len() >= 2;
    let has_path = !facts.choices.is_empty() && facts.commands >= facts.buttons.len() + FEWEST_SIGNS;
    let asks_for_file = !facts.fields.is_empty() || has_places || has_path;
    facts.is_dialog
        && facts.tabs.is_empty()
        && facts.spins.is_empty()
        && facts.toggles.len() <= MOST_TOGGLES
        && !facts.lists.is_empty()
        && asks_for_file
        && facts.buttons.iter().copied().any(|button| is_answer(&button))
        && facts.buttons.iter().copied().any(|button| refuses(&button))
        && (!facts.choices.is_empty() || facts.headers.len() >= 2)
}
