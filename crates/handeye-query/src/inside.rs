//! An element without a name of its own by what is in it: a control by its texts, `tab "Sunset"`, and a cell by the cells that it consists of,
//! `cell "bin 4 KB"`. An outline shows it by that name.

use super::Graded;
use super::beside::role_and_title;
use super::expression::Chain;
use super::grade::SAME;
use super::walk::walk;
use handeye_core::{Node, NodeId, Role, Tree, cell_around, name_from_cells};
use rustc_hash::FxHashSet;

/// Most texts that make one name.
const MAX_TEXTS: usize = 3;

/// The elements of the role that is asked for whose insides make the title that is. `accept` says which elements may be the answer.
pub(super) fn elements<'t>(
    chain: &Chain,
    tree: &'t Tree,
    root: NodeId,
    accept: &dyn Fn(&Node) -> bool,
) -> Graded<'t> {
    let Some((rest, title)) = role_and_title(chain) else { return Vec::new() };
    let is_meant = |node: &Node| rest.iter().all(|part| part.grade(node).is_some()) && accept(node);
    named(title, tree, root, &is_meant)
}

/// The elements whose insides make this name.
pub(super) fn named<'t>(
    name: &str,
    tree: &'t Tree,
    root: NodeId,
    accept: &dyn Fn(&Node) -> bool,
) -> Graded<'t> {
    let wanted = comparable(name);
    let mut found = Vec::new();
    walk(tree, root, |node| {
        let may_be = node.label().trim().is_empty() && accept(node);
        if may_be && name_from_inside(tree, node).is_some_and(|name| comparable(&name) == wanted) {
            found.push((SAME, node));
        }
    });
    found
}

/// What was found, but the cell that has its line in the place of a part whose text is all of the cell's name: the outline shows `cell "bin"`
/// once, by the reference of the whole cell.
pub(super) fn whole_cells<'t>(
    chain: &Chain,
    tree: &'t Tree,
    found: Graded<'t>,
    accept: &dyn Fn(&Node) -> bool,
) -> Graded<'t> {
    let Some((rest, title)) = role_and_title(chain) else { return found };
    let wanted = comparable(title);
    let whole = |node: &Node| {
        let cell = cell_around(tree, node)?;
        let is_named = name_from_cells(tree, cell).is_some_and(|name| comparable(&name) == wanted);
        (is_named && accept(cell) && rest.iter().all(|part| part.grade(cell).is_some())).then_some(cell)
    };
    let mut seen = FxHashSet::default();
    let shown = found.into_iter().map(|(grade, node)| (grade, whole(node).unwrap_or(node)));
    shown.filter(|(_, node)| seen.insert(node.id)).collect()
}

/// The name that is shown of an element by what is in it.
fn name_from_inside(tree: &Tree, node: &Node) -> Option<String> {
    match node.role {
        Role::Cell => name_from_cells(tree, node),
        role if role.is_named_from_inside() => texts_inside(tree, node),
        _ => None,
    }
}

/// The texts in an element, if there are a few of them.
fn texts_inside(tree: &Tree, node: &Node) -> Option<String> {
    let texts =
        tree.descendants(node.id).skip(1).filter(|inside| inside.role == Role::Text && inside.is_showing());
    let words: Vec<&str> =
        texts.map(|text| text.label().trim()).filter(|words| !words.is_empty()).take(MAX_TEXTS + 1).collect();
    (1..=MAX_TEXTS).contains(&words.len()).then(|| words.join(" "))
}

fn comparable(name: &str) -> String {
    name.trim().to_lowercase()
}
