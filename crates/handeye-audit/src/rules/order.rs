//! Order: elements of a document whose order in the tree contradicts where they are. Only what no layout explains is reported: a column
//! that runs upwards, or a line that runs against all others.
//!
//! Only documents have an order of their own: GTK moves the focus by places on the screen whatever the order of its tree, and of Qt the tree
//! is put into the order on the screen when it is read.

use crate::findings::Findings;
use crate::rule::FOCUS_ORDER;
use crate::view::{Element, View, is_control};
use handeye_core::{Rect, Role, States};

/// How far apart two elements of one column or line may be, in logical pixels.
const NEAR: f64 = 160.0;

/// How the second of two elements lies to the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Forward,
    Above,
    Back,
    Elsewhere,
}

pub(super) fn check(view: &View<'_>, findings: &mut Findings) {
    let places: Vec<(&Element<'_>, Rect)> = view
        .elements
        .iter()
        .filter(|element| {
            let node = element.node;
            is_control(node.role)
                && !matches!(node.role, Role::MenuItem | Role::MenuItemCheckBox | Role::MenuItemRadio)
                && node.states.contains(States::FOCUSABLE)
                && view.composite(node).is_none()
                && view.tree().ancestors(node.id).any(|above| above.role == Role::Document)
        })
        .filter_map(|element| Some((element, element.seen?)))
        .collect();
    let steps: Vec<Step> = places.windows(2).map(|pair| step(view, &pair[0].1, &pair[1].1)).collect();
    let count = |step: Step| steps.iter().filter(|other| **other == step).count();
    // A window that is read from right to left.
    let mirrored = count(Step::Back) > count(Step::Forward);
    for (step, pair) in steps.iter().zip(places.windows(2)) {
        if *step == Step::Elsewhere {
            continue;
        }
        findings.checked(&FOCUS_ORDER);
        let wrong = match step {
            Step::Above => "above",
            Step::Back if !mirrored => "left of",
            _ => continue,
        };
        findings.fail(
            &FOCUS_ORDER,
            pair[1].0,
            format!("it comes after the {} that it stands {wrong}", pair[0].0.node.role.aria()),
            "Put the elements into the order in which they are read.",
        );
    }
}

fn step(view: &View<'_>, first: &Rect, second: &Rect) -> Step {
    let shared = |from: i32, to: i32, other_from: i32, other_to: i32| {
        f64::from(to.min(other_to).saturating_sub(from.max(other_from)))
    };
    let near = |gap: i32| (0.0..=NEAR).contains(&(f64::from(gap) / view.scale()));
    let rows = shared(first.y, first.bottom(), second.y, second.bottom());
    if rows >= 0.6 * f64::from(first.height.min(second.height)) {
        return match () {
            () if second.x >= first.right() => Step::Forward,
            () if near(first.x.saturating_sub(second.right())) => Step::Back,
            () => Step::Elsewhere,
        };
    }
    let columns = shared(first.x, first.right(), second.x, second.right());
    if columns < 0.5 * f64::from(first.width.min(second.width)) {
        return Step::Elsewhere;
    }
    match () {
        () if second.y >= first.bottom() => Step::Forward,
        () if near(first.y.saturating_sub(second.bottom())) => Step::Above,
        () => Step::Elsewhere,
    }
}
