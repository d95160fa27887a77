//! What the content of a window is for.

use crate::facts::{Facts, ids, is_under_way};
use crate::pattern::{Detection, Pattern};
use handeye_core::{Node, Role, States};
use handeye_words::interface;
use std::sync::Arc;

/// Most buttons of a window whose purpose is not to press them: a calculator has a display that looks like an editor.
const MOST_BUTTONS: usize = 14;

/// Most controls beside a table that a window is for.
const MOST_CONTROLS: usize = 16;

/// Fewest buttons, with words or signs, that make up for a tool bar.
const COMMANDS: usize = 4;

/// A window that shows how far something is, and hardly anything else.
pub(crate) fn progress(facts: &Facts<'_>) -> Option<Detection> {
    let running = facts.progress.iter().copied().filter(|bar| is_under_way(bar.details.value.known()));
    let running: Vec<&Arc<Node>> = running.collect();
    let is_all = !facts.has_menu_bar
        && facts.controls() <= 2
        && facts.passwords.is_empty()
        && facts.lists.is_empty()
        && facts.buttons.len() <= 5
        && facts.page.is_none();
    (is_all && !running.is_empty())
        .then(|| Detection::new(Pattern::ProgressIndicator, ids(&running).chain(ids(&facts.buttons))))
}

/// A web page with the field for its address.
pub(crate) fn browser(facts: &Facts<'_>) -> Option<Detection> {
    let page = facts.page?;
    if facts.is_dialog {
        return None;
    }
    let fields = || facts.bar_fields.iter().chain(&facts.fields).copied();
    let holds_address = |field: &&Arc<Node>| {
        held(field).is_some_and(looks_like_address) || interface::is_address(field.label())
    };
    let address = fields().find(holds_address)?;
    let tabs = ids(&facts.tabs).take(1);
    Some(Detection::new(Pattern::BrowserMain, [address.id, page.id].into_iter().chain(tabs)))
}

fn looks_like_address(text: &str) -> bool {
    let text = text.trim();
    let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.len() > 1
            && !rest.is_empty()
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    let is_host = text.split('/').next().is_some_and(|host| {
        host.split('.').count() > 1 && host.split('.').all(|part| !part.is_empty() && !part.contains(' '))
    });
    !text.contains(char::is_whitespace) && (has_scheme || is_host || text.starts_with('/'))
}

fn held(field: &Node) -> Option<&str> {
    field.details.text.known().map(|text| text.shown.trim())
}

/// A large text that can be edited, as the main part of a window with commands.
pub(crate) fn text_editor(facts: &Facts<'_>) -> Option<Detection> {
    // Beside a text that can only be read, it is the line of a console or of a calculator.
    let is_console = facts.readings > 0 && !facts.has_tool_bar;
    let has_commands = facts.has_menu_bar || facts.has_tool_bar || facts.commands >= COMMANDS;
    let is_main = !facts.is_dialog
        && has_commands
        && !is_console
        && facts.page.is_none()
        && facts.buttons.len() <= MOST_BUTTONS
        && facts.fields.len() <= 3
        && facts.spins.is_empty();
    (is_main && !facts.editors.is_empty()).then(|| Detection::new(Pattern::TextEditor, ids(&facts.editors)))
}

/// A field that searches, with what it finds.
pub(crate) fn search(facts: &Facts<'_>) -> Option<Detection> {
    let results = facts.lists.iter().any(|list| has_rows(facts, list));
    if facts.page.is_some() || !results {
        return None;
    }
    if is_titled_search(facts) {
        let fields = ids(&facts.fields).chain(ids(&facts.searches));
        return Some(Detection::new(Pattern::SearchInterface, fields.take(2).chain(ids(&facts.lists))));
    }
    if facts.is_dialog {
        return None;
    }
    let is_search = |field: &Node| field.role == Role::SearchBox || interface::searches(field.label());
    // A field that is there for the case that somebody searches is in many windows; this one is used.
    let is_used = |field: &Node| held(field).is_some_and(|text| !text.is_empty());
    let is_only = facts.fields.len() == 1 && facts.controls() == 1 && !facts.has_menu_bar;
    let types_in = |field: &Node| {
        let is_term = held(field).is_some_and(|text| !text.is_empty() && !looks_like_address(text));
        is_only && is_term && field.states.contains(States::FOCUSED)
    };
    let mut fields = facts.fields.iter().copied();
    let typed = fields.find(|field| is_used(field) && is_search(field) || types_in(field));
    let in_bar = || facts.bar_fields.iter().copied().find(|field| is_used(field) && is_search(field));
    let field = facts.searches.first().copied().or(typed).or_else(in_bar)?;
    Some(Detection::new(Pattern::SearchInterface, std::iter::once(field.id).chain(ids(&facts.lists))))
}

/// Whether a window is for searching by its title, has a field for what is searched, and a list or a table for what is found.
pub(crate) fn is_titled_search(facts: &Facts<'_>) -> bool {
    let has_field = !facts.fields.is_empty() || !facts.searches.is_empty();
    interface::searches(&facts.window.name) && has_field && !facts.lists.is_empty() && !facts.has_menu_bar
}

/// Rows and columns as the main part of a window.
pub(crate) fn table(facts: &Facts<'_>) -> Option<Detection> {
    // Among much that can be set, a table is one part of many.
    if facts.page.is_some() || facts.controls() > MOST_CONTROLS {
        return None;
    }
    let is_table = |list: &&&Arc<Node>| {
        matches!(list.role, Role::Table | Role::Tree | Role::TreeGrid)
            && columns(facts, list) >= 2
            && has_rows(facts, list)
    };
    let tables: Vec<&Arc<Node>> = facts.lists.iter().filter(is_table).copied().collect();
    (!tables.is_empty()).then(|| Detection::new(Pattern::TableView, ids(&tables)))
}

/// How many columns a table shows: those with a header, or the cells of its first row.
fn columns(facts: &Facts<'_>, table: &Node) -> usize {
    let parts = facts.tree.descendants(table.id).skip(1).take(200).filter(|part| part.is_showing());
    let headers = parts.filter(|part| part.role == Role::ColumnHeader).count();
    let row = facts.tree.children(table.id).find(|row| row.role == Role::Row);
    let cells =
        row.map_or(0, |row| facts.tree.children(row.id).filter(|cell| cell.role == Role::Cell).count());
    // A sheet has headers that are not in its tree.
    let is_sheet = table.parent.and_then(|above| facts.tree.get(above));
    let is_sheet = is_sheet.is_some_and(|above| &*above.native_role == "document spreadsheet");
    headers.max(cells).max(if is_sheet { 2 } else { 0 })
}

fn has_rows(facts: &Facts<'_>, table: &Node) -> bool {
    let mut parts = facts.tree.descendants(table.id).skip(1).take(200);
    parts.any(|part| matches!(part.role, Role::Cell | Role::Row | Role::TreeItem | Role::ListItem))
}
