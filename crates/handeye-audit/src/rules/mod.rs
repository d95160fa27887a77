//! The rules, one file for each kind. Each counts what it holds against a rule and notes what fails.

mod keyboard;
mod labels;
mod names;
mod order;
mod roles;
mod targets;
mod texts;

use crate::findings::Findings;
use crate::report::Report;
use crate::rule::Standard;
use crate::view::{Subject, View};
use handeye_core::{NodeId, Role, States, Tree};

/// How far an audit has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Names, roles, keyboard and size: so many of so many elements.
    Elements(usize, usize),
    /// Labels and the order of elements.
    Labels,
    /// The contrast of so many of so many elements.
    Contrast(usize, usize),
}

/// After how many elements progress is reported.
pub(crate) const STEP: usize = 50;

/// The elements below `root` of which labels and keys have to be known before [`audit`] can judge them: controls without a name, and those
/// that cannot be focused.
pub fn questions(tree: &Tree, root: NodeId) -> Vec<NodeId> {
    let is_asked = |node: &handeye_core::Node| {
        let unnamed = node.name.trim().is_empty() && node.description.trim().is_empty();
        let unfocusable = keyboard::is_judged(node) && !node.states.contains(States::FOCUSABLE);
        let is_area = node.role.is_structural()
            && node.states.contains(States::FOCUSABLE)
            && node.abilities.contains(handeye_core::Abilities::ACTION);
        is_area
            || (crate::view::is_control(node.role) || node.role == Role::Image) && (unnamed || unfocusable)
    };
    let showing = tree.descendants(root).filter(|node| node.is_showing());
    showing.filter(|node| is_asked(node)).map(|node| node.id).collect()
}

/// Audits a window or a part of one. `progress` is called now and then.
pub fn audit(subject: &Subject<'_>, standards: &[Standard], progress: &mut dyn FnMut(Stage)) -> Report {
    let view = View::new(subject);
    let mut findings = Findings::new(standards);
    let total = view.elements.len();
    let judge = keyboard::Judge::new(&view);
    for (at, element) in view.elements.iter().enumerate() {
        if at % STEP == 0 {
            progress(Stage::Elements(at, total));
        }
        names::check(&view, element, &mut findings);
        roles::check(&view, element, &mut findings);
        judge.check(&view, element, &mut findings);
    }
    targets::check(&view, &mut findings);
    progress(Stage::Labels);
    labels::check(&view, &mut findings);
    names::check_unique(&view, &mut findings);
    order::check(&view, &mut findings);
    texts::check(&view, &mut findings, progress);
    findings.into_report(total)
}

#[cfg(test)]
mod tests;
