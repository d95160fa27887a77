//! Rows and cells without anything in them, which are counted instead of listed.

use handeye_core::{Abilities, Node, Role, States, Tree, is_plain_picture};

/// Most elements in a row that may be without anything in it.
const MAX_IN_BLANK_ROW: usize = 16;

/// What makes an element more than an empty place.
pub(super) const CONTENT: Abilities = Abilities::EDITABLE_TEXT
    .union(Abilities::VALUE)
    .union(Abilities::SELECTION)
    .union(Abilities::TABLE)
    .union(Abilities::DOCUMENT)
    .union(Abilities::IMAGE);
/// States that say something about an element without a name.
pub(super) const NOTICEABLE: States = States::FOCUSED
    .union(States::CHECKABLE)
    .union(States::CHECKED)
    .union(States::MIXED)
    .union(States::PRESSED)
    .union(States::SELECTED)
    .union(States::EXPANDABLE)
    .union(States::EXPANDED)
    .union(States::EDITABLE)
    .union(States::PROTECTED)
    .union(States::MODAL)
    .union(States::BUSY)
    .union(States::REQUIRED)
    .union(States::INVALID)
    .union(States::HAS_POPUP)
    .union(States::DEFAULT)
    .union(States::MANAGES_DESCENDANTS);

/// Whether an element is a row of a list that shows nothing and that nothing can be done with: lists of GTK 4 have rows that are not filled yet,
/// and rows out of view that report to show while their texts do not.
///
/// In GTK 4 everything has the ability to act. So an action counts only where the list has none.
///
/// An empty cell of a sheet is one too: there are a thousand on the screen, and each has a name by which it is found. So is an icon in a row of GTK 3.
/// Other cells never are: a check box without a mark and an empty field look like nothing too.
pub(crate) fn is_blank_row(tree: &Tree, row: &Node) -> bool {
    let list = || tree.get(row.parent?);
    if row.role == Role::Cell {
        return list().is_some_and(|table| is_empty_cell(table, row)) || is_picture_in_row(tree, row);
    }
    let Some(list) = list().filter(|_| matches!(row.role, Role::ListItem | Role::Row | Role::TreeItem))
    else {
        return false;
    };
    if !matches!(list.role, Role::List | Role::ListBox | Role::Tree) || !is_blank(row, list) {
        return false;
    }
    // Hidden parts have no lines either; those below them do not show.
    let mut inside = tree.descendants(row.id).skip(1);
    let is_empty = inside.by_ref().take(MAX_IN_BLANK_ROW).all(|part| {
        let is_wrapper = matches!(part.role, Role::Text | Role::Paragraph) || part.role.is_structural();
        !part.is_showing() || (is_wrapper && is_blank(part, list))
    });
    is_empty && inside.next().is_none()
}

/// Whether a cell is one of a sheet that contains nothing, and is neither focused nor selected: `D1` and no more.
fn is_empty_cell(sheet: &Node, cell: &Node) -> bool {
    let is_sheet = sheet.role == Role::Table && sheet.has_virtual_children();
    let has_no_text = cell.details.text.known().is_some_and(|text| text.shown.is_empty());
    is_sheet
        && has_no_text
        && is_coordinate(&cell.name)
        && cell.description.is_empty()
        && cell.children.is_empty()
        && cell.owner == sheet.owner
        && !cell.states.intersects(NOTICEABLE - States::EDITABLE)
}

/// Whether a cell is a picture that has nothing of its own, beside a text in its row.
pub(crate) fn is_picture_in_row(tree: &Tree, cell: &Node) -> bool {
    let table = || tree.get(cell.parent?).filter(|table| matches!(table.role, Role::Table | Role::TreeGrid));
    cell.role == Role::Cell && table().is_some_and(|table| is_plain_picture(tree, table, cell))
}

/// Whether a name is the place of a cell in a sheet: letters for its column, then the number of its row.
fn is_coordinate(name: &str) -> bool {
    let row = name.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    row.len() < name.len() && !row.is_empty() && row.bytes().all(|digit| digit.is_ascii_digit())
}

/// Whether words in a blank row are there but out of view.
pub(super) fn has_hidden_words(tree: &Tree, row: &Node) -> bool {
    let mut inside = tree.descendants(row.id).skip(1).take(MAX_IN_BLANK_ROW);
    inside.any(|part| !part.is_showing() && !part.label().trim().is_empty())
}

/// Whether nothing is known of an element in `list` that a person would notice or could use.
fn is_blank(node: &Node, list: &Node) -> bool {
    let details = &node.details;
    let has_text = details.text.known().is_some_and(|text| !text.shown.trim().is_empty());
    // The name of a text is its text.
    let may_have_text =
        node.role != Role::Text && node.abilities.contains(Abilities::TEXT) && details.text.is_unknown();
    let has_action = node.abilities.contains(Abilities::ACTION)
        && !list.abilities.contains(Abilities::ACTION)
        || details.actions.known().is_some_and(|actions| !actions.is_empty());
    node.name.trim().is_empty()
        && node.description.trim().is_empty()
        && !has_text
        && !may_have_text
        && details.value.known().is_none()
        && !has_action
        && !node.abilities.intersects(CONTENT)
        && !node.states.intersects(NOTICEABLE)
        && node.owner == list.owner
        && node.strangers == 0
        && node.unloaded_children() == 0
}
