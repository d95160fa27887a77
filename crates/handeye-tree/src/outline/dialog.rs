//! The outline of a window that just appeared, within a few tokens: what it says and what answers it come first, rows of lists last.
//!
//! A file dialog has hundreds of rows before its Save and Cancel; an outline in document order would end before them.

use super::fold::{Item, fold, is_addressable, is_collection};
use super::{Options, RESERVE, Rendered, call_name, estimate_tokens, indent, line, look_at, render};
use crate::references::Minter;
use handeye_core::{NodeId, Role, Text, Tree, text};

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
    let items = fold(tree, root, options.max_depth, options.include_hidden);
    let reference = |item: &Item<'_>| {
        let minter = minter.filter(|_| is_addressable(item))?;
        minter.mint(item.node.id).map(|reference| reference.to_string())
    };
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| rank(&items, *index));
    let limit = options.budget_tokens.saturating_sub(RESERVE);
    let mut lines: Vec<(usize, Text)> = Vec::new();
    let mut tokens = 0;
    for index in order {
        let item = &items[index];
        let mut text = Text::default();
        // Wrappers in between may be left out, so that nothing is deeper than the window's own parts.
        indent(&mut text, item.depth.min(1));
        text.push(line(item.node, reference(item).as_deref()));
        text.push_str("\n");
        tokens += estimate_tokens(&text);
        if !lines.is_empty() && tokens > limit {
            break;
        }
        lines.push((index, text));
    }
    lines.sort_unstable_by_key(|(index, _)| *index);
    let shown = lines.len();
    let mut text = Text::default();
    for (_, line) in lines {
        text.push(line);
    }
    let left_out = items.len() - shown;
    if let Some(window) = items.first().filter(|_| left_out > 0) {
        let name = call_name(window, reference(window));
        text.push(text![format!("  … {left_out} more elements: "), look_at(name), "\n"]);
    }
    Rendered {
        text,
        elements: Vec::new(),
        shown,
        omitted: left_out,
        truncated: left_out > 0,
        incomplete: false,
    }
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
}
