//! What the user of a desktop lets an agent do there: the mode, and the rules for single applications.
//!
//! Code that looks or acts asks here. What an application shows on the screen is not an input to any of it.

use crate::{Application, Owner, ProcessIdentity, Window};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// How much an agent may do at all (axterminator, section 13.2). A later one is tighter than those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecurityMode {
    /// Everything that the rules allow. A person is asked about what is risky, as far as one can be asked.
    #[default]
    Normal,
    /// A person has to confirm what is risky; scripts are off.
    Safe,
    /// Looking alone.
    Sandboxed,
}

impl SecurityMode {
    /// All of them, the loosest first.
    pub const ALL: [Self; 3] = [Self::Normal, Self::Safe, Self::Sandboxed];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Safe => "safe",
            Self::Sandboxed => "sandboxed",
        }
    }
}

impl fmt::Display for SecurityMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SecurityMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|mode| mode.as_str().eq_ignore_ascii_case(text.trim()));
        named.ok_or_else(|| format!("'{text}' is not a mode: normal, safe or sandboxed"))
    }
}

/// A rule of the user, as errors and records name it: `denied "1Password" (line 4 of /home/me/.config/handeye/security.toml)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule(Arc<str>);

impl Rule {
    /// The rule that is written so.
    pub fn new(spelled: impl Into<Arc<str>>) -> Self {
        Self(spelled.into())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the rules let be done to an application: nothing is restricted where there is no rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// It may be neither looked at nor acted on.
    pub denied: Option<Rule>,
    /// It may be looked at, and not acted on.
    pub read_only: Option<Rule>,
    /// A person is asked before each action on it.
    pub ask_first: Option<Rule>,
    /// What it copied is not read, and nothing is copied or pasted in it.
    pub no_clipboard: Option<Rule>,
}

impl Standing {
    /// What both let be done: of two rules for the same, the first one is named.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            denied: self.denied.or(other.denied),
            read_only: self.read_only.or(other.read_only),
            ask_first: self.ask_first.or(other.ask_first),
            no_clipboard: self.no_clipboard.or(other.no_clipboard),
        }
    }
}

/// Whom a rule is about: an application, the process of embedded elements, a window, or who copied something.
#[derive(Debug, Clone, Default)]
pub struct Subject<'a> {
    /// What it calls itself: names and classes. It can choose them, so they can only be held against it.
    pub names: Vec<&'a str>,
    /// What the system reports of its process.
    pub process: Option<&'a ProcessIdentity>,
}

impl<'a> From<&'a Application> for Subject<'a> {
    fn from(application: &'a Application) -> Self {
        let own = std::iter::once(application.name.as_str());
        Self {
            names: own.chain(application.bundle_id.as_deref()).collect(),
            process: application.process.as_ref(),
        }
    }
}

impl<'a> From<&'a Owner> for Subject<'a> {
    fn from(owner: &'a Owner) -> Self {
        Self { names: vec![&owner.name], process: owner.process.as_ref() }
    }
}

impl<'a> From<&'a Window> for Subject<'a> {
    fn from(window: &'a Window) -> Self {
        Self { names: window.class.as_deref().into_iter().collect(), process: None }
    }
}

/// The rules for single applications.
pub trait Rules: Send + Sync + fmt::Debug {
    /// Whether there is any rule; where there is none, nothing has to be judged.
    fn restrict(&self) -> bool;

    /// Whether there is any rule that could deny looking at an application; looking costs nothing where there is none.
    fn hide(&self) -> bool;

    /// What they let be done to this one.
    fn standing(&self, subject: &Subject<'_>) -> Standing;
}

/// No rules: every application may be looked at and acted on.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRules;

impl Rules for NoRules {
    fn restrict(&self) -> bool {
        false
    }

    fn hide(&self) -> bool {
        false
    }

    fn standing(&self, _subject: &Subject<'_>) -> Standing {
        Standing::default()
    }
}

/// What the user lets be done on a desktop, for one process of handeye. The mode can be tightened while it runs, and nothing else changes.
#[derive(Debug)]
pub struct Trust {
    mode: watch::Sender<SecurityMode>,
    rules: Arc<dyn Rules>,
    blocked: AtomicU64,
}

impl Default for Trust {
    fn default() -> Self {
        Self::new(SecurityMode::default(), Arc::new(NoRules))
    }
}

impl Trust {
    /// With this mode and these rules.
    pub fn new(mode: SecurityMode, rules: Arc<dyn Rules>) -> Self {
        Self { mode: watch::Sender::new(mode), rules, blocked: AtomicU64::new(0) }
    }

    /// The mode now.
    pub fn mode(&self) -> SecurityMode {
        *self.mode.borrow()
    }

    /// The mode, and whether it becomes another one.
    pub fn modes(&self) -> watch::Receiver<SecurityMode> {
        self.mode.subscribe()
    }

    /// Tightens the mode. A looser one than that of now changes nothing. Returns the mode that holds then.
    pub fn tighten(&self, mode: SecurityMode) -> SecurityMode {
        self.mode.send_if_modified(|now| {
            let is_tighter = mode > *now;
            *now = mode.max(*now);
            is_tighter
        });
        self.mode()
    }

    /// The rules.
    pub fn rules(&self) -> &Arc<dyn Rules> {
        &self.rules
    }

    /// What the rules let be done to this one.
    pub fn standing<'a>(&self, subject: impl Into<Subject<'a>>) -> Standing {
        self.rules.standing(&subject.into())
    }

    /// Whether what is about to be done has to be judged, whatever else is configured: a tighter mode or a rule may want a person asked.
    pub fn judges(&self) -> bool {
        self.mode() != SecurityMode::Normal || self.rules.restrict()
    }

    /// A call was blocked.
    pub fn note_blocked(&self) {
        self.blocked.fetch_add(1, Ordering::Relaxed);
    }

    /// How many calls were blocked so far.
    pub fn blocked(&self) -> u64 {
        self.blocked.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_can_only_be_tightened() {
        let trust = Trust::new(SecurityMode::Safe, Arc::new(NoRules));
        let mut modes = trust.modes();
        assert_eq!(trust.tighten(SecurityMode::Normal), SecurityMode::Safe);
        assert!(!modes.has_changed().expect("it is there"));
        assert_eq!(trust.tighten(SecurityMode::Sandboxed), SecurityMode::Sandboxed);
        assert!(modes.has_changed().expect("it is there"));
        assert_eq!(*modes.borrow_and_update(), SecurityMode::Sandboxed);
    }

    #[test]
    fn modes_are_read_by_their_names() {
        for mode in SecurityMode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert_eq!(" Safe ".parse(), Ok(SecurityMode::Safe));
        assert!("nromal".parse::<SecurityMode>().is_err() && "".parse::<SecurityMode>().is_err());
    }
}
