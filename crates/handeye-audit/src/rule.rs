//! The rules, each with its criterion, and which of them a standard requires.

use serde::Serialize;

/// How much an issue hinders people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Somebody cannot use the element at all.
    Critical,
    /// Somebody can hardly use it.
    Serious,
    /// Somebody is slowed down.
    Moderate,
    /// It is untidy.
    Minor,
}

impl Severity {
    /// Every severity, the worst first.
    pub const ALL: [Self; 4] = [Self::Critical, Self::Serious, Self::Moderate, Self::Minor];

    /// Its name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Serious => "serious",
            Self::Moderate => "moderate",
            Self::Minor => "minor",
        }
    }

    /// How much a rule of it counts in the score.
    pub const fn weight(self) -> u32 {
        match self {
            Self::Critical => 10,
            Self::Serious => 7,
            Self::Moderate => 3,
            Self::Minor => 1,
        }
    }
}

/// A level of conformance of WCAG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Level {
    /// The minimum.
    A,
    /// What laws ask for.
    AA,
    /// The highest.
    AAA,
}

/// What is audited against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standard {
    /// WCAG 2.2, level A.
    WcagA,
    /// WCAG 2.2, levels A and AA.
    WcagAa,
    /// WCAG 2.2, all levels.
    WcagAaa,
    /// Section 508 of the Rehabilitation Act (revised 2017): WCAG 2.0, levels A and AA.
    Section508,
}

impl Standard {
    /// Whether it requires what a rule checks.
    pub fn requires(self, rule: &Rule) -> bool {
        match self {
            Self::WcagA => rule.level == Level::A,
            Self::WcagAa => rule.level <= Level::AA,
            Self::WcagAaa => true,
            Self::Section508 => rule.level <= Level::AA && rule.since == "2.0",
        }
    }

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::WcagA => "WCAG 2.2 A",
            Self::WcagAa => "WCAG 2.2 AA",
            Self::WcagAaa => "WCAG 2.2 AAA",
            Self::Section508 => "Section 508",
        }
    }
}

/// One rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id in answers, for example `control-name`.
    pub id: &'static str,
    /// What it requires, in one sentence.
    pub title: &'static str,
    /// The WCAG criterion that it checks: `4.1.2`.
    pub criterion: &'static str,
    /// The name of that criterion.
    pub criterion_name: &'static str,
    /// The part of the address of its explanation.
    pub page: &'static str,
    /// The level of that criterion.
    pub level: Level,
    /// The version of WCAG that introduced it.
    pub since: &'static str,
    /// How much a failure hinders.
    pub severity: Severity,
}

impl Rule {
    /// The address of the explanation of its criterion.
    pub fn address(&self) -> String {
        format!("https://www.w3.org/WAI/WCAG22/Understanding/{}", self.page)
    }
}

macro_rules! rules {
    ($($constant:ident: $id:literal, $title:literal, $criterion:literal $name:literal $page:literal, $level:ident $since:literal, $severity:ident;)+) => {
        $(pub(crate) static $constant: Rule = Rule {
            id: $id,
            title: $title,
            criterion: $criterion,
            criterion_name: $name,
            page: $page,
            level: Level::$level,
            since: $since,
            severity: Severity::$severity,
        };)+
        /// Every rule, in the order of the documentation.
        pub static RULES: &[&Rule] = &[$(&$constant),+];
    };
}

rules! {
    CONTROL_NAME: "control-name", "A control has an accessible name.", "4.1.2" "Name, Role, Value" "name-role-value", A "2.0", Critical;
    LINK_NAME: "link-name", "A link has an accessible name.", "2.4.4" "Link Purpose (In Context)" "link-purpose-in-context", A "2.0", Serious;
    IMAGE_NAME: "image-name", "A picture that is not decoration has a text alternative.", "1.1.1" "Non-text Content" "non-text-content", A "2.0", Serious;
    WINDOW_TITLE: "window-title", "A window has a title.", "2.4.2" "Page Titled" "page-titled", A "2.0", Serious;
    LABEL_RELATION: "label-relation", "A label that is shown beside a field is connected with it.", "1.3.1" "Info and Relationships" "info-and-relationships", A "2.0", Serious;
    NAME_MEANING: "name-meaning", "A name is words, not a symbol of an icon font, punctuation or a file name.", "2.4.6" "Headings and Labels" "headings-and-labels", AA "2.0", Moderate;
    NAME_UNIQUE: "name-unique", "Buttons side by side have different names.", "2.4.6" "Headings and Labels" "headings-and-labels", AA "2.0", Moderate;
    NAME_MNEMONIC: "name-mnemonic", "The mark of a mnemonic is not part of a label.", "2.4.6" "Headings and Labels" "headings-and-labels", AA "2.0", Minor;
    CONTROL_ROLE: "control-role", "What can be pressed has the role of a control.", "4.1.2" "Name, Role, Value" "name-role-value", A "2.0", Serious;
    KEYBOARD: "keyboard", "A control can be reached with the keyboard.", "2.1.1" "Keyboard" "keyboard", A "2.0", Critical;
    FOCUS_ORDER: "focus-order", "The order of the elements is the order in which they are read.", "2.4.3" "Focus Order" "focus-order", A "2.0", Moderate;
    CONTRAST: "contrast", "Text differs enough from its background: 4.5:1, large text 3:1.", "1.4.3" "Contrast (Minimum)" "contrast-minimum", AA "2.0", Serious;
    CONTRAST_ENHANCED: "contrast-enhanced", "Text differs clearly from its background: 7:1, large text 4.5:1.", "1.4.6" "Contrast (Enhanced)" "contrast-enhanced", AAA "2.0", Moderate;
    TARGET_SIZE: "target-size", "A target is at least 24 by 24 logical pixels, or has that much room.", "2.5.8" "Target Size (Minimum)" "target-size-minimum", AA "2.2", Moderate;
    TARGET_SIZE_ENHANCED: "target-size-enhanced", "A target is at least 44 by 44 logical pixels.", "2.5.5" "Target Size (Enhanced)" "target-size-enhanced", AAA "2.1", Minor;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_requires_its_levels() {
        let required = |standard: Standard| RULES.iter().filter(|rule| standard.requires(rule)).count();
        assert!(RULES.iter().all(|rule| Standard::WcagAaa.requires(rule)));
        assert!(required(Standard::WcagA) < required(Standard::WcagAa));
        assert!(Standard::WcagAa.requires(&TARGET_SIZE) && !Standard::Section508.requires(&TARGET_SIZE));
        assert!(!Standard::WcagA.requires(&CONTRAST) && Standard::Section508.requires(&CONTRAST));
        assert!(!Standard::WcagAa.requires(&CONTRAST_ENHANCED));
    }

    #[test]
    fn ids_are_unique() {
        let ids: std::collections::HashSet<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), RULES.len());
    }
}
