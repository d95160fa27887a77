//! What was done: each action with the state before it, and how to take it back.

use super::route::Route;
use crate::effect::Status;
use handeye_core::{Extents, Node, NodeId, States};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// Most actions that are remembered; the oldest one is forgotten first.
const MOST: usize = 200;
/// Most text that is kept for all of them together, in bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Longest text that is kept in order to set it again, in characters.
pub const LONGEST_TEXT: u32 = 100_000;

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
        let text =
            node.details.text.known().filter(|text| !is_protected && !text.is_cut() && is_short(&text.shown));
        let kept = States::CHECKED | States::PRESSED | States::SELECTED | States::EXPANDED | States::MIXED;
        Self {
            text: text.map(|text| text.shown.to_string()),
            number: node.details.value.known().map(|value| value.current),
            states: node.states & kept,
        }
    }

    /// The same state without a text.
    #[must_use]
    pub fn without_text(self) -> Self {
        Self { text: None, ..self }
    }

    /// The same state with the whole text, where that was read by itself.
    #[must_use]
    pub fn with_text(self, text: String) -> Self {
        Self { text: Some(text).filter(|text| is_short(text)), ..self }
    }
}

fn is_short(text: &str) -> bool {
    text.chars().nth(LONGEST_TEXT as usize).is_none()
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

/// Where elements inside of what scrolls are: they show how far it is scrolled.
pub type Places = HashMap<NodeId, Extents>;

/// How an action is taken back.
#[derive(Clone, PartialEq)]
pub enum Revert {
    /// The text that was there is set again.
    SetText(String),
    /// The number that was there is set again.
    SetNumber(f64),
    /// A switch is switched again.
    Switch,
    /// The option that was chosen before is chosen again, if the one that the action chose still is.
    Choose {
        /// The label of the option that was chosen before.
        before: String,
        /// The label of the one that the action chose.
        after: String,
    },
    /// The wheel is turned back, if what it scrolled is where it left it.
    Wheel {
        /// Notches to the right.
        dx: i32,
        /// Notches down.
        dy: i32,
        /// Where the content was after the action.
        left: Places,
    },
    /// The selection is made as it was: selected or not.
    Select(bool),
    /// There is nothing to take back: the focus.
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
            Self::Choose { .. } => "Choose",
            Self::Wheel { .. } => "Wheel",
            Self::Select(true) => "Select",
            Self::Select(false) => "Deselect",
            Self::Nothing => "Nothing",
            Self::Impossible => "Impossible",
        })
    }
}

impl Revert {
    /// Sets the text again that an element held, if all of it is known.
    pub(super) fn text_of(before: Option<&ElementState>) -> Self {
        before.and_then(|state| state.text.clone()).map_or(Self::Impossible, Self::SetText)
    }

    /// Sets the number again that an element held.
    pub(super) fn number_of(before: Option<&ElementState>) -> Self {
        let number = before.and_then(|state| state.number);
        number.filter(|number| number.is_finite()).map_or(Self::Impossible, Self::SetNumber)
    }
}

/// What became of an action since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fate {
    /// Nobody tried to take it back.
    #[default]
    Stands,
    /// It was taken back.
    TakenBack,
    /// It was to be taken back, and could not be.
    Kept,
    /// It took another action back, and is itself not one to take back.
    TookBack,
}

/// One action that was dispatched.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its number, from 1 on; numbers are never used again.
    pub number: u64,
    /// The tool that was called for it.
    pub tool: &'static str,
    /// When it was over.
    pub at: SystemTime,
    /// The application, by name.
    pub application: String,
    /// Its process.
    pub pid: Option<u32>,
    /// The reference of the element that was named.
    pub reference: Option<String>,
    /// The reference of the element whose state is kept: the named one, or one around or inside of it.
    pub watched: Option<String>,
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
    /// What became of it since.
    pub fate: Fate,
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
    /// How much text they keep.
    bytes: usize,
}

/// How much text an entry keeps, in bytes.
fn bytes(entry: &Entry) -> usize {
    let of = |state: &Option<ElementState>| {
        state.as_ref().and_then(|state| state.text.as_ref()).map_or(0, String::len)
    };
    let again = if let Revert::SetText(text) = &entry.revert { text.len() } else { 0 };
    of(&entry.before) + of(&entry.after) + again
}

impl Journal {
    /// Writes an action down and returns its number.
    pub(super) fn write(&self, entry: Entry) -> u64 {
        let mut entries = self.entries();
        entries.written += 1;
        let number = entries.written;
        entries.bytes += bytes(&entry);
        entries.kept.push_back(Entry { number, ..entry });
        while entries.kept.len() > MOST || (entries.bytes > MOST_BYTES && entries.kept.len() > 1) {
            let Some(forgotten) = entries.kept.pop_front() else { break };
            entries.bytes -= bytes(&forgotten);
        }
        number
    }

    /// The latest actions, the newest first.
    pub fn latest(&self, most: usize) -> Vec<Entry> {
        self.entries().kept.iter().rev().take(most).cloned().collect()
    }

    /// The latest actions that stand, the newest first: what is taken back next.
    pub fn standing(&self, most: usize) -> Vec<Entry> {
        let entries = self.entries();
        entries.kept.iter().rev().filter(|entry| entry.fate == Fate::Stands).take(most).cloned().collect()
    }

    /// The action of this number, unless it was forgotten.
    pub fn entry(&self, number: u64) -> Option<Entry> {
        self.entries().kept.iter().find(|entry| entry.number == number).cloned()
    }

    /// Notes what became of an action. One that was forgotten meanwhile stays so.
    pub fn note_fate(&self, number: u64, fate: Fate) {
        if let Some(entry) = self.entries().kept.iter_mut().find(|entry| entry.number == number) {
            entry.fate = fate;
        }
    }

    /// How many actions were dispatched, those among them that were forgotten.
    pub fn written(&self) -> u64 {
        self.entries().written
    }

    /// How many of the remembered actions can be taken back.
    pub fn revertible(&self) -> usize {
        let can_be = |entry: &&Entry| {
            entry.fate == Fate::Stands && !matches!(entry.revert, Revert::Nothing | Revert::Impossible)
        };
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
            tool: "ax_set_value",
            at: SystemTime::UNIX_EPOCH,
            application: "Editor".into(),
            pid: Some(7),
            reference: None,
            watched: None,
            route: Route::Accessibility,
            before: None,
            after: None,
            status: Some(Status::Confirmed),
            revert: Revert::Nothing,
            fate: Fate::Stands,
        }
    }

    #[test]
    fn what_was_taken_back_or_kept_does_not_stand() {
        let journal = Journal::default();
        let numbers: Vec<u64> = (0..4).map(|_| journal.write(entry())).collect();
        journal.note_fate(numbers[3], Fate::TakenBack);
        journal.note_fate(numbers[1], Fate::Kept);
        journal.note_fate(99, Fate::Kept);
        let standing: Vec<u64> = journal.standing(9).iter().map(|entry| entry.number).collect();
        assert_eq!(standing, [3, 1]);
        assert_eq!(journal.entry(2).map(|entry| entry.fate), Some(Fate::Kept));
        assert_eq!(journal.written(), 4);
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
        assert!(!format!("{state:?} {:?}", Revert::text_of(Some(&state))).contains("secret"));
        tree.update(id, |node| node.states.insert(States::PROTECTED));
        assert_eq!(ElementState::of(tree.get(id).expect("a field")).text, None);
    }
}
