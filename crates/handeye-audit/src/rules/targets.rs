//! Target size: how large what is pressed is, in logical pixels.

use crate::findings::Findings;
use crate::rule::{TARGET_SIZE, TARGET_SIZE_ENHANCED};
use crate::view::{Element, View, is_control};
use handeye_core::{Rect, Role, Tree};

/// The side of a target that is large enough, and of one that is enough for level AAA.
const MINIMUM: f64 = 24.0;
const ENHANCED: f64 = 44.0;
/// How much smaller than that a target may be before it is reported: half a pixel is a rounding of the toolkit.
const ROUNDING: f64 = 0.5;

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    if !findings.wants(&TARGET_SIZE) && !findings.wants(&TARGET_SIZE_ENHANCED) {
        return;
    }
    let targets: Vec<(&Element<'_>, Rect)> = view
        .elements
        .iter()
        .filter(|element| is_control(element.node.role) && element.is_operable())
        .filter(|element| element.node.role != Role::Slider && view.composite(element.node).is_none())
        .filter_map(|element| Some((element, element.area?)))
        .collect();
    for (element, area) in &targets {
        // Of what is scrolled out in part, the size is not known for sure; a link in a sentence is exempt.
        if element.seen != Some(*area) || is_inline(view, element) {
            continue;
        }
        let (width, height) = (view.logical(area.width), view.logical(area.height));
        let is_below = |side: f64| width + ROUNDING < side || height + ROUNDING < side;
        findings.checked(&TARGET_SIZE);
        findings.checked(&TARGET_SIZE_ENHANCED);
        let size = format!("{width:.0}x{height:.0} logical pixels");
        if findings.wants(&TARGET_SIZE) && is_below(MINIMUM) && is_crowded(view, &targets, element, *area) {
            findings.fail(
                &TARGET_SIZE,
                element,
                format!("the target has {size}, and another one is nearer than {MINIMUM} pixels"),
                "Make it at least 24x24, or leave that much room around its middle.",
            );
        } else if is_below(ENHANCED) {
            findings.fail(
                &TARGET_SIZE_ENHANCED,
                element,
                format!("the target has {size}"),
                "Make it at least 44x44.",
            );
        }
    }
}

fn is_inline(view: &View<'_>, element: &Element<'_>) -> bool {
    let node = element.node;
    if node.role != Role::Link {
        return false;
    }
    let Some(parent) = node.parent.and_then(|parent| view.tree().get(parent)) else { return false };
    matches!(parent.role, Role::Paragraph | Role::Text | Role::Heading | Role::ListItem | Role::Cell)
        || view.children(parent.id).any(|other| other.node.role == Role::Text)
}

/// Whether a circle of 24 logical pixels around the middle of a small target touches another target, or the circle of a small one.
fn is_crowded(view: &View<'_>, targets: &[(&Element<'_>, Rect)], own: &Element<'_>, area: Rect) -> bool {
    let radius = (MINIMUM - ROUNDING) / 2.0 * view.scale();
    let (x, y) = middle(&area);
    targets.iter().any(|(other, other_area)| {
        if other.node.id == own.node.id || is_nested(view.tree(), own, other) {
            return false;
        }
        let across = outside(x, other_area.x, other_area.right());
        let down = outside(y, other_area.y, other_area.bottom());
        let is_small = view.logical(other_area.width.min(other_area.height)) + ROUNDING < MINIMUM;
        let (other_x, other_y) = middle(other_area);
        across.hypot(down) < radius || (is_small && (x - other_x).hypot(y - other_y) < 2.0 * radius)
    })
}

fn is_nested(tree: &Tree, one: &Element<'_>, other: &Element<'_>) -> bool {
    let holds = |outer: &Element<'_>, inner: &Element<'_>| {
        tree.ancestors(inner.node.id).any(|above| above.id == outer.node.id)
    };
    holds(one, other) || holds(other, one)
}

fn middle(area: &Rect) -> (f64, f64) {
    (f64::from(area.x) + f64::from(area.width) / 2.0, f64::from(area.y) + f64::from(area.height) / 2.0)
}

/// How far a place is outside of a stretch.
fn outside(at: f64, from: i32, to: i32) -> f64 {
    (f64::from(from) - at).max(at - f64::from(to)).max(0.0)
}
