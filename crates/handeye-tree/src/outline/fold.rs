//! Which elements an outline shows: what carries nothing is folded away and its children are lifted.

use super::blank::{has_hidden_words, is_blank_row};
use super::content::{addressable, is_collection, is_furniture, is_loading, says_nothing};
use super::merge::button_in_frame;
use crate::line::{Marks, shown_value, tags};
use handeye_core::{Node, NodeId, Role, States, Tree, name_from_cells};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How many rows of one list are shown when it is not itself what was asked for.
const MAX_ROWS: usize = 60;

/// What of a tree is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope {
    /// Levels that are shown; `None` for all.
    pub(super) max_depth: Option<u32>,
    /// Whether what is not showing is shown too. Then everything has its own line.
    pub(super) include_hidden: bool,
    /// Whether the start was asked for by itself, so that no line stands for what is in it.
    pub(super) start_in_full: bool,
}

/// An element that is shown, and what below it is not.
#[derive(Debug)]
pub(super) struct Item<'t> {
    pub(super) node: &'t Arc<Node>,
    /// Index of the item that it is shown under.
    pub(super) parent: Option<usize>,
    /// Levels of indentation.
    pub(super) depth: u32,
    /// What depends on the elements around it.
    pub(super) marks: Marks,
    /// Elements inside of it that are left out for their depth or the budget.
    pub(super) too_deep: usize,
    /// Rows that are loaded and showing, but too many.
    pub(super) more_rows: usize,
    /// Rows that have nothing in them.
    pub(super) blank_rows: usize,
    /// Rows that are loaded and not showing.
    pub(super) hidden_rows: usize,
    /// What is counted there.
    pub(super) kind: RowKind,
    /// Rows that the application has not announced.
    pub(super) unloaded_rows: usize,
    /// It is a page of which not all is there yet.
    pub(super) is_loading: bool,
    /// Nothing below it is shown.
    pub(super) is_empty: bool,
    rows: usize,
    /// The texts or cells in it, where it has no name of its own.
    name_from_inside: Option<String>,
    /// Index of the item that counts this one as left out.
    pub(super) counted_at: Option<usize>,
    pub(super) is_left_out: bool,
}

/// An element on its way into the list.
struct Pending {
    id: NodeId,
    parent: Option<usize>,
    depth: u32,
}

/// The elements that an outline of `start` shows, in document order.
pub(super) fn fold(tree: &Tree, start: NodeId, scope: Scope) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    // The depth of a tree comes from the application, so nothing here recurses.
    let mut stack = vec![Pending { id: start, parent: None, depth: 0 }];
    let mut seen = FxHashSet::default();
    while let Some(Pending { id, parent, depth }) = stack.pop() {
        let Some(node) = tree.get(id) else { continue };
        if !seen.insert(id) {
            continue;
        }
        let is_start = id == start;
        let is_application = tree.root() == Some(id);
        // A window says that it is there when nothing of it is drawn because it is minimized.
        let is_minimized = node.role.is_window() && node.states.contains(States::ICONIFIED);
        if !is_start && !scope.include_hidden && !node.is_showing() && !is_minimized {
            count_hidden_row(tree, &mut items, parent, node);
            continue;
        }
        let above = parent.map(|index| items[index].node);
        if is_furniture(node) {
            continue;
        }
        // No line stands for another one where everything was asked for.
        let is_in_full = |id: NodeId| scope.include_hidden || (scope.start_in_full && id == start);
        if !is_start && !scope.include_hidden && is_blank_row(tree, node) {
            let is_hidden = has_hidden_words(tree, node);
            if is_hidden || above.is_some_and(|list| !is_in_full(list.id)) {
                count_blank_row(&mut items, parent, is_hidden);
                continue;
            }
        }
        let name_from_cells = if is_in_full(id) { None } else { name_from_cells(tree, node) };
        let is_dropped = !is_in_full(id) && button_in_frame(tree, node).is_some();
        let is_loading = is_loading(tree, node);
        let shows = if is_start {
            !is_application && !is_dropped
        } else {
            is_loading || !(is_dropped || says_nothing(tree, node, above))
        };
        let (parent, depth) = if shows {
            if let Some(owner) = parent.map(|index| &mut items[index]) {
                // What was asked for itself shows all its rows.
                let counts_rows = owner.parent.is_some() && is_collection(owner.node.role);
                if counts_rows && owner.rows >= MAX_ROWS {
                    owner.leave_out_row(node);
                    continue;
                }
                owner.rows += usize::from(counts_rows);
            }
            if let Some(above) = parent {
                items[above].is_empty = false;
            }
            let is_one_line = name_from_cells.is_some();
            let marks = Marks {
                focused: tree.is_focused(id) || (is_one_line && node.states.contains(States::FOCUSED)),
                owner: parent.is_none_or(|above| items[above].node.owner != node.owner),
            };
            let name_from_inside = name_from_cells;
            items.push(Item { is_loading, name_from_inside, ..Item::new(node, parent, depth, marks) });
            if is_one_line {
                continue;
            }
            (Some(items.len() - 1), depth + 1)
        } else {
            (parent, depth)
        };
        stack.extend(node.children.iter().rev().map(|id| Pending { id: *id, parent, depth }));
    }
    drop_repeating_labels(&mut items);
    take_names_from_inside(&mut items);
    drop_buttons_of_lists(&mut items);
    if let Some(max_depth) = scope.max_depth {
        cut_at_depth(&mut items, max_depth.max(1));
    }
    items
}

/// Takes out the items below `max_depth` levels and counts them where they were.
fn cut_at_depth(items: &mut Vec<Item<'_>>, max_depth: u32) {
    for index in 0..items.len() {
        if items[index].depth < max_depth {
            continue;
        }
        // Parents come first, so that the parent of a deep item already knows where it is counted.
        let owner = items[index].parent.map(|parent| items[parent].counted_at.unwrap_or(parent));
        items[index].counted_at = owner;
        if let Some(owner) = owner {
            items[owner].too_deep += 1;
            items[index].is_left_out = true;
        }
    }
    retain(items, |item| !item.is_left_out);
    // The indices are those of before.
    for item in items {
        item.counted_at = None;
    }
}

/// Keeps some of the items, and the indices of parents right. What is kept has a parent that is kept.
pub(super) fn retain<'t>(items: &mut Vec<Item<'t>>, keeps: impl Fn(&Item<'t>) -> bool) {
    let mut new_index = Vec::with_capacity(items.len());
    let mut kept = 0;
    for item in items.iter() {
        new_index.push(kept);
        kept += usize::from(keeps(item));
    }
    items.retain(keeps);
    for item in items {
        item.parent = item.parent.map(|parent| new_index[parent]);
    }
}

/// What a list is made of: tables of GTK 3 and Qt have no elements for their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    Rows,
    Cells,
}

impl RowKind {
    fn of(row: &Node) -> Self {
        if row.role == Role::Cell { Self::Cells } else { Self::Rows }
    }
}

impl Item<'_> {
    /// Counts a row that has no line because there are too many.
    fn leave_out_row(&mut self, row: &Node) {
        self.more_rows += 1;
        self.kind = RowKind::of(row);
    }

    /// What its line calls it.
    pub(super) fn name(&self) -> &str {
        self.name_from_inside.as_deref().unwrap_or(self.node.label())
    }
}

impl<'t> Item<'t> {
    fn new(node: &'t Arc<Node>, parent: Option<usize>, depth: u32, marks: Marks) -> Self {
        let lists_rows = is_collection(node.role)
            || node.states.contains(States::MANAGES_DESCENDANTS)
            || node.has_virtual_children();
        let unloaded = node.unloaded_children().saturating_sub(node.strangers);
        let unloaded = if lists_rows { unloaded as usize } else { 0 };
        // What was not read of other lists is out of view, and is read when that is asked for.
        let (unloaded_rows, hidden_rows) =
            if node.has_virtual_children() { (unloaded, 0) } else { (0, unloaded) };
        Self {
            node,
            parent,
            depth,
            marks,
            too_deep: 0,
            more_rows: 0,
            blank_rows: 0,
            hidden_rows,
            kind: RowKind::Rows,
            unloaded_rows,
            is_empty: true,
            is_loading: false,
            rows: 0,
            name_from_inside: None,
            counted_at: None,
            is_left_out: false,
        }
    }
}

/// Counts a row that shows nothing. What is out of view in it is shown with what is hidden.
fn count_blank_row(items: &mut [Item<'_>], parent: Option<usize>, is_hidden: bool) {
    let Some(list) = parent.map(|index| &mut items[index]) else { return };
    list.hidden_rows += usize::from(is_hidden);
    list.blank_rows += usize::from(!is_hidden);
}

fn count_hidden_row(tree: &Tree, items: &mut [Item<'_>], parent: Option<usize>, node: &Node) {
    let Some(owner) = parent.map(|index| &mut items[index]) else { return };
    let is_row = is_collection(owner.node.role)
        && !is_furniture(node)
        && node.parent == Some(owner.node.id)
        && !is_header_of_none(tree, owner.node, node);
    owner.hidden_rows += usize::from(is_row);
    if is_row {
        owner.kind = RowKind::of(node);
    }
}

/// Whether an element is a column's header in a table that shows no headers. A table of GTK 3 has them nevertheless.
fn is_header_of_none(tree: &Tree, table: &Node, node: &Node) -> bool {
    let headers = || tree.children(table.id).take_while(|part| part.role == Role::ColumnHeader);
    node.role == Role::ColumnHeader && !headers().any(|header| header.is_showing())
}

/// Takes out texts that only repeat the name of the control beside them.
fn drop_repeating_labels(items: &mut Vec<Item<'_>>) {
    for index in 0..items.len() {
        let item = &items[index];
        let same = |other: Option<&Item<'_>>| {
            other.is_some_and(|other| {
                other.parent == item.parent
                    && other.node.role != Role::Text
                    && other.node.label().trim() == item.node.label().trim()
            })
        };
        let previous = index.checked_sub(1).and_then(|index| items.get(index));
        let next = items.get(index + 1);
        // A text with something below it is not a label.
        let is_leaf = next.is_none_or(|next| next.parent != Some(index));
        let repeats = item.node.role == Role::Text
            && is_leaf
            && shown_value(item.node).is_none()
            && !item.node.states.contains(States::EDITABLE)
            && (same(previous) || same(next));
        items[index].is_left_out = repeats;
    }
    retain(items, |item| !item.is_left_out);
}

/// Gives controls without a name that of the texts in them, if there is nothing else in them, and takes those out.
fn take_names_from_inside(items: &mut Vec<Item<'_>>) {
    /// Most texts that make one name.
    const MAX_TEXTS: usize = 3;
    let mut index = 0;
    while index < items.len() {
        let inside = items[index + 1..].iter().take_while(|item| item.depth > items[index].depth);
        let texts: Vec<&Item<'_>> = inside.take(MAX_TEXTS + 1).collect();
        let count = texts.len();
        if (1..=MAX_TEXTS).contains(&count)
            && is_named_from_inside(&items[index])
            && texts.iter().all(|text| text.parent == Some(index) && is_plain_text(text))
        {
            let words: Vec<&str> = texts.iter().map(|text| text.node.label().trim()).collect();
            items[index].name_from_inside = Some(words.join(" "));
            for text in &mut items[index + 1..=index + count] {
                text.is_left_out = true;
            }
        }
        index += 1;
    }
    retain(items, |item| !item.is_left_out);
}

/// Takes out the button without a name that is all there is in a drop-down list: a click on the list is one on that.
fn drop_buttons_of_lists(items: &mut Vec<Item<'_>>) {
    for index in 0..items.len().saturating_sub(1) {
        let (list, button) = (&items[index], &items[index + 1]);
        let is_all = items.get(index + 2).is_none_or(|next| next.depth <= list.depth);
        let says_nothing = button.node.role == Role::Button
            && button.name().trim().is_empty()
            && tags(button.node, button.marks.focused).eq(tags(list.node, list.marks.focused))
            && shown_value(button.node).is_none();
        let is_left_out =
            list.node.role == Role::ComboBox && is_all && button.depth > list.depth && says_nothing;
        items[index + 1].is_left_out = is_left_out;
    }
    retain(items, |item| !item.is_left_out);
}

fn is_named_from_inside(item: &Item<'_>) -> bool {
    let node = item.node;
    let has_no_name = node.label().trim().is_empty() && shown_value(node).is_none();
    node.role.is_named_from_inside() && has_no_name && !item.is_loading
}

/// Whether the line of an element is its words and nothing else.
fn is_plain_text(item: &Item<'_>) -> bool {
    item.node.role == Role::Text
        && shown_value(item.node).is_none()
        && !is_addressable(item)
        && tags(item.node, item.marks.focused).next().is_none()
        && item.hidden_rows + item.more_rows + item.unloaded_rows + item.node.strangers as usize == 0
}

/// Whether the item gets a reference.
pub(super) fn is_addressable(item: &Item<'_>) -> bool {
    addressable(item.node)
}
