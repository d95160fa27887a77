//! The outline of a window that just appeared, within a few tokens: what it says and what answers it come first, rows of lists last.
//!
//! A file dialog has hundreds of rows before its Save and Cancel; an outline in document order would end before them.

use super::content::is_collection;
use super::fold::{Item, fold, is_addressable};
use super::notes::{call_name, look_at, notes};
use super::{Options, RESERVE, Rendered, estimate_tokens, indent, render};
use crate::line::{Marks, push_line};
use crate::references::Minter;
use handeye_core::{NodeId, Role, States, Text, Tree, text};
use std::cmp::Reverse;
use std::collections::HashSet;

/// What is shown first if there is no room for everything; the smaller the sooner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Itself,
    /// What answers it or is filled in.
    Answer,
    /// What it says.
    Text,
    Other,
    /// A row of a list, or something inside of one.
    Row,
}

/// The outline of the window `root`; where the budget has no room for all of it, the most important elements, in their order.
pub fn dialog(tree: &Tree, root: NodeId, options: &Options, minter: Option<&Minter<'_>>) -> Rendered {
    let whole = render(tree, Some(root), options, minter);
    if !whole.truncated {
        return whole;
    }
    let items = fold(tree, root, options.scope());
    let reference = |item: &Item<'_>| {
        let minter = minter.filter(|_| is_addressable(item))?;
        minter.mint(item.node.id).map(|reference| reference.to_string())
    };
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| rank(&items, *index));
    let limit = options.budget_tokens.saturating_sub(RESERVE);
    let mut shown: Vec<(usize, Text, Vec<Text>)> = Vec::new();
    let mut tokens = 0;
    for index in order {
        let item = &items[index];
        let reference = reference(item);
        let line = line_of(item, reference.as_deref());
        let notes = notes_of(item, reference);
        tokens += estimate_tokens(&line) + notes.iter().map(|note| estimate_tokens(note)).sum::<usize>();
        if !shown.is_empty() && tokens > limit {
            break;
        }
        shown.push((index, line, notes));
    }
    let is_shown: HashSet<usize> = shown.iter().map(|(index, ..)| *index).collect();
    let rows_and_parts = |has_line: bool| -> usize {
        let of = items.iter().enumerate().filter(|(index, _)| is_shown.contains(index) == has_line);
        of.map(|(_, item)| item.more_rows + item.too_deep).sum()
    };
    let left_out = items.len() - shown.len() + rows_and_parts(false);
    // What lines state is left out too.
    let omitted = left_out + rows_and_parts(true);
    let count = shown.len();
    let mut text = in_order(&items, shown);
    if let Some(window) = items.first().filter(|_| left_out > 0) {
        let name = call_name(window, reference(window));
        text.push(text![format!("  … {left_out} more elements: "), look_at(name), "\n"]);
    }
    Rendered { text, elements: Vec::new(), shown: count, omitted, truncated: left_out > 0, incomplete: false }
}

/// The line of an element, with the name that it has in every outline.
fn line_of(item: &Item<'_>, reference: Option<&str>) -> Text {
    let mut line = Text::default();
    // Wrappers in between may be left out, so that nothing is deeper than the window's own parts.
    indent(&mut line, item.depth.min(1));
    let marks = Marks { focused: item.node.states.contains(States::FOCUSED), owner: true };
    push_line(&mut line, item.node, item.name(), reference, marks);
    if item.too_deep > 0 {
        line.push_str(&format!(" (+{} inside)", item.too_deep));
    }
    line.push_str("\n");
    line
}

/// The lines that state what is not shown of an element.
fn notes_of(item: &Item<'_>, reference: Option<String>) -> Vec<Text> {
    let due = notes(item, &call_name(item, reference));
    let line = |note: Text| {
        let mut line = Text::default();
        indent(&mut line, item.depth.min(1) + 1);
        line.push(note);
        line.push_str("\n");
        line
    };
    due.into_iter().map(line).collect()
}

/// The lines in the order of their elements, the notes of each behind what is in it.
fn in_order(items: &[Item<'_>], shown: Vec<(usize, Text, Vec<Text>)>) -> Text {
    let mut lines: Vec<((usize, Reverse<usize>), Text)> = Vec::new();
    for (index, line, notes) in shown {
        let inside = items[index + 1..].iter().take_while(|item| item.depth > items[index].depth).count();
        lines.push(((index, Reverse(usize::MAX)), line));
        lines.extend(notes.into_iter().map(|note| ((index + inside, Reverse(index)), note)));
    }
    // Of several that end with the same element, the innermost comes first.
    lines.sort_by_key(|(place, _)| *place);
    let mut text = Text::default();
    for (_, line) in lines {
        text.push(line);
    }
    text
}

fn rank(items: &[Item<'_>], index: usize) -> Rank {
    let item = &items[index];
    let Some(parent) = item.parent else { return Rank::Itself };
    let around = std::iter::successors(Some(parent), |index| items[*index].parent);
    let is_row = around.map(|index| items[index].node.role).any(is_collection);
    match item.node.role {
        _ if is_row => Rank::Row,
        role if role.is_interactive() => Rank::Answer,
        Role::Text | Role::Heading => Rank::Text,
        _ => Rank::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::references::References;
    use handeye_core::testing::tree;
    use handeye_core::{ApplicationId, SourceId};

    fn outline(text: &str, budget_tokens: usize) -> Rendered {
        let tree = tree(text);
        let (references, app) = (References::new(), ApplicationId::new(SourceId::new("memory"), ":1.1"));
        let minter = references.minter(&app, &tree);
        let root = tree.windows().next().expect("a window").id;
        dialog(&tree, root, &Options { budget_tokens, ..Options::default() }, Some(&minter))
    }

    #[test]
    fn what_answers_a_dialog_is_shown_before_its_rows() {
        let mut text =
            String::from("dialog \"Save As\" [modal]\n  text \"Choose a place.\"\n  textbox \"Name\"\n");
        text.push_str("  group \"Places\"\n    list \"Files\"\n");
        for number in 0..50 {
            text.push_str(&format!("      listitem \"some file of mine {number}.txt\"\n"));
        }
        text.push_str("  combobox \"Filter\"\n  button \"Cancel\"\n  button \"Save\"\n");
        let rendered = outline(&text, 400);
        for shown in [
            "dialog \"Save As\"",
            "Choose a place.",
            "textbox \"Name\"",
            "combobox",
            "\"Cancel\"",
            "\"Save\"",
        ] {
            assert!(rendered.text.contains(shown), "{shown}: {}", rendered.text);
        }
        assert!(rendered.text.starts_with("- dialog \"Save As\" [ref="), "{}", rendered.text);
        assert!(rendered.text.contains("more elements: ax_get_tree root_query=e"), "{}", rendered.text);
        assert!(estimate_tokens(&rendered.text) <= 400, "{}", rendered.text);
        assert_eq!(rendered.shown + rendered.omitted, 58);
    }

    #[test]
    fn a_dialog_that_fits_is_an_outline() {
        let rendered = outline("dialog \"Sure?\"\n  text \"Really?\"\n  button \"Yes\"\n", 400);
        assert!(!rendered.truncated && rendered.text.contains("  - button \"Yes\""), "{}", rendered.text);
    }

    #[test]
    fn a_dialog_without_room_has_the_names_of_other_outlines_and_counts_rows_that_it_leaves_out() {
        let mut text = String::from(
            "dialog \"Open\"\n  group \"Cancel\"\n    button \"Cancel\"\n  button\n    text \"Open\"\n",
        );
        text.push_str("  table\n    cell\n      cell [picture]\n      cell \"home\" [words]\n");
        text.push_str(
            "  list \"Files\"\n    listitem\n    listitem\n    listitem [hidden]\n    listitem \"first\"\n",
        );
        for number in 0..80 {
            text.push_str(&format!("    listitem \"some file of mine {number}.txt\"\n"));
        }
        let rendered = outline(&text, 300);
        let rows = "    - … 21 more rows: ax_get_tree root_query=e";
        for shown in
            ["\n  - button \"Cancel\"", "\n  - button \"Open\" [ref=", "\n  - cell \"home\" [ref=", rows]
        {
            assert!(rendered.text.contains(shown), "{shown}: {}", rendered.text);
        }
        for counted in ["… 2 blank rows: ax_get_tree root_query=e", "… 1 more rows are hidden: "] {
            assert!(rendered.text.contains(counted), "{counted}: {}", rendered.text);
        }
        assert!(!rendered.text.contains("group \"Cancel\""), "{}", rendered.text);
        assert!(estimate_tokens(&rendered.text) <= 300, "{}", rendered.text);
        // The dialog, two buttons, a table with a cell, a list, and 81 rows.
        assert_eq!(rendered.shown + rendered.omitted, 6 + 81);
        let last = rendered.text.lines().nth_back(1).expect("notes of the list");
        assert!(last.contains("more rows are hidden"), "{}", rendered.text);
    }
}
