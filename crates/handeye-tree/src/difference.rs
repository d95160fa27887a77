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
use crate::references::Minter;
use handeye_core::{Change, Diff, Field, Invocation, Node, Part, Role, States, Text, Tree, text};
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

/// The differences as lines of at most `budget_tokens`; `after` is the newer tree of the two.
pub fn render(diff: &Diff, after: &Tree, minter: Option<&Minter<'_>>, budget_tokens: usize) -> Rendered {
    let mut writer =
        Writer { after, minter, budget: budget_tokens, tokens: 0, rendered: Rendered::default() };
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
    after: &Tree,
    minter: Option<&Minter<'_>>,
    budget_tokens: usize,
    since: &str,
) -> Text {
    let rendered = render(diff, after, minter, budget_tokens);
    if rendered.text.is_empty() { format!("unchanged since {since}").into() } else { rendered.text }
}

struct Writer<'d, 'm, 'a> {
    after: &'d Tree,
    minter: Option<&'m Minter<'a>>,
    budget: usize,
    tokens: usize,
    rendered: Rendered,
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
        for id in speaking(self.after, node.id) {
            let left = self.budget.saturating_sub(self.tokens + RESERVE);
            let options = Options { budget_tokens: left.min(MAX_TOKENS_INSIDE), ..Options::default() };
            let is_window = self.after.get(id).is_some_and(|node| node.role.is_window());
            let inside = if is_window {
                outline::dialog(self.after, id, &options, self.minter)
            } else {
                outline::render(self.after, Some(id), &options, self.minter)
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

    fn disappeared(&mut self, node: &Node, gone: &mut HashSet<String>) {
        let is_wrapper =
            node.label().trim().is_empty() && (node.role.is_structural() || node.role == Role::Text);
        if is_furniture(node) || is_wrapper {
            return;
        }
        // Fifty rows of one name are one line.
        let line = text!["- ", summary(node.role, node.label()), "\n"];
        if gone.insert(line.to_string()) {
            self.push(line);
        }
    }

    fn changed(&mut self, node: &Node, fields: &[Field]) {
        if is_furniture(node) {
            return;
        }
        let words: Vec<String> = fields.iter().filter_map(|field| describe(node, field)).flatten().collect();
        if words.is_empty() || self.repeats_its_control(node, fields) {
            return;
        }
        let mut line = text!["~ ", summary(node.role, node.label())];
        if let Some(reference) = self.reference(node) {
            line.push_part(&format!(" [ref={reference}]"), Part::Marks);
        }
        line.push(format!(": {}\n", words.join(", ")));
        self.push(line);
    }

    /// Whether this is the label inside of a button whose name changed with it.
    fn repeats_its_control(&self, node: &Node, fields: &[Field]) -> bool {
        let is_label = node.role == Role::Text && matches!(fields, [Field::Name { .. }]);
        let control = node.parent.and_then(|parent| self.after.get(parent));
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
        let name = |node: &Arc<Node>| {
            self.reference(node).unwrap_or_else(|| summary(node.role, node.label()).into())
        };
        let line = match (from, to) {
            (Some(from), Some(to)) => {
                let target = summary(to.role, to.label());
                match self.reference(to) {
                    Some(reference) => format!("focus: {} -> {reference} {target}\n", name(from)),
                    None => format!("focus: {} -> {target}\n", name(from)),
                }
            }
            (None, Some(to)) => match self.reference(to) {
                Some(reference) => format!("focus: {reference} {}\n", summary(to.role, to.label())),
                None => format!("focus: {}\n", summary(to.role, to.label())),
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
