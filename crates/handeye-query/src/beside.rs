//! A field without a name of its own, by the text that stands before it: `textbox "Name:"`.

use super::expression::{Chain, Expression};
use super::grade::{Grade, PART};
use super::vocabulary::Field;
use super::walk::walk;
use handeye_core::{Node, NodeId, Role, Tree};
use std::sync::Arc;

/// The field that the query means by its label, if one alone can be meant. `accept` says which elements may be the answer.
///
/// A label stands directly before its field in the order in which people read; of what comes after that field it is not the label.
pub(super) fn field<'t>(
    chain: &Chain,
    tree: &'t Tree,
    root: NodeId,
    accept: &dyn Fn(&Node) -> bool,
) -> Option<(Grade, &'t Arc<Node>)> {
    let (rest, title) = role_and_title(chain)?;
    let wanted = comparable(title);
    let mut label: Option<&Arc<Node>> = None;
    let mut owner: Option<NodeId> = None;
    let mut found: Option<&Arc<Node>> = None;
    let mut is_one = true;
    walk(tree, root, |node| {
        if node.role == Role::Text {
            // The text in a button is no label of what comes after it.
            let is_inside = owner.is_some_and(|owner| tree.ancestors(node.id).any(|above| above.id == owner));
            if !is_inside {
                (label, owner) = (Some(node), None);
            }
            return;
        }
        if !node.role.is_interactive() {
            return;
        }
        let Some(before) = label else { return };
        match owner {
            None => owner = Some(node.id),
            Some(owner) if tree.ancestors(node.id).any(|above| above.id == owner) => {}
            Some(_) => {
                (label, owner) = (None, None);
                return;
            }
        }
        let is_meant = holds_a_value(node.role)
            && before.is_showing()
            && comparable(before.label()) == wanted
            && accept(node)
            && rest.iter().all(|part| part.grade(node).is_some());
        if is_meant {
            is_one &= found.is_none();
            found = Some(node);
        }
    });
    found.filter(|_| is_one && !wanted.is_empty()).map(|node| (PART, node))
}

/// What an expression asks for beside one title, if it names a role and a title and nothing around it.
fn role_and_title(chain: &Chain) -> Option<(Vec<&Expression>, &str)> {
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
