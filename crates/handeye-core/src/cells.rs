//! Cells that consist of cells. GTK 3 has inside of the cell of a row one for its picture and one for each of its texts.

use crate::{Abilities, Node, Role, States, Tree};
use std::sync::Arc;

/// Most parts of a cell that make one name.
const MAX_PARTS: usize = 8;
/// Longest name that parts make, in characters.
const MAX_CHARS: usize = 120;

/// What an element can do or hold besides an action, where it is more than a word or a picture.
const OWN_CONTENT: Abilities = Abilities::EDITABLE_TEXT
    .union(Abilities::VALUE)
    .union(Abilities::SELECTION)
    .union(Abilities::TABLE)
    .union(Abilities::DOCUMENT);
/// States of which one alone makes an element more than a word or a picture.
const OWN_STATES: States = States::CHECKABLE
    .union(States::CHECKED)
    .union(States::MIXED)
    .union(States::PRESSED)
    .union(States::EDITABLE)
    .union(States::PROTECTED)
    .union(States::HAS_POPUP)
    .union(States::REQUIRED)
    .union(States::INVALID)
    .union(States::BUSY)
    .union(States::MANAGES_DESCENDANTS);
/// States that a part may have where its cell has them too.
const SHARED_STATES: States = States::FOCUSED
    .union(States::ACTIVE)
    .union(States::SELECTED)
    .union(States::EXPANDABLE)
    .union(States::EXPANDED);

/// The name of a cell without one of its own: the texts of the cells in it. `None` unless it consists of a few cells, each of which is a text
/// or a picture without a name and nothing else. An outline shows such a cell as one line, and a query finds it by this name.
///
/// GTK 3 gives every cell the actions of its row, so an action is a part's own only where the cell around it has none. A check box
/// without a check mark has no state there that others have not: it is recognized by being neither a text nor a picture.
pub fn name_from_cells(tree: &Tree, cell: &Node) -> Option<String> {
    let is_empty = is_nameless(cell) && holds_no_more_than(cell, "");
    if cell.role != Role::Cell || !is_empty || !is_all_there(cell) {
        return None;
    }
    let parts: Vec<&Arc<Node>> =
        tree.children(cell.id).filter(|part| part.is_showing()).take(MAX_PARTS + 1).collect();
    if parts.len() > MAX_PARTS || !parts.iter().all(|part| is_part(cell, part)) {
        return None;
    }
    let words: Vec<&str> =
        parts.iter().map(|part| part.name.trim()).filter(|name| !name.is_empty()).collect();
    let name = words.join(" ");
    (!name.is_empty() && name.chars().count() <= MAX_CHARS).then_some(name)
}

/// The cell that shows the element as a part of its name.
pub fn cell_around<'t>(tree: &'t Tree, part: &Node) -> Option<&'t Arc<Node>> {
    let around = || tree.get(part.parent?);
    let cell = around().filter(|_| part.role == Role::Cell && part.is_showing())?;
    name_from_cells(tree, cell).is_some().then_some(cell)
}

/// Whether a cell of a table is a picture without a name beside a cell with a text of its own, empty or not, that has all states that it has. GTK 3 gives
/// each column of a row a cell, and the place for an icon is one of them.
///
/// An empty text is none: in GTK 3 nothing distinguishes it from one that is to be filled in, and the order of cells is all that connects them with
/// their columns.
pub fn is_plain_picture(tree: &Tree, table: &Node, cell: &Node) -> bool {
    if cell.role != Role::Cell || !cell.abilities.contains(Abilities::IMAGE) || !is_nameless(cell) {
        return false;
    }
    let Some(at) = table.children.iter().position(|id| *id == cell.id) else { return false };
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    let is_text = |part: &&Arc<Node>| {
        part.role == Role::Cell && part.is_showing() && part.abilities.contains(Abilities::TEXT)
    };
    beside
        .filter_map(|index| tree.get(*table.children.get(index)?).filter(is_text))
        .any(|text| is_part(text, cell))
}

fn is_nameless(cell: &Node) -> bool {
    cell.label().trim().is_empty()
}

/// Whether an element is no more than a text of the cell around it, or a picture that has no name.
fn is_part(cell: &Node, part: &Node) -> bool {
    let is_text = part.abilities.contains(Abilities::TEXT) && holds_no_more_than(part, part.name.trim());
    let is_picture = part.abilities.contains(Abilities::IMAGE) && part.name.trim().is_empty();
    let is_named_or_says_nothing = !part.name.trim().is_empty() || part.description.trim().is_empty();
    part.role == Role::Cell
        && part.children.is_empty()
        && is_all_there(part)
        && part.owner == cell.owner
        && (is_text || is_picture)
        && is_named_or_says_nothing
        && !part.abilities.intersects(OWN_CONTENT)
        && (!part.abilities.contains(Abilities::ACTION) || cell.abilities.contains(Abilities::ACTION))
        && !part.states.intersects(OWN_STATES)
        && cell.states.contains(part.states & SHARED_STATES)
}

/// Whether what is known of the content of an element is `name`, or nothing.
fn holds_no_more_than(node: &Node, name: &str) -> bool {
    let text = node.details.text.known().map_or("", |text| text.shown.trim());
    (text.is_empty() || text == name) && node.details.value.known().is_none()
}

/// Whether everything in an element is listed.
fn is_all_there(node: &Node) -> bool {
    node.strangers == 0 && node.unloaded_children() == 0
}
