//! A control without a name of its own, by the texts in it: `tab "Sunset"`. An outline shows it by that name.

use super::Graded;
use super::beside::role_and_title;
use super::expression::Chain;
use super::grade::SAME;
use super::walk::walk;
use handeye_core::{Node, NodeId, Role, Tree};

/// Most texts that make one name.
const MAX_TEXTS: usize = 3;

/// The controls of the role that is asked for whose texts make the title that is. `accept` says which elements may be the answer.
pub(super) fn controls<'t>(
    chain: &Chain,
    tree: &'t Tree,
    root: NodeId,
    accept: &dyn Fn(&Node) -> bool,
) -> Graded<'t> {
    let Some((rest, title)) = role_and_title(chain) else { return Vec::new() };
    let wanted = title.trim().to_lowercase();
    let mut found = Vec::new();
    walk(tree, root, |node| {
        let is_asked_for = node.role.is_named_from_inside()
            && node.label().trim().is_empty()
            && accept(node)
            && rest.iter().all(|part| part.grade(node).is_some());
        if is_asked_for && name_from_inside(tree, node).is_some_and(|name| name.to_lowercase() == wanted) {
            found.push((SAME, node));
        }
    });
    found
}

/// The texts in an element, if there are a few of them.
fn name_from_inside(tree: &Tree, node: &Node) -> Option<String> {
    let texts =
        tree.descendants(node.id).skip(1).filter(|inside| inside.role == Role::Text && inside.is_showing());
    let words: Vec<&str> =
        texts.map(|text| text.label().trim()).filter(|words| !words.is_empty()).take(MAX_TEXTS + 1).collect();
    (1..=MAX_TEXTS).contains(&words.len()).then(|| words.join(" "))
}
