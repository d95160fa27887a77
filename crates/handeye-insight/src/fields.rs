//! Windows with much to set or to fill in.

use crate::content;
use crate::facts::{Facts, ids};
use crate::pattern::{Detection, Pattern};
use handeye_core::{Node, NodeId};
use handeye_words::interface;
use std::sync::Arc;

/// Fewest controls of a window in which things are set, if its title does not say so.
const SETTINGS: usize = 5;
/// Most buttons of such a window: one with more is a tool.
const MOST_BUTTONS: usize = 16;

/// Things that can be set: switches, choices and numbers, in groups or on pages.
pub(crate) fn settings_page(facts: &Facts<'_>) -> Option<Detection> {
    let adjusted = facts.toggles.len() + facts.choices.len() + facts.spins.len();
    if facts.page.is_some() || facts.has_menu_bar || facts.buttons.len() > MOST_BUTTONS {
        return None;
    }
    // What is set in a search is what is searched for.
    if content::is_titled_search(facts) {
        return None;
    }
    let is_titled = interface::is_title_of_settings(&facts.window.name);
    let is_paged = facts.tabs.len() >= 2 || !facts.lists.is_empty();
    let by_title = is_titled && facts.editors.is_empty() && (adjusted >= 1 || facts.controls() >= 2);
    let is_plain = facts.editors.is_empty() && facts.progress.is_empty();
    let is_many = is_paged && adjusted >= SETTINGS && adjusted > 2 * facts.fields.len();
    let is_on_pages =
        facts.is_dialog && facts.tabs.len() >= 3 && adjusted >= 3 && adjusted >= facts.fields.len();
    let by_shape = is_plain && (is_many || is_on_pages);
    (by_title || by_shape).then(|| {
        let title = is_titled.then_some(facts.window.id);
        Detection::new(Pattern::SettingsPage, title.into_iter().chain(controls(facts)))
    })
}

/// Fields to fill in, in a window that has no other purpose.
pub(crate) fn form(facts: &Facts<'_>) -> Option<Detection> {
    let typed = facts.fields.len() + facts.spins.len() + facts.editors.len() + facts.passwords.len();
    // A window with menus is filled in if that is all that it has: several fields, and a button for what becomes of them.
    let is_plain = !facts.has_tool_bar
        && facts.fields.len() >= 2
        && facts.lists.is_empty()
        && facts.editors.is_empty()
        && facts.readings == 0
        && facts.canvases == 0;
    let is_main =
        facts.page.is_none() && (!facts.has_menu_bar || is_plain) && facts.buttons.len() <= MOST_BUTTONS;
    // What is chosen from lists, and a picker of colours, is not filled in.
    let is_picker = facts.chooses_look || facts.lists.len() >= typed || !facts.progress.is_empty();
    let is_form = typed >= 1 && typed + facts.toggles.len() + facts.choices.len() >= 3 || typed >= 2;
    (is_main && is_form && !is_picker && !facts.buttons.is_empty()).then(|| {
        let typed: Vec<&Arc<Node>> = facts.fields.iter().chain(&facts.passwords).copied().collect();
        let typed: Vec<NodeId> = ids(&typed).collect();
        Detection::new(Pattern::Form, typed.into_iter().chain(controls(facts)))
    })
}

fn controls<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = NodeId> + 'a {
    ids(&facts.toggles).chain(ids(&facts.choices)).chain(ids(&facts.spins))
}
