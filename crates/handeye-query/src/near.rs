//! Near misses: what a query that found nothing may have meant.

use super::vocabulary::RoleSet;
use handeye_core::nearness::similarity;
use handeye_core::{Node, Role, Tree};
use std::sync::Arc;

/// Longest label that is compared, in characters; the comparison is quadratic.
const COMPARED_CHARS: usize = 64;
/// Least similarity that is worth reporting, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.5;

/// The showing elements whose labels are most like `text`, at most `count`, each as `line` writes it. Each line comes once.
pub fn near_misses(tree: &Tree, text: &str, count: usize, line: impl Fn(&Node) -> String) -> Vec<String> {
    let wanted = comparable(text);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut candidates: Vec<(f64, &Arc<Node>)> = tree
        .root()
        .into_iter()
        .flat_map(|root| tree.descendants(root))
        .filter(|node| node.is_showing() && !node.label().is_empty())
        .map(|node| (similarity(&wanted, &comparable(node.label())), node))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    candidates.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then_with(|| other.role.is_interactive().cmp(&one.role.is_interactive()))
    });
    distinct(candidates.into_iter().map(|(_, node)| node), count, line)
}

/// The lines of the first elements whose lines differ, at most `count`.
fn distinct<'t>(
    nodes: impl Iterator<Item = &'t Arc<Node>>,
    count: usize,
    line: impl Fn(&Node) -> String,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for node in nodes {
        if lines.len() == count {
            break;
        }
        let line = line(node);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Roles that toolkits and people use for the same thing.
const RELATED: [&[Role]; 7] = [
    &[Role::TextBox, Role::SearchBox, Role::ComboBox, Role::SpinButton],
    &[Role::Button, Role::ToggleButton, Role::Link, Role::MenuItem],
    &[Role::CheckBox, Role::Switch, Role::RadioButton, Role::MenuItemCheckBox],
    &[Role::ListItem, Role::Row, Role::TreeItem, Role::Cell],
    &[Role::List, Role::ListBox, Role::Table, Role::Tree, Role::TreeGrid],
    &[Role::Slider, Role::SpinButton],
    &[Role::Dialog, Role::Alert],
];

/// The first showing elements with a label that may be meant by these roles, of which there is none, at most `count`, each as `line` writes it. Each line
/// comes once.
pub(super) fn related(
    tree: &Tree,
    roles: RoleSet,
    count: usize,
    line: impl Fn(&Node) -> String,
) -> Vec<String> {
    let related = |role: Role| {
        RELATED
            .iter()
            .any(|family| family.contains(&role) && family.iter().any(|member| roles.names(*member)))
    };
    let all = tree.root().into_iter().flat_map(|root| tree.descendants(root));
    distinct(
        all.filter(|node| node.is_showing() && !node.label().is_empty() && related(node.role)),
        count,
        line,
    )
}

/// The names of roles that are most like `name`.
pub(super) fn roles(name: &str) -> Vec<&'static str> {
    let wanted = comparable(name);
    let mut known: Vec<(f64, &'static str)> = Role::ALL
        .iter()
        .flat_map(|role| std::iter::once(role.aria()).chain(role.atspi_names().iter().copied()))
        .map(|known| (similarity(&wanted, known), known))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .collect();
    known.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    known.dedup_by_key(|(_, name)| *name);
    known.into_iter().map(|(_, name)| name).take(5).collect()
}

fn comparable(text: &str) -> String {
    text.trim().chars().take(COMPARED_CHARS).flat_map(char::to_lowercase).collect()
}
