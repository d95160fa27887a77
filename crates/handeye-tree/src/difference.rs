//! What changed, as a model reads it.
//!
//! ```text
//! + dialog "Save as" [ref=e50] [modal]
//!     - textbox "Name" [ref=e51] [focused]
//! ~ checkbox "Wrap lines" [ref=e3]: checked
//! ~ textbox "Document" [ref=e31]: value "a" -> "ab"
//! - menu "File"
//! focus: e31 -> e51 textbox "Name"
//! ```

use crate::outline::{self, Options, addressable, estimate_tokens, is_furniture, quoted, speaking, summary};
use crate::outline::{Root, button_in_frame, is_blank_row, is_picture_in_row};
use crate::references::Minter;
use handeye_core::{Change, Diff, Field, Invocation, Node, NodeId, Part, Role, States, Text, Tree, text};
use handeye_core::{cell_around, name_from_cells};
use std::collections::HashSet;
use std::sync::Arc;

/// Longest name or value that a line of a difference shows, in characters.
const MAX_TEXT_CHARS: usize = 80;
/// Most tokens for the inside of one element that appeared.
const MAX_TOKENS_INSIDE: usize = 600;
/// Tokens kept free for the line that counts what is left out.
const RESERVE: usize = 24;

/// Differences as lines, and what is not in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// The lines; empty if nothing changed that is worth a line.
    pub text: Text,
    /// Number of differences that have a line.
    pub shown: usize,
    /// Number of differences that the budget left out.
    pub omitted: usize,
}

/// The two trees that are compared.
#[derive(Debug, Clone, Copy)]
pub struct Trees<'t> {
    /// The older one.
    pub before: &'t Tree,
    /// The newer one.
    pub after: &'t Tree,
}

/// The differences as lines of at most `budget_tokens`.
pub fn render(diff: &Diff, trees: Trees<'_>, minter: Option<&Minter<'_>>, budget_tokens: usize) -> Rendered {
    let mut writer = Writer {
        trees,
        minter,
        budget: budget_tokens,
        tokens: 0,
        rendered: Rendered::default(),
        shown: HashSet::new(),
    };
    let mut gone = HashSet::new();
    // A dialog has to be answered first, whatever else has changed.
    let is_new_window = |change: &&Change| matches!(change, Change::Appeared(node) if node.role.is_window());
    let (windows, others): (Vec<&Change>, Vec<&Change>) = diff.changes.iter().partition(is_new_window);
    for change in windows.into_iter().chain(others) {
        match change {
            Change::Appeared(node) => writer.appeared(node),
            Change::Changed { node, fields } => writer.changed(node, fields),
            Change::Disappeared(node) => writer.disappeared(node, &mut gone),
        }
    }
    writer.focus(diff);
    writer.finish()
}

/// The answer of a second look: the differences, or in a few words that there are none. `since` names the first look, for
/// example `2 s ago`.
pub fn since(
    diff: &Diff,
    trees: Trees<'_>,
    minter: Option<&Minter<'_>>,
    budget_tokens: usize,
    since: &str,
) -> Text {
    let rendered = render(diff, trees, minter, budget_tokens);
    if rendered.text.is_empty() { format!("unchanged since {since}").into() } else { rendered.text }
}

struct Writer<'d, 'm, 'a> {
    trees: Trees<'d>,
    minter: Option<&'m Minter<'a>>,
    budget: usize,
    tokens: usize,
    rendered: Rendered,
    /// Elements of which several differences are one line, which is written.
    shown: HashSet<NodeId>,
}

impl Writer<'_, '_, '_> {
    /// Appends whole lines if the budget allows them.
    fn push(&mut self, lines: Text) {
        let cost = estimate_tokens(&lines);
        let is_first = self.rendered.shown == 0;
        if self.rendered.omitted == 0 && (is_first || self.tokens + cost + RESERVE <= self.budget) {
            self.tokens += cost;
            self.rendered.text.push(lines);
            self.rendered.shown += 1;
        } else {
            self.rendered.omitted += 1;
        }
    }

    fn reference(&self, node: &Node) -> Option<String> {
        let minter = self.minter.filter(|_| addressable(node))?;
        minter.mint(node.id).map(|reference| reference.to_string())
    }

    fn appeared(&mut self, node: &Arc<Node>) {
        if let Some(cell) = cell_around(self.trees.after, node) {
            self.renamed(cell);
            return;
        }
        let start = self.trees.filled_row(node).map_or(node.id, |row| row.id);
        if start != node.id && !self.shown.insert(start) {
            return;
        }
        self.came(start);
    }

    /// What an element is that came, with all that is in it.
    fn came(&mut self, start: NodeId) {
        let after = self.trees.after;
        for id in speaking(after, start) {
            let Some(node) = after.get(id).filter(|node| !is_blank_row(after, node)) else { continue };
            let left = self.budget.saturating_sub(self.tokens + RESERVE);
            let budget_tokens = left.min(MAX_TOKENS_INSIDE);
            let options = Options { budget_tokens, root: Root::Mentioned, ..Options::default() };
            let inside = if node.role.is_window() {
                outline::dialog(after, id, &options, self.minter)
            } else {
                outline::render(after, Some(id), &options, self.minter)
            };
            let mut lines = Text::default();
            for (index, line) in inside.text.split_lines().into_iter().enumerate() {
                if index == 0 {
                    // A plus in the place of its bullet.
                    lines.push_str("+ ");
                    lines.push(line.slice("- ".len()..line.len()));
                } else {
                    lines.push_str("  ");
                    lines.push(line);
                }
                lines.push_str("\n");
            }
            self.push(lines);
        }
    }

    fn disappeared(&mut self, node: &Arc<Node>, gone: &mut HashSet<String>) {
        let before = self.trees.before;
        let cell = cell_around(before, node).and_then(|cell| self.trees.after.get(cell.id));
        if let Some(cell) = cell.filter(|cell| name_from_cells(self.trees.after, cell).is_some()) {
            self.renamed(cell);
            return;
        }
        if let Some(row) = self.trees.emptied_row(node) {
            if self.shown.insert(row.id) {
                self.push(text!["- ", self.trees.line_before(row.id), "\n"]);
            }
            return;
        }
        let node = button_in_frame(before, node).unwrap_or(node);
        let name = name_in(before, node);
        let is_wrapper = name.trim().is_empty() && (node.role.is_structural() || node.role == Role::Text);
        if is_furniture(node) || is_wrapper || is_blank_row(before, node) {
            return;
        }
        // Fifty rows of one name are one line.
        let line = text!["- ", summary(node.role, &name), "\n"];
        if gone.insert(line.to_string()) {
            self.push(line);
        }
    }

    fn changed(&mut self, node: &Arc<Node>, fields: &[Field]) {
        let after = self.trees.after;
        if is_furniture(node) || button_in_frame(after, node).is_some() || self.trees.is_blank_row_twice(node)
        {
            return;
        }
        // The states of a part are those of its cell, which has a line of its own for them.
        if let Some(cell) = cell_around(after, node) {
            self.renamed(cell);
            return;
        }
        if let Some(row) = self.trees.filled_row(node) {
            if self.shown.insert(row.id) {
                self.came(row.id);
            }
            return;
        }
        let mut words: Vec<String> =
            fields.iter().filter_map(|field| describe(node, field)).flatten().collect();
        if let Some(was) = self.trees.was_named_from_cells(node)
            && self.shown.insert(node.id)
        {
            words.push(was);
        }
        if words.is_empty() || self.repeats_its_control(node, fields) {
            return;
        }
        self.push_changed(node, &words);
    }

    /// The line of a cell whose name, that of the cells in it, is another one; once.
    fn renamed(&mut self, cell: &Arc<Node>) {
        if let Some(was) = self.trees.was_named_from_cells(cell)
            && self.shown.insert(cell.id)
        {
            self.push_changed(cell, &[was]);
        }
    }

    fn push_changed(&mut self, node: &Node, words: &[String]) {
        let mut line = text!["~ ", summary(node.role, &name_in(self.trees.after, node))];
        if let Some(reference) = self.reference(node) {
            line.push_part(&format!(" [ref={reference}]"), Part::Marks);
        }
        line.push(format!(": {}\n", words.join(", ")));
        self.push(line);
    }

    /// Whether this is the label inside of a button whose name changed with it.
    fn repeats_its_control(&self, node: &Node, fields: &[Field]) -> bool {
        let is_label = node.role == Role::Text && matches!(fields, [Field::Name { .. }]);
        let control = node.parent.and_then(|parent| self.trees.after.get(parent));
        is_label && control.is_some_and(|control| control.name == node.name)
    }

    /// All moves of the focus as one line.
    fn focus(&mut self, diff: &Diff) {
        let mut from = None;
        let mut to = None;
        for change in &diff.changes {
            match change {
                Change::Changed { node, fields } => {
                    for field in fields {
                        if let Field::States { gained, lost } = field {
                            if gained.contains(States::FOCUSED) && !node.role.is_window() {
                                to = Some(node);
                            } else if lost.contains(States::FOCUSED) {
                                from = Some(node);
                            }
                        }
                    }
                }
                // What appeared shows its own focus; what it was taken from is worth reporting.
                Change::Appeared(_) | Change::Disappeared(_) => {}
            }
        }
        let after = self.trees.after;
        // The line of a cell stands for its parts.
        let [from, to] = [from, to]
            .map(|node: Option<&Arc<Node>>| node.map(|node| cell_around(after, node).unwrap_or(node)));
        let called = |node: &Node| summary(node.role, &name_in(after, node));
        let name = |node: &Node| self.reference(node).unwrap_or_else(|| called(node).into());
        let line = match (from, to) {
            (Some(from), Some(to)) => {
                let target = called(to);
                match self.reference(to) {
                    Some(reference) => format!("focus: {} -> {reference} {target}\n", name(from)),
                    None => format!("focus: {} -> {target}\n", name(from)),
                }
            }
            (None, Some(to)) => match self.reference(to) {
                Some(reference) => format!("focus: {reference} {}\n", called(to)),
                None => format!("focus: {}\n", called(to)),
            },
            (Some(from), None) => format!("focus: left {}\n", name(from)),
            (None, None) => return,
        };
        self.push(line.into());
    }

    fn finish(mut self) -> Rendered {
        if self.rendered.omitted > 0 {
            self.rendered.text.push(text![
                format!("… {} more changes: ", self.rendered.omitted),
                Invocation::of("ax_get_tree"),
                " shows how it is now\n"
            ]);
        }
        self.rendered
    }
}

impl<'t> Trees<'t> {
    /// The row that is or holds the element, if it showed nothing before, and had no line, and shows something now.
    fn filled_row(self, node: &'t Arc<Node>) -> Option<&'t Arc<Node>> {
        rows_around(self.after, node).find(|row| {
            // A picture has been there all the time; it gets a state or a name.
            let was_blank = self
                .before
                .get(row.id)
                .is_some_and(|row| is_blank_row(self.before, row) && !is_picture_in_row(self.before, row));
            was_blank && !is_blank_row(self.after, row)
        })
    }

    /// The row that held the element that is gone, if it shows nothing now.
    fn emptied_row(self, gone: &'t Arc<Node>) -> Option<&'t Arc<Node>> {
        rows_around(self.before, gone).find(|row| {
            let is_blank = self
                .after
                .get(row.id)
                .is_some_and(|row| is_blank_row(self.after, row) && !is_picture_in_row(self.after, row));
            is_blank && !is_blank_row(self.before, row)
        })
    }

    /// Role and name of an element that is gone, as the outline had them.
    fn line_before(self, id: NodeId) -> Text {
        let options = Options { compact: true, root: Root::Mentioned, ..Options::default() };
        let lines = outline::render(self.before, Some(id), &options, None).text.split_lines();
        lines.first().map(|line| line.slice("- ".len()..line.len())).unwrap_or_default()
    }

    /// Whether an element is a row without anything in it, now as before.
    fn is_blank_row_twice(self, node: &Node) -> bool {
        let before = self.before.get(node.id);
        is_blank_row(self.after, node) && before.is_none_or(|row| is_blank_row(self.before, row))
    }

    /// What to report of the name that the cells in a cell make, if that is another one than before.
    fn was_named_from_cells(self, cell: &Node) -> Option<String> {
        let name = name_from_cells(self.after, cell)?;
        let before = self.before.get(cell.id)?;
        let was = name_from_cells(self.before, before).unwrap_or_default();
        match was.as_str() {
            "" => Some("named".to_owned()),
            was => (was != name).then(|| format!("was {}", quoted(was, MAX_TEXT_CHARS))),
        }
    }
}

/// The element and what is around it, as far as its row may be.
fn rows_around<'t>(tree: &'t Tree, node: &'t Arc<Node>) -> impl Iterator<Item = &'t Arc<Node>> {
    /// How far above an element its row may be.
    const ABOVE: usize = 8;
    std::iter::once(node).chain(tree.ancestors(node.id).take(ABOVE))
}

/// What the line of an element calls it.
fn name_in(tree: &Tree, node: &Node) -> String {
    name_from_cells(tree, node).unwrap_or_else(|| node.label().to_owned())
}

/// The words for one changed field; `None` if it is not worth reporting.
fn describe(node: &Node, field: &Field) -> Option<Vec<String>> {
    match field {
        Field::Name { from, .. } if from.is_empty() => Some(vec!["named".to_owned()]),
        Field::Name { from, .. } => Some(vec![format!("was {}", quoted(from, MAX_TEXT_CHARS))]),
        Field::Value { .. } if node.states.contains(States::PROTECTED) => {
            Some(vec!["value [protected]".to_owned()])
        }
        Field::Value { from, to } => {
            let (from, to) = changed_part(from, to);
            Some(vec![format!("value {} -> {}", quoted(&from, MAX_TEXT_CHARS), quoted(&to, MAX_TEXT_CHARS))])
        }
        Field::States { gained, lost } => {
            let words = state_words(node, *gained, *lost);
            (!words.is_empty()).then_some(words)
        }
    }
}

/// What became of the states of an element, one word or two for each change that has one.
pub fn state_words(node: &Node, gained: States, lost: States) -> Vec<String> {
    let is_reported = |state: &States| *state != States::ACTIVE || node.role.is_window();
    let mut words: Vec<String> = WORDS
        .iter()
        .filter(|(state, ..)| is_reported(state))
        .filter_map(|(state, set, cleared)| {
            // A toggle button is pressed, whichever way its toolkit says it.
            let is_toggle = *state == States::CHECKED && node.role == Role::ToggleButton;
            let (set, cleared) = if is_toggle { ("pressed", "released") } else { (*set, *cleared) };
            if gained.contains(*state) {
                Some(set.to_owned())
            } else if lost.contains(*state) && !cleared.is_empty() {
                Some(cleared.to_owned())
            } else {
                None
            }
        })
        .collect();
    words.dedup();
    words
}

/// What to call a state that was set and one that was cleared. The focus has a line of its own.
const WORDS: &[(States, &str, &str)] = &[
    (States::ENABLED, "enabled", "disabled"),
    (States::CHECKED, "checked", "unchecked"),
    (States::MIXED, "mixed", ""),
    (States::PRESSED, "pressed", "released"),
    (States::SELECTED, "selected", "unselected"),
    (States::EXPANDED, "expanded", "collapsed"),
    (States::EDITABLE, "editable", "not editable"),
    (States::BUSY, "busy", "no longer busy"),
    (States::INVALID, "invalid", "valid"),
    (States::ACTIVE, "active", "no longer active"),
    (States::ICONIFIED, "minimized", "no longer minimized"),
];

/// Long texts without the beginning that they share, so that the change is seen and not cut off.
fn changed_part(from: &str, to: &str) -> (String, String) {
    /// What of the shared beginning is kept, in characters.
    const KEPT: usize = 16;
    let shared = from.chars().zip(to.chars()).take_while(|(a, b)| a == b).count();
    let is_long = from.chars().count().max(to.chars().count()) > MAX_TEXT_CHARS;
    if !is_long || shared <= KEPT {
        return (from.to_owned(), to.to_owned());
    }
    let tail = |text: &str| {
        let rest: String = text.chars().skip(shared - KEPT).collect();
        format!("…{rest}")
    };
    (tail(from), tail(to))
}

#[cfg(test)]
mod tests;
