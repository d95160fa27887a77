//! A field without a name of its own, by the text that stands before it on its line: `textbox "Name:"`.

use super::expression::{Chain, Expression};
use super::grade::{Grade, PART};
use super::vocabulary::Field;
use super::walk::walk;
use handeye_core::{Extents, Node, NodeId, Role, Tree};
use std::sync::Arc;

/// By how many pixels a field may overlap its label.
const OVERLAP: i32 = 8;

/// The field that the query means by its label, if one alone can be meant and places are known. `accept` says which elements may be the answer.
///
/// The order of a tree does not say what belongs together, as the labels of a grid can come before all of its fields. What counts is what a person
/// sees: the first thing right of the label on its line.
pub(super) fn field<'t>(
    chain: &Chain,
    tree: &'t Tree,
    root: NodeId,
    accept: &dyn Fn(&Node) -> bool,
) -> Option<(Grade, &'t Arc<Node>)> {
    let (rest, title) = role_and_title(chain)?;
    let wanted = comparable(title);
    if wanted.is_empty() {
        return None;
    }
    let (mut labels, mut controls) = (Vec::new(), Vec::new());
    walk(tree, root, |node| {
        let Some(area) = Area::of(node).filter(|_| node.is_showing()) else { return };
        if node.role == Role::Text && comparable(node.label()) == wanted {
            labels.push(area);
        } else if node.role.is_interactive() {
            controls.push((area, node));
        }
    });
    let is_meant = |node: &Node| {
        holds_a_value(node.role) && accept(node) && rest.iter().all(|part| part.grade(node).is_some())
    };
    let mut found: Option<&Arc<Node>> = None;
    for label in &labels {
        let gaps = controls.iter().filter_map(|(area, node)| Some((label.gap_to(area)?, node)));
        let Some(nearest) = gaps.clone().map(|(gap, _)| gap).min() else { continue };
        // The text field in a combo box begins where the box does, or closely behind.
        let mut meant = gaps
            .filter(|(gap, node)| gap.abs_diff(nearest) <= OVERLAP.unsigned_abs() && is_meant(node))
            .map(|(_, node)| *node);
        match (meant.next(), meant.next(), found) {
            (None, ..) => {}
            (Some(one), None, None) => found = Some(one),
            (Some(one), None, Some(other)) if one.id == other.id => {}
            _ => return None,
        }
    }
    found.map(|node| (PART, node))
}

/// What an expression asks for beside one title, if it names a role and a title and nothing around it.
pub(super) fn role_and_title(chain: &Chain) -> Option<(Vec<&Expression>, &str)> {
    let [step] = chain.steps.as_slice() else { return None };
    let Expression::And(parts) = &step.expression else { return None };
    if step.nth.is_some() {
        return None;
    }
    let (titles, rest): (Vec<&Expression>, Vec<&Expression>) = parts
        .iter()
        .partition(|part| matches!(part, Expression::Words(_) | Expression::Text(Field::Title, _)));
    let has_role = rest.iter().any(|part| matches!(part, Expression::Role(_)));
    let title = match titles.as_slice() {
        [Expression::Words(needle)] => needle.as_str(),
        [Expression::Text(_, pattern)] => pattern.as_str(),
        _ => return None,
    };
    has_role.then_some((rest, title))
}

/// Whether such an element is labelled by a text beside it. A button has its label in itself.
const fn holds_a_value(role: Role) -> bool {
    matches!(role, Role::TextBox | Role::SearchBox | Role::SpinButton | Role::ComboBox | Role::Slider)
}

/// A label without what only separates it from its field.
fn comparable(label: &str) -> String {
    label.trim().trim_end_matches([':', '\u{ff1a}', ' ']).to_lowercase()
}

/// Where an element is, in the space in which its source places it.
struct Area {
    in_window: bool,
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Area {
    fn of(node: &Node) -> Option<Self> {
        let extents = node.details.extents.known().filter(|extents| !extents.is_empty())?;
        let ((left, top), size) = (extents.corner(), extents.size());
        Some(Self {
            in_window: matches!(extents, Extents::InWindow(_)),
            left,
            top,
            right: left.saturating_add_unsigned(size.width),
            bottom: top.saturating_add_unsigned(size.height),
        })
    }

    /// How far right of this label the other one begins; `None` if it is not on its line or not right of it.
    fn gap_to(&self, other: &Self) -> Option<i32> {
        let shared = self.bottom.min(other.bottom).saturating_sub(self.top.max(other.top));
        let least = (self.bottom - self.top).min(other.bottom - other.top);
        let gap = other.left.saturating_sub(self.right);
        let is_on_line = shared.saturating_mul(2) >= least && self.in_window == other.in_window;
        (is_on_line && gap >= -OVERLAP).then_some(gap)
    }
}
