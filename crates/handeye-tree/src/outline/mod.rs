//! The outline: a tree as a model reads it, one element a line.
//!
//! ```text
//! - window "Untitled - Mousepad" [ref=e2] [active]
//!   - menuitem "File" [ref=e5]
//!   - textbox "Document" [ref=e31] [focused]: "hello"
//!   - button "Save" [ref=e40] [disabled]
//!   - list "Files" [ref=e41]
//!     - listitem "a.txt" [ref=e42]
//!     - … 498 more rows are hidden: ax_get_tree root_query=e41 include_invisible=true
//! ```
//!
//! - Wrappers that carry nothing are folded away and their children are lifted; separators, scroll bars, decorative
//!   pictures and texts that repeat the name of the control beside them are left out.
//! - A control without a name of its own has that of the texts in it, and a cell that of the cells in it, which get no lines then.
//! - A frame around one button that says no more than the button has no line, and rows and pictures in rows without anything in them are counted.
//! - What can be acted on or asked for by itself has a reference; plain texts have none.
//! - Names and values are screen text, so they are quoted and escaped: nothing that an application shows can fake a line.
//!   What a protected field holds is never shown.
//! - What is left out for its number, depth or cost is counted, and the call that gets it is named.

mod blank;
mod budget;
mod content;
mod dialog;
mod element;
mod fit;
mod fold;
mod merge;
mod notes;

#[cfg(test)]
mod tests;

pub use crate::escape::quoted;
pub use crate::line::{line, summary};
pub use budget::estimate_tokens;
pub use dialog::dialog;
pub use element::Element;
use element::MAX_INDENT;

use crate::references::Minter;
pub(crate) use blank::{is_blank_row, is_picture_in_row};
use content::is_collection;
pub use content::{addressable, is_furniture, speaking};
use fit::{LeftOut, fit};
use fold::{Item, Scope, fold, is_addressable};
use handeye_core::{Invocation, NodeId, Parameter, Text, Tree, text};
pub(crate) use merge::button_in_frame;
use notes::{GET_TREE, call_name, look_at, notes};

/// How an outline is made.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Levels that are shown; `None` for all.
    pub max_depth: Option<u32>,
    /// Whether to show what is not showing on the screen too (marked `[hidden]`).
    pub include_hidden: bool,
    /// Roles and names only, without references, states and values.
    pub compact: bool,
    /// Most tokens that the text may cost.
    pub budget_tokens: usize,
    /// Whether a program gets the elements too.
    pub elements: bool,
    /// Why the root is the root.
    pub root: Root,
}

/// Why an outline begins with its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// It was asked for by itself: its parts have lines of their own, and none of its rows are only counted.
    AskedFor,
    /// It is one of several things in an answer: it looks as it does in the outline of its window.
    Mentioned,
}

impl Default for Options {
    /// Everything that is showing, for at most 8,000 tokens.
    fn default() -> Self {
        Self {
            max_depth: None,
            include_hidden: false,
            compact: false,
            budget_tokens: 8_000,
            elements: false,
            root: Root::AskedFor,
        }
    }
}

impl Options {
    fn scope(&self) -> Scope {
        Scope {
            max_depth: self.max_depth,
            include_hidden: self.include_hidden,
            start_in_full: self.root == Root::AskedFor,
        }
    }
}

/// An outline and what is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rendered {
    /// The lines; empty if there is nothing to show.
    pub text: Text,
    /// The same for a program, in the order of the lines; empty if it was not asked for.
    pub elements: Vec<Element>,
    /// Number of elements that have a line.
    pub shown: usize,
    /// Number of elements that were to be shown and have none, for their depth, their number or the budget.
    pub omitted: usize,
    /// Whether the budget ended the outline.
    pub truncated: bool,
    /// Whether a page in it was still loading, so that more of it will come.
    pub incomplete: bool,
}

/// The outline of `root` (or of the whole application), with the references that `minter` gives.
pub fn render(tree: &Tree, root: Option<NodeId>, options: &Options, minter: Option<&Minter<'_>>) -> Rendered {
    let Some(start) = root.or(tree.root()) else { return Rendered::default() };
    let mut items = fold(tree, start, options.scope());
    let incomplete = items.iter().any(|item| item.is_loading);
    let minter = if options.compact { None } else { minter };
    let whole = Writer::new(options, minter, None).write(&items);
    if !whole.truncated {
        return Rendered { incomplete, ..whole };
    }
    let costs: Vec<usize> = items.iter().map(|item| cost(item, options)).collect();
    let left_out = fit(&mut items, &costs, options.budget_tokens.saturating_sub(RESERVE));
    Rendered { incomplete, ..Writer::new(options, minter, Some(left_out)).write(&items) }
}

/// About how many tokens an element costs, with the lines that may have to state what is left out of it.
fn cost(item: &Item<'_>, options: &Options) -> usize {
    /// A line with the number of rows that are left out, and the call that shows them.
    const NOTE: usize = 25;
    /// The number of elements inside that are left out.
    const INSIDE: usize = 5;
    let mut line = Text::default();
    indent(&mut line, item.depth);
    if options.compact {
        line.push(summary(item.node.role, item.name()));
    } else {
        crate::line::push_line(
            &mut line,
            item.node,
            item.name(),
            is_addressable(item).then_some("e99999"),
            item.marks,
        );
    }
    // Rows of it may be left out.
    let notes = notes::count(item) + usize::from(is_collection(item.node.role) && item.more_rows == 0);
    let inside = if item.is_empty { 0 } else { INSIDE };
    estimate_tokens(&line) + 1 + NOTE * notes + inside
}

/// A line that is due when everything below an element was written.
struct Note {
    depth: u32,
    text: Text,
    /// Index of what it is about among [`Rendered::elements`].
    element: Option<usize>,
}

struct Writer<'o, 'm, 'a> {
    options: &'o Options,
    minter: Option<&'m Minter<'a>>,
    text: Text,
    elements: Vec<Element>,
    tokens: usize,
    shown: usize,
    omitted: usize,
    too_deep: usize,
    truncated: bool,
    /// What the budget left no room for.
    left_out: Option<LeftOut>,
    notes: Vec<Note>,
}

/// Tokens kept free for the lines that state what is left out.
const RESERVE: usize = 80;

impl<'o, 'm, 'a> Writer<'o, 'm, 'a> {
    fn new(options: &'o Options, minter: Option<&'m Minter<'a>>, left_out: Option<LeftOut>) -> Self {
        Self {
            options,
            minter,
            text: Text::default(),
            elements: Vec::new(),
            tokens: 0,
            shown: 0,
            omitted: 0,
            too_deep: 0,
            truncated: left_out.is_some(),
            left_out,
            notes: Vec::new(),
        }
    }

    /// The lines of these elements, as many of them as the budget allows.
    fn write(mut self, items: &[Item<'_>]) -> Rendered {
        for (index, item) in items.iter().enumerate() {
            if !self.item(item) {
                self.end_at_budget(items, index);
                break;
            }
        }
        self.finish(items)
    }

    /// Writes the line of an element; `false` if the budget does not allow it.
    fn item(&mut self, item: &Item<'_>) -> bool {
        let reference = if is_addressable(item) { self.mint(item.node.id) } else { None };
        let mut line = Text::default();
        indent(&mut line, item.depth);
        if self.options.compact {
            line.push(summary(item.node.role, item.name()));
        } else {
            crate::line::push_line(&mut line, item.node, item.name(), reference.as_deref(), item.marks);
        }
        if item.too_deep > 0 {
            line.push_str(&format!(" (+{} inside)", item.too_deep));
        }
        line.push_str("\n");
        let cost = estimate_tokens(&line);
        let limit = self.options.budget_tokens.saturating_sub(RESERVE);
        // Whatever the budget, the first line names what is looked at.
        if self.shown > 0 && self.tokens + cost > limit {
            return false;
        }
        self.write_notes(item.depth);
        self.tokens += cost;
        self.text.push(line);
        if self.options.elements {
            self.elements.push(Element::of(item, reference.as_deref(), self.options.compact));
        }
        self.shown += 1;
        self.too_deep += item.too_deep;
        self.omitted += item.too_deep + item.more_rows + item.node.strangers as usize;
        if item.node.has_virtual_children() {
            self.omitted += item.unloaded_rows;
        }
        let element = self.elements.len().checked_sub(1);
        let due = notes(item, &call_name(item, reference));
        // Written from the last to the first.
        self.notes.extend(due.into_iter().rev().map(|text| Note { depth: item.depth + 1, text, element }));
        true
    }

    fn mint(&self, id: NodeId) -> Option<String> {
        self.minter.and_then(|minter| minter.mint(id)).map(|reference| reference.to_string())
    }

    /// Writes the notes of every element that ends before one at `depth`.
    fn write_notes(&mut self, depth: u32) {
        while let Some(note) = self.notes.pop_if(|note| note.depth > depth) {
            let mut line = Text::default();
            indent(&mut line, note.depth);
            line.push(&note.text);
            line.push_str("\n");
            self.tokens += estimate_tokens(&line);
            self.text.push(line);
            if let Some(element) = note.element.and_then(|index| self.elements.get_mut(index)) {
                element.notes.push(note.text);
            }
        }
    }

    /// Says what is missing when the budget ends the outline before `items[next]`.
    fn end_at_budget(&mut self, items: &[Item<'_>], next: usize) {
        self.truncated = true;
        let missing = items.len() - next;
        self.omitted += missing;
        self.notes.clear();
        let budget = self.options.budget_tokens;
        self.text.push_str(&format!("… {missing} more elements, over the budget of {budget} tokens: "));
        let around = std::iter::successors(items[next].parent, |index| items[*index].parent)
            .map(|index| &items[index])
            .find(|item| is_addressable(item));
        match around {
            Some(item) => {
                let reference = self.mint(item.node.id);
                self.text.push(text![look_at(call_name(item, reference)), " shows a part\n"]);
            }
            None => self.text.push(text![Invocation::of(GET_TREE), " with root_query shows a part\n"]),
        }
    }

    fn finish(mut self, items: &[Item<'_>]) -> Rendered {
        self.write_notes(0);
        self.omitted += self.left_out.unwrap_or_default().uncounted;
        if self.too_deep > 0 || self.left_out.is_some() {
            let left_out = |item: &&Item<'_>| item.too_deep + item.more_rows;
            let deepest = items.iter().filter(|item| left_out(item) > 0).max_by_key(left_out);
            let call = match deepest {
                Some(item) => {
                    let reference = if is_addressable(item) { self.mint(item.node.id) } else { None };
                    look_at(call_name(item, reference))
                }
                None => Invocation::of(GET_TREE),
            };
            self.text.push(self.shortage(call));
        }
        Rendered {
            text: self.text,
            elements: self.elements,
            shown: self.shown,
            omitted: self.omitted,
            truncated: self.truncated,
            incomplete: false,
        }
    }
}

impl Writer<'_, '_, '_> {
    /// Says how much is left out and why, and what shows more.
    fn shortage(&self, call: Invocation) -> Text {
        let Some(LeftOut { all, .. }) = self.left_out else {
            let how_many = format!("… {} elements are deeper than ", self.too_deep);
            return text![how_many, Parameter::named("max_depth"), ": raise it, or ", call, "\n"];
        };
        let how_many =
            format!("… {all} more elements, over the budget of {} tokens: ", self.options.budget_tokens);
        text![how_many, call, " shows a part\n"]
    }
}

fn indent(line: &mut Text, depth: u32) {
    for _ in 0..depth.min(MAX_INDENT) {
        line.push_str("  ");
    }
    line.push_str("- ");
}
