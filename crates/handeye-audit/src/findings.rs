//! What the rules have checked so far, and what failed.

use crate::issue::Issue;
use crate::report::{Report, Unmeasured};
use crate::rule::{RULES, Rule, Standard};
use crate::view::Element;
use handeye_core::screen_text;
use std::collections::HashMap;

/// Longest name of an element in an issue, in characters.
const MAX_NAME: usize = 80;

/// What was checked and what failed.
pub(crate) struct Findings {
    active: Vec<&'static Rule>,
    checked: HashMap<&'static str, u32>,
    issues: Vec<Issue>,
    unmeasured: Unmeasured,
}

impl Findings {
    /// Nothing yet, against these standards.
    pub(crate) fn new(standards: &[Standard]) -> Self {
        let active =
            RULES.iter().copied().filter(|rule| standards.iter().any(|standard| standard.requires(rule)));
        Self {
            active: active.collect(),
            checked: HashMap::new(),
            issues: Vec::new(),
            unmeasured: Unmeasured::default(),
        }
    }

    /// Whether a standard requires the rule.
    pub(crate) fn wants(&self, rule: &'static Rule) -> bool {
        self.active.contains(&rule)
    }

    /// Counts an element that was held against a rule, whether or not it fails.
    pub(crate) fn checked(&mut self, rule: &'static Rule) {
        if self.wants(rule) {
            *self.checked.entry(rule.id).or_default() += 1;
        }
    }

    /// Notes that an element fails a rule, which was counted as checked.
    pub(crate) fn fail(
        &mut self,
        rule: &'static Rule,
        element: &Element<'_>,
        description: impl Into<String>,
        suggestion: impl Into<String>,
    ) {
        if !self.wants(rule) {
            return;
        }
        let node = element.node;
        let name = screen_text::line(node.name.trim(), MAX_NAME);
        let kind = node.role.aria();
        self.issues.push(Issue {
            rule,
            node: node.id,
            element: if name.is_empty() { kind.to_owned() } else { format!("{kind} \"{name}\"") },
            reference: None,
            bounds: node.details.extents.known().copied(),
            description: description.into(),
            suggestion: suggestion.into(),
        });
    }

    /// Where to count what was not measured.
    pub(crate) const fn unmeasured(&mut self) -> &mut Unmeasured {
        &mut self.unmeasured
    }

    /// The report of a window of so many elements.
    pub(crate) fn into_report(self, elements: usize) -> Report {
        let checks = self.active.iter().map(|rule| (*rule, self.checked.get(rule.id).copied().unwrap_or(0)));
        let mut report =
            Report { checks: checks.collect(), issues: self.issues, elements, unmeasured: self.unmeasured };
        report.sort();
        report
    }
}
