//! Lines below an element that state what is not shown of it, and the call that shows it.

use super::fold::{Item, RowKind};
use crate::line::summary;
use handeye_core::{Invocation, Role, States, Text, text};

/// The tool that outlines come from.
pub(super) const GET_TREE: &str = "ax_get_tree";

/// How to name an element in a call.
pub(super) fn call_name(item: &Item<'_>, reference: Option<String>) -> String {
    reference.unwrap_or_else(|| summary(item.node.role, item.name()).into())
}

/// The call that shows the inside of an element.
pub(super) fn look_at(name: String) -> Invocation {
    Invocation::of(GET_TREE).with("root_query", name).compact()
}

/// How many lines [`notes`] has for an element.
pub(super) fn count(item: &Item<'_>) -> usize {
    let lines = [
        item.more_rows > 0,
        item.blank_rows > 0,
        item.hidden_rows > 0,
        item.unloaded_rows > 0,
        is_minimized(item),
        item.is_loading,
        item.node.strangers > 0,
    ];
    lines.into_iter().filter(|is_due| *is_due).count()
}

/// Why less is shown of an element than one would expect, and what helps: first of its rows, then of itself. `name` is what calls name it by.
pub(super) fn notes(item: &Item<'_>, name: &str) -> Vec<Text> {
    let mut notes = of_rows(item, name);
    notes.extend(of_state(item, name));
    notes
}

fn of_rows(item: &Item<'_>, name: &str) -> Vec<Text> {
    let look = || look_at(name.to_owned());
    let rows = match item.kind {
        RowKind::Rows => "rows",
        RowKind::Cells => "cells",
    };
    let mut notes = Vec::new();
    if item.more_rows > 0 {
        notes.push(text![format!("… {} more {rows}: ", item.more_rows), look()]);
    }
    let (one, more) = match item.node.role {
        Role::Table if item.node.has_virtual_children() => ("empty cell", "empty cells"),
        Role::Table | Role::TreeGrid => ("picture without a name", "pictures without a name"),
        _ => ("blank row", "blank rows"),
    };
    match item.blank_rows {
        0 => {}
        1 => notes.push(text![format!("… 1 {one}: "), look()]),
        count => notes.push(text![format!("… {count} {more}: "), look()]),
    }
    if item.hidden_rows > 0 {
        let call = look().with("include_invisible", true);
        notes.push(text![format!("… {} more {rows} are hidden: ", item.hidden_rows), call]);
    }
    if item.unloaded_rows > 0 {
        let call = Invocation::of("ax_scroll").with("query", name).compact();
        notes.push(text![format!("… {} more {rows} are not loaded: ", item.unloaded_rows), call]);
    }
    notes
}

fn of_state(item: &Item<'_>, name: &str) -> Vec<Text> {
    let mut notes = Vec::new();
    if is_minimized(item) {
        let call = look_at(name.to_owned()).with("include_invisible", true);
        notes.push(text!["… it is minimized: ", call, " shows what it holds"]);
    }
    if item.is_loading {
        let what = if item.is_empty { "nothing of the page is" } else { "not all of the page is" };
        notes.push(text![
            format!("… {what} in the accessibility tree yet: call "),
            Invocation::of(GET_TREE),
            " again in a second"
        ]);
    }
    let unproven = "left out: the claim is not proven";
    match item.node.strangers {
        0 => {}
        1 => notes.push(format!("… 1 element of another process is {unproven}").into()),
        more => notes.push(format!("… {more} elements of other processes are {unproven}").into()),
    }
    notes
}

fn is_minimized(item: &Item<'_>) -> bool {
    item.node.role.is_window() && item.node.states.contains(States::ICONIFIED)
}
