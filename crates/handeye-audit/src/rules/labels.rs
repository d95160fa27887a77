//! Labels: text that is shown beside a field without being connected with it.

use crate::findings::Findings;
use crate::naming::has_name;
use crate::rule::LABEL_RELATION;
use crate::view::{Element, View};
use handeye_core::{Rect, Role, screen_text};

/// How far a label may be to the left of its field, in logical pixels.
const BESIDE: f64 = 80.0;
/// How far it may be above.
const ABOVE: f64 = 24.0;
/// Longest text that is taken for a label, in characters.
const LONGEST: usize = 60;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    for element in view.elements.iter().filter(|element| is_field(element.node.role)) {
        if view.composite(element.node).is_some() {
            continue;
        }
        let Some(named) = has_name(view, element.node) else { continue };
        if named {
            findings.checked(&LABEL_RELATION);
            continue;
        }
        let Some(label) = beside(view, element) else { continue };
        findings.checked(&LABEL_RELATION);
        let label = screen_text::line(label.trim(), LONGEST);
        findings.fail(
            &LABEL_RELATION,
            element,
            format!(
                "the {} has no name, although the label \"{label}\" stands beside it",
                element.node.role.aria()
            ),
            "Connect the label with the field (mnemonic widget, buddy, <label for>), or set the name.",
        );
    }
}

const fn is_field(role: Role) -> bool {
    matches!(role, Role::TextBox | Role::SearchBox | Role::ComboBox | Role::Slider | Role::SpinButton)
}

/// The text that a person would take for the label of a field: on its line, or closely above it.
pub(super) fn beside<'a>(view: &View<'a>, field: &Element<'_>) -> Option<&'a str> {
    if !is_field(field.node.role) {
        return None;
    }
    let own = field.seen?;
    let candidates = view.elements.iter().filter_map(|other| {
        let name = other.node.name.trim();
        let is_label = other.node.role == Role::Text && !name.is_empty() && name.chars().count() <= LONGEST;
        let label = other.seen.filter(|_| is_label)?;
        let distance = distance(view, &own, &label)?;
        let is_taken = distance >= BESIDE && stands_before_another(view, field, &label);
        (!is_taken).then_some((distance, other.node.name.as_ref()))
    });
    candidates.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name)
}

/// Whether a label above a field has a field on its own line, whose label it is.
fn stands_before_another(view: &View<'_>, field: &Element<'_>, label: &Rect) -> bool {
    view.elements.iter().filter(|other| other.node.id != field.node.id && is_field(other.node.role)).any(
        |other| {
            other.seen.and_then(|area| distance(view, &area, label)).is_some_and(|distance| distance < BESIDE)
        },
    )
}

/// How far a label is from its field; `None` where no person would connect them.
fn distance(view: &View<'_>, field: &Rect, label: &Rect) -> Option<f64> {
    let shared = |from: i32, to: i32, other_from: i32, other_to: i32| {
        f64::from(to.min(other_to).saturating_sub(from.max(other_from)))
    };
    let rows = shared(field.y, field.bottom(), label.y, label.bottom());
    // What is right of a field may as well be a unit, or belong to what follows.
    let gap = field.x.saturating_sub(label.right());
    if rows * 2.0 >= f64::from(field.height.min(label.height)) {
        let gap = f64::from(gap) / view.scale();
        return (-4.0..=BESIDE).contains(&gap).then_some(gap.abs());
    }
    let columns = shared(field.x, field.right(), label.x, label.right());
    let above = f64::from(field.y.saturating_sub(label.bottom())) / view.scale();
    // What is wider than the field is a heading of more than it. What is on its line comes first.
    let is_own = label.right() <= field.right().saturating_add(8);
    (is_own && columns > 0.0 && (-4.0..=ABOVE).contains(&above)).then_some(BESIDE + above.abs())
}
