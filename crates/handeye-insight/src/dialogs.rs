//! Dialogs that only say or ask something.

use crate::facts::{Facts, ids};
use crate::pattern::{Detection, Pattern};
use handeye_core::{Node, NodeId, Role, States};
use handeye_words::consequences::{is_affirmative, is_refusal};
use handeye_words::interface;
use std::sync::Arc;

/// Most answers of a dialog that only asks something, with its help and its details.
const MOST_ANSWERS: usize = 5;
/// Most texts of a dialog that only asks something.
const MOST_TEXTS: usize = 8;
/// Most texts of a question that is recognised without its words.
const SHORT: usize = 3;
/// Longest text of a message that is judged by its words, in characters.
const JUDGED: usize = 400;

/// A message about an error with nothing to choose.
pub(crate) fn error_alert(facts: &Facts<'_>) -> Option<Detection> {
    let answers = answers(facts);
    let shows_rows = !facts.lists.is_empty();
    if !facts.is_dialog || shows_rows || !only_speaks(facts) || answers.len() != 1 {
        return None;
    }
    let reports =
        |node: &&&Arc<Node>| node.label().chars().count() <= JUDGED && interface::reports_error(node.label());
    let text = facts.texts.iter().find(reports).map(|text| text.id);
    let title = interface::reports_error(&facts.window.name).then_some(facts.window.id);
    let evidence = title.or(text)?;
    Some(Detection::new(
        Pattern::ErrorAlert,
        [evidence].into_iter().chain(ids(&facts.texts)).chain(ids(&answers)),
    ))
}

/// A question that one of a few buttons answers.
pub(crate) fn confirmation(facts: &Facts<'_>) -> Option<Detection> {
    let answers = answers(facts);
    if !only_speaks(facts) || !(2..=MOST_ANSWERS).contains(&answers.len()) {
        return None;
    }
    let is_answer = |button: &&Arc<Node>| {
        let label = button.label();
        is_affirmative(label) || is_refusal(label) || interface::saves(label)
    };
    let clear = answers.iter().filter(|button| is_answer(button)).count();
    if !facts.lists.is_empty() && !asks_about_list(facts, &answers) {
        return None;
    }
    // In a language that is not known: a short text, unlike what a program says about itself.
    let is_short = facts.texts.len() <= SHORT && facts.links == 0;
    let is_urgent = facts.window.states.contains(States::MODAL)
        || answers.iter().any(|button| button.states.contains(States::DEFAULT));
    let asks = facts.window.role == Role::Alert
        || (facts.is_dialog && is_short && is_urgent)
        || (clear >= 2 && (facts.is_dialog || is_bare(facts, clear)));
    let buttons: Vec<NodeId> = ids(&answers).collect();
    asks.then(|| Detection::new(Pattern::ConfirmationDialog, buttons.into_iter().chain(ids(&facts.texts))))
}

/// Whether a dialog asks about what it lists, as about documents that are not saved, and not which of them: it warns, or what it lists can
/// be saved or not.
fn asks_about_list(facts: &Facts<'_>, answers: &[&Arc<Node>]) -> bool {
    let saves = answers.iter().any(|button| interface::saves(button.label()));
    let leaves = answers.iter().any(|button| is_refusal(button.label()) && !interface::saves(button.label()));
    let is_urgent = facts.window.role == Role::Alert && facts.window.states.contains(States::MODAL);
    facts.is_dialog && facts.lists.len() == 1 && (is_urgent || (saves && leaves && answers.len() >= 3))
}

/// Whether a window that does not call itself a dialog has clear answers and nothing else to press.
fn is_bare(facts: &Facts<'_>, clear: usize) -> bool {
    clear + 1 >= facts.buttons.len() && facts.commands == facts.buttons.len() && facts.texts.len() <= 3
}

/// Whether a window has texts and buttons, and nothing else but a box to tick and a list of what it speaks about. An alert may have its message in a
/// text of several lines.
fn only_speaks(facts: &Facts<'_>) -> bool {
    // What explains itself by links is about the program.
    !facts.has_menu_bar
        && !facts.has_tool_bar
        && facts.page.is_none()
        && facts.passwords.is_empty()
        && facts.fields.is_empty()
        && facts.searches.is_empty()
        && facts.spins.is_empty()
        && facts.choices.is_empty()
        && facts.editors.is_empty()
        && facts.progress.is_empty()
        && facts.tabs.is_empty()
        && facts.toggles.len() <= 1
        && facts.lists.len() <= 1
        && facts.canvases == 0
        && facts.readings <= usize::from(facts.window.role == Role::Alert)
        && facts.links <= 1
        && !(facts.texts.is_empty() && facts.window.name.is_empty())
        && facts.texts.len() <= MOST_TEXTS
}

/// The buttons of a dialog, without those that say more about it.
fn answers<'a>(facts: &Facts<'a>) -> Vec<&'a Arc<Node>> {
    facts.buttons.iter().copied().filter(|button| !button.states.contains(States::HAS_POPUP)).collect()
}
