//! What an operation adds to the audit line and to the answer of its call, whatever its own answer is.

use handeye_core::Text;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Collects what belongs to one call. Cheap to clone: the clones are one.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    facts: Arc<Mutex<Facts>>,
}

/// What was collected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether a person confirmed the call; `None` if nobody was asked.
    pub confirmed: Option<bool>,
    /// Why the call is risky, by stable names such as `destructive_keyword`.
    pub flags: Vec<&'static str>,
    /// Sentences for the answer.
    pub notes: Vec<Text>,
    /// Sentences about what the user noticed, for the answer or the error.
    pub disturbances: Vec<Text>,
    /// Its actions, by their numbers in the caller's journal, in the order in which they were dispatched.
    pub actions: Vec<u64>,
}

impl Trail {
    /// The call is risky, and why.
    pub fn flag(&self, flag: &'static str) {
        let mut facts = self.lock();
        if !facts.flags.contains(&flag) {
            facts.flags.push(flag);
        }
    }

    /// A person was asked, and agreed or not.
    pub fn confirmed(&self, agreed: bool) {
        let mut facts = self.lock();
        // One no is a no, whatever else was agreed to.
        facts.confirmed = Some(agreed && facts.confirmed.unwrap_or(true));
    }

    /// A sentence for the answer.
    pub fn note(&self, note: impl Into<Text>) {
        self.lock().notes.push(note.into());
    }

    /// A sentence for the answer, unless it has that already.
    pub fn note_once(&self, note: impl Into<Text>) {
        let note = note.into();
        let mut facts = self.lock();
        if !facts.notes.contains(&note) {
            facts.notes.push(note);
        }
    }

    /// A sentence about what the user noticed. It is in the error too, if the call fails.
    pub fn disturbed(&self, sentence: impl Into<Text>) {
        self.lock().disturbances.push(sentence.into());
    }

    /// An action was dispatched; its number in the journal.
    pub fn acted(&self, number: u64) {
        self.lock().actions.push(number);
    }

    /// What was collected so far.
    pub fn facts(&self) -> Facts {
        self.lock().clone()
    }

    /// A poisoned lock is taken over: every change is one call that cannot leave it half done.
    fn lock(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
