//! What was done: each action with the state before it, and how to take it back.

use super::route::Route;
use crate::effect::Status;
use handeye_core::{Node, States};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Most actions that are remembered; the oldest one is forgotten first.
const MOST: usize = 200;
/// Longest text that is kept in order to set it again, in bytes.
const LONGEST_TEXT: usize = 100_000;

/// The state of an element that an action may change. Never holds what a protected field contains.
#[derive(Clone, PartialEq, Default)]
pub struct ElementState {
    /// Its whole text.
    pub text: Option<String>,
    /// Its number.
    pub number: Option<f64>,
    /// Whether it is checked, pressed or selected.
    pub states: States,
}

impl ElementState {
    /// The state of an element as it was read.
    pub fn of(node: &Node) -> Self {
        let is_protected = node.states.contains(States::PROTECTED);
        let text = node
            .details
            .text
            .known()
            .filter(|text| !is_protected && !text.is_cut() && text.shown.len() <= LONGEST_TEXT);
        let kept = States::CHECKED | States::PRESSED | States::SELECTED | States::EXPANDED | States::MIXED;
        Self {
            text: text.map(|text| text.shown.to_string()),
            number: node.details.value.known().map(|value| value.current),
            states: node.states & kept,
        }
    }
}

/// What an element holds is nobody's business in a log.
impl fmt::Debug for ElementState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElementState")
            .field("text_bytes", &self.text.as_ref().map(String::len))
            .field("has_number", &self.number.is_some())
            .field("states", &self.states)
            .finish()
    }
}

/// How an action is taken back.
#[derive(Clone, PartialEq)]
pub enum Revert {
    /// The text that was there is set again.
    SetText(String),
    /// The number that was there is set again.
    SetNumber(f64),
    /// A switch is switched again.
    Switch,
    /// The selection is made as it was: selected or not.
    Select(bool),
    /// There is nothing to take back: the focus, a scroll position.
    Nothing,
    /// It cannot be taken back.
    Impossible,
}

impl fmt::Debug for Revert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SetText(_) => "SetText",
            Self::SetNumber(_) => "SetNumber",
            Self::Switch => "Switch",
            Self::Select(true) => "Select",
            Self::Select(false) => "Deselect",
            Self::Nothing => "Nothing",
            Self::Impossible => "Impossible",
        })
    }
}

impl Revert {
    /// Sets the text again that an element held, if all of it is known.
    pub(super) fn text_of(before: Option<&Node>) -> Self {
        before.and_then(|node| ElementState::of(node).text).map_or(Self::Impossible, Self::SetText)
    }

    /// Sets the number again that an element held.
    pub(super) fn number_of(before: Option<&Node>) -> Self {
        let number = before.and_then(|node| ElementState::of(node).number);
        number.filter(|number| number.is_finite()).map_or(Self::Impossible, Self::SetNumber)
    }
}

/// One action that was dispatched.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its number, from 1 on; numbers are never used again.
    pub number: u64,
    /// When it was over.
    pub at: SystemTime,
    /// The application, by name.
    pub application: String,
    /// Its process.
    pub pid: Option<u32>,
    /// The reference of the element that was named.
    pub reference: Option<String>,
    /// By which way it went.
    pub route: Route,
    /// The watched element before.
    pub before: Option<ElementState>,
    /// The same element after, unless it is gone.
    pub after: Option<ElementState>,
    /// Whether its effect was seen; `None` if the effect could not be judged.
    pub status: Option<Status>,
    /// How to take it back.
    pub revert: Revert,
}

/// The actions of one caller, the newest last.
#[derive(Debug, Default)]
pub struct Journal {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    written: u64,
    kept: VecDeque<Entry>,
}

impl Journal {
    /// Writes an action down and returns its number.
    pub(super) fn write(&self, entry: Entry) -> u64 {
        let mut entries = self.entries();
        entries.written += 1;
        let number = entries.written;
        if entries.kept.len() >= MOST {
            entries.kept.pop_front();
        }
        entries.kept.push_back(Entry { number, ..entry });
        number
    }

    /// The latest actions, the newest first.
    pub fn latest(&self, most: usize) -> Vec<Entry> {
        self.entries().kept.iter().rev().take(most).cloned().collect()
    }

    /// How many actions were written down, the forgotten ones included.
    pub fn written(&self) -> u64 {
        self.entries().written
    }

    /// How many of the remembered actions can be taken back.
    pub fn revertible(&self) -> usize {
        let can_be = |entry: &&Entry| !matches!(entry.revert, Revert::Nothing | Revert::Impossible);
        self.entries().kept.iter().filter(can_be).count()
    }

    /// A poisoned lock is taken over: every change is one call that cannot leave it half done.
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::{named, tree};

    fn entry() -> Entry {
        Entry {
            number: 0,
            at: SystemTime::UNIX_EPOCH,
            application: "Editor".into(),
            pid: Some(7),
            reference: None,
            route: Route::Accessibility,
            before: None,
            after: None,
            status: Some(Status::Confirmed),
            revert: Revert::Nothing,
        }
    }

    #[test]
    fn the_newest_come_first_and_numbers_are_never_used_again() {
        let journal = Journal::default();
        for expected in 1..=MOST as u64 + 5 {
            assert_eq!(journal.write(entry()), expected);
        }
        let numbers: Vec<u64> = journal.latest(2).iter().map(|entry| entry.number).collect();
        assert_eq!(numbers, [205, 204]);
        assert_eq!(journal.latest(1_000).len(), MOST);
        assert_eq!((journal.written(), journal.revertible()), (205, 0));
        journal.write(Entry { revert: Revert::Switch, ..entry() });
        journal.write(Entry { revert: Revert::Impossible, ..entry() });
        assert_eq!((journal.written(), journal.revertible()), (207, 1));
    }

    #[test]
    fn a_protected_text_is_not_kept_and_no_text_is_logged() {
        let mut tree = tree("window \"Main\"\n  textbox \"Name\": \"secret\"");
        let id = named(&tree, "Name");
        let state = ElementState::of(tree.get(id).expect("a field"));
        assert_eq!(state.text.as_deref(), Some("secret"));
        assert!(
            !format!("{state:?} {:?}", Revert::text_of(tree.get(id).map(|node| &**node))).contains("secret")
        );
        tree.update(id, |node| node.states.insert(States::PROTECTED));
        assert_eq!(ElementState::of(tree.get(id).expect("a field")).text, None);
    }
}
