//! The rules of all sources together, and what they let be done to one application.

use crate::pattern::AppPattern;
use crate::source::Source;
use handeye_core::{Rule, Rules, Standing, Subject};
use std::collections::BTreeSet;
use std::fmt;

/// What a rule does with the applications that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Only these may be looked at and acted on.
    Allowed,
    /// These may be neither looked at nor acted on. It wins over everything.
    Denied,
    /// These may be looked at alone.
    ReadOnly,
    /// A person is asked before each action on these.
    AskFirst,
    /// What these copied is not read, and nothing is copied or pasted in them.
    NoClipboard,
}

impl Kind {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 5] =
        [Self::Allowed, Self::Denied, Self::ReadOnly, Self::AskFirst, Self::NoClipboard];

    /// Its key in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::ReadOnly => "read_only",
            Self::AskFirst => "ask_first",
            Self::NoClipboard => "no_clipboard",
        }
    }
}

/// One rule: an application in one of the lists, and where that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The list.
    pub kind: Kind,
    /// The application.
    pub pattern: AppPattern,
    /// Where it is written.
    pub source: Source,
}

/// As errors and `policy explain` name it.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\" ({})", self.kind.as_str(), self.pattern, self.source)
    }
}

impl Line {
    fn rule(&self) -> Rule {
        Rule::new(self.to_string())
    }
}

/// The rules of all sources together: each can only take away from what the others leave.
#[derive(Debug, Clone, Default)]
pub struct SecurityRules {
    lines: Vec<Line>,
}

impl SecurityRules {
    /// All rules there are, from wherever.
    pub fn new(lines: Vec<Line>) -> Self {
        Self { lines }
    }

    /// The rules, in the order in which they were read.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Those that have a say about this one.
    pub fn about<'a>(&'a self, subject: &'a Subject<'_>) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(|line| match line.kind {
            Kind::Allowed => line.pattern.allows(subject),
            _ => line.pattern.restricts(subject),
        })
    }

    /// The first rule of a list that restricts this one.
    fn restriction(&self, kind: Kind, subject: &Subject<'_>) -> Option<Rule> {
        let lines = self.lines.iter().filter(|line| line.kind == kind);
        lines.into_iter().find(|line| line.pattern.restricts(subject)).map(Line::rule)
    }

    /// Why this one is not among those that are allowed; `None` if it is, or nothing says who is. Every source that allows some has to
    /// allow it: a variable cannot allow what the file does not.
    fn not_allowed(&self, subject: &Subject<'_>) -> Option<Rule> {
        let lists = || self.lines.iter().filter(|line| line.kind == Kind::Allowed);
        let sources: BTreeSet<&str> = lists().map(|line| line.source.name()).collect();
        sources.into_iter().find_map(|source| {
            let mut lines = lists().filter(|line| line.source.name() == source);
            let is_allowed = lines.any(|line| line.pattern.allows(subject));
            (!is_allowed).then(|| Rule::new(format!("not in the list \"allowed\" of {source}")))
        })
    }
}

impl Rules for SecurityRules {
    fn restrict(&self) -> bool {
        !self.lines.is_empty()
    }

    fn hide(&self) -> bool {
        self.lines.iter().any(|line| matches!(line.kind, Kind::Allowed | Kind::Denied))
    }

    fn standing(&self, subject: &Subject<'_>) -> Standing {
        if self.lines.is_empty() {
            return Standing::default();
        }
        Standing {
            denied: self.restriction(Kind::Denied, subject).or_else(|| self.not_allowed(subject)),
            read_only: self.restriction(Kind::ReadOnly, subject),
            ask_first: self.restriction(Kind::AskFirst, subject),
            no_clipboard: self.restriction(Kind::NoClipboard, subject),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::ProcessIdentity;
    use proptest::prelude::*;

    fn rules(lines: &[(Kind, &str, &str)]) -> SecurityRules {
        let line = |(kind, pattern, source): &(Kind, &str, &str)| Line {
            kind: *kind,
            pattern: pattern.parse().expect("a pattern"),
            source: Source::Variable((*source).to_owned()),
        };
        SecurityRules::new(lines.iter().map(line).collect())
    }

    fn process(executable: &str) -> ProcessIdentity {
        ProcessIdentity {
            executable: Some(executable.into()),
            executable_is_here: true,
            ..ProcessIdentity::unverified(7)
        }
    }

    #[test]
    fn denied_wins_over_allowed_and_every_source_has_to_allow() {
        let calc = process("/usr/bin/calc");
        let subject = Subject { names: vec!["Calculator"], process: Some(&calc) };
        let denied = |lines: &[(Kind, &str, &str)]| {
            rules(lines).standing(&subject).denied.map(|rule| rule.to_string())
        };
        assert_eq!(denied(&[]), None);
        assert_eq!(denied(&[(Kind::Allowed, "exe:/usr/bin/calc", "A")]), None);
        let both = [(Kind::Allowed, "exe:/usr/bin/calc", "A"), (Kind::Denied, "Calculator", "B")];
        assert_eq!(denied(&both).as_deref(), Some("denied \"Calculator\" (B)"));
        let two = [(Kind::Allowed, "exe:/usr/bin/calc", "A"), (Kind::Allowed, "exe:/usr/bin/other", "B")];
        assert_eq!(denied(&two).as_deref(), Some("not in the list \"allowed\" of B"));
        let one_source =
            [(Kind::Allowed, "exe:/usr/bin/other", "A"), (Kind::Allowed, "exe:/usr/bin/calc", "A")];
        assert_eq!(denied(&one_source), None);
    }

    #[test]
    fn each_list_restricts_by_itself() {
        let mail = process("/usr/bin/mail");
        let subject = Subject { names: vec!["Mail"], process: Some(&mail) };
        for (kind, is_set) in [
            (Kind::ReadOnly, (|standing| standing.read_only.is_some()) as fn(&Standing) -> bool),
            (Kind::AskFirst, |standing| standing.ask_first.is_some()),
            (Kind::NoClipboard, |standing| standing.no_clipboard.is_some()),
        ] {
            let standing = rules(&[(kind, "mail", "A")]).standing(&subject);
            assert!(is_set(&standing) && standing.denied.is_none(), "{kind:?}");
            assert!(!rules(&[(kind, "mail", "A")]).hide());
        }
    }

    fn any_line() -> impl Strategy<Value = (Kind, &'static str, &'static str)> {
        let patterns = prop_oneof![
            Just("exe:/usr/bin/calc"),
            Just("exe:/usr/"),
            Just("calculator"),
            Just("flatpak:org.x"),
            Just("desktop:none"),
        ];
        (proptest::sample::select(&Kind::ALL[..]), patterns, prop_oneof![Just("A"), Just("B")])
    }

    proptest! {
        /// One more rule that allows none and one that denies some never lets more be done.
        #[test]
        fn a_restriction_only_takes_away(lines in proptest::collection::vec(any_line(), 0..8), more in any_line()) {
            prop_assume!(more.0 != Kind::Allowed);
            let calc = process("/usr/bin/calc");
            let subject = Subject { names: vec!["Calculator"], process: Some(&calc) };
            let before = rules(&lines).standing(&subject);
            let mut lines = lines;
            lines.push(more);
            let after = rules(&lines).standing(&subject);
            for (before, after) in [
                (&before.denied, &after.denied),
                (&before.read_only, &after.read_only),
                (&before.ask_first, &after.ask_first),
                (&before.no_clipboard, &after.no_clipboard),
            ] {
                prop_assert!(before.is_none() || after.is_some());
            }
        }
    }
}
