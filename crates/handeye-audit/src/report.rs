//! The result of an audit, and its score.

use crate::issue::Issue;
use crate::rule::{Rule, Severity};
use std::collections::HashSet;

/// Texts whose contrast was not measured, by the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unmeasured {
    /// The element is disabled, which the criterion exempts.
    pub disabled: u32,
    /// It is scrolled out, covered by another element, or its place is not known.
    pub out_of_sight: u32,
    /// A picture or a pattern lies behind it.
    pub patterned: u32,
    /// No text differs from the background there, or it is too thin to know its colour.
    pub unclear: u32,
    /// There is no picture of the window.
    pub no_picture: u32,
}

impl Unmeasured {
    /// How many texts were not measured, without those that are exempt.
    pub const fn total(&self) -> u32 {
        self.out_of_sight + self.patterned + self.unclear + self.no_picture
    }
}

/// The result of an audit.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Every rule that a standard requires, with the number of elements that were held against it.
    pub checks: Vec<(&'static Rule, u32)>,
    /// What fails, the worst first.
    pub issues: Vec<Issue>,
    /// How many elements were looked at.
    pub elements: usize,
    /// Texts whose contrast was not measured.
    pub unmeasured: Unmeasured,
}

impl Report {
    /// Whether nothing fails.
    pub const fn passed(&self) -> bool {
        self.issues.is_empty()
    }

    /// 0 to 100. Each rule that had something to check counts by its severity (critical 10, serious 7, moderate 3, minor 1) with the
    /// share of elements that pass it; the score is the weighted mean, rounded down. It is 100 only where nothing fails.
    pub fn score(&self) -> u32 {
        let (mut reached, mut possible) = (0.0, 0.0);
        for (rule, checked) in &self.checks {
            let failed: HashSet<_> =
                self.issues.iter().filter(|issue| issue.rule == *rule).map(|issue| issue.node).collect();
            let checked = f64::from(*checked).max(failed.len() as f64);
            if checked > 0.0 {
                let weight = f64::from(rule.severity.weight());
                possible += weight;
                reached += weight * (1.0 - failed.len() as f64 / checked);
            }
        }
        let score = if possible > 0.0 { (100.0 * reached / possible + 1e-9).floor() as u32 } else { 100 };
        if self.passed() { score } else { score.min(99) }
    }

    /// How many issues have that severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.issues.iter().filter(|issue| issue.rule.severity == severity).count()
    }

    /// Adds the result of another window.
    pub fn merge(&mut self, other: Self) {
        for (rule, count) in other.checks {
            match self.checks.iter_mut().find(|(own, _)| *own == rule) {
                Some((_, own)) => *own = own.saturating_add(count),
                None => self.checks.push((rule, count)),
            }
        }
        self.issues.extend(other.issues);
        self.elements += other.elements;
        let (own, more) = (&mut self.unmeasured, other.unmeasured);
        own.disabled += more.disabled;
        own.out_of_sight += more.out_of_sight;
        own.patterned += more.patterned;
        own.unclear += more.unclear;
        own.no_picture += more.no_picture;
        self.sort();
    }

    /// The worst first; those of one severity stay as they are found, which is by rule and in document order.
    pub(crate) fn sort(&mut self) {
        self.issues.sort_by_key(|issue| issue.rule.severity);
    }

    /// One line: what was found, how much was checked, and what was not.
    pub fn summary(&self) -> String {
        let checks: u64 = self.checks.iter().map(|(_, count)| u64::from(*count)).sum();
        let kinds: Vec<String> = Severity::ALL
            .iter()
            .filter_map(|severity| match self.count(*severity) {
                0 => None,
                count => Some(format!("{count} {}", severity.as_str())),
            })
            .collect();
        let found = match self.issues.len() {
            0 => "No issue".to_owned(),
            1 => format!("1 issue ({})", kinds.join(", ")),
            count => format!("{count} issues ({})", kinds.join(", ")),
        };
        let mut text =
            format!("{found}, score {}. {} elements, {checks} checks.", self.score(), self.elements);
        let Unmeasured { disabled, out_of_sight, patterned, unclear, no_picture } = self.unmeasured;
        let left_out: Vec<String> = [
            (out_of_sight, "not in sight"),
            (patterned, "on a picture"),
            (unclear, "not clear enough"),
            (no_picture, "without a picture of the window"),
            (disabled, "disabled and exempt"),
        ]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{count} {why}"))
        .collect();
        if !left_out.is_empty() {
            text.push_str(&format!(" Contrast not measured: {}.", left_out.join(", ")));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{CONTROL_NAME, NAME_MNEMONIC};
    use handeye_core::NodeId;

    fn issue(rule: &'static Rule) -> Issue {
        Issue {
            rule,
            node: NodeId::mint(),
            element: "button".into(),
            reference: None,
            bounds: None,
            description: String::new(),
            suggestion: String::new(),
        }
    }

    #[test]
    fn the_score_is_the_weighted_share_of_what_passes() {
        let mut report =
            Report { checks: vec![(&CONTROL_NAME, 4), (&NAME_MNEMONIC, 4)], ..Report::default() };
        assert_eq!((report.score(), report.passed()), (100, true));
        report.issues.push(issue(&NAME_MNEMONIC));
        assert_eq!(report.score(), 97, "11 of weight, 0.25 of it lost");
        report.issues.extend([issue(&CONTROL_NAME), issue(&CONTROL_NAME)]);
        assert_eq!(report.score(), 52);
        let many = Report {
            checks: vec![(&CONTROL_NAME, 1)],
            issues: vec![issue(&CONTROL_NAME); 3],
            ..Report::default()
        };
        assert_eq!(many.score(), 0);
        assert_eq!(Report::default().score(), 100, "nothing to check");
        let rare = Report {
            checks: vec![(&NAME_MNEMONIC, 10_000)],
            issues: vec![issue(&NAME_MNEMONIC)],
            ..Report::default()
        };
        assert_eq!(rare.score(), 99, "one issue is not a pass");
    }
}
