//! Workflows that wait for the answer to a question: how far they have come, so that no step is done twice.

use crate::report::StepReport;
use handeye_core::{Error, Numbers};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most workflows of one caller that wait; the oldest is forgotten first, and cannot go on.
const MOST: usize = 32;

/// How far a workflow has come.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// The steps that were tried.
    pub reports: Vec<StepReport>,
    /// What they answered.
    pub answers: Vec<Value>,
    /// Their actions: the step, from 0 on, and the number in the journal, in the order in which they were dispatched.
    pub actions: Vec<(usize, u64)>,
    /// How often the step was tried that is next.
    pub attempts: u32,
    /// How many questions were asked.
    pub questions: u32,
    /// What distinguishes the file that it was read from, if it was: it is read again when the workflow goes on.
    pub source: Option<u64>,
    /// The error of the step whose failure ended it; what its steps did is being taken back.
    pub failed: Option<Error>,
}

/// The workflows of one caller that wait for an answer.
#[derive(Debug, Default)]
pub struct Suspended {
    numbers: Numbers,
    kept: Mutex<VecDeque<(u64, Progress)>>,
}

impl Suspended {
    /// Those of another caller, who has none. No number of the one is ever a number of the other.
    #[must_use]
    pub fn of_another_caller(&self) -> Self {
        Self { numbers: self.numbers.clone(), ..Self::default() }
    }

    /// The number of a workflow that begins.
    pub fn begin(&self) -> u64 {
        self.numbers.next()
    }

    /// Keeps one until its question is answered.
    pub fn keep(&self, number: u64, progress: Progress) {
        let mut kept = self.kept();
        if kept.len() >= MOST {
            kept.pop_front();
        }
        kept.push_back((number, progress));
    }

    /// Takes one out, to go on with it.
    pub fn take(&self, number: u64) -> Option<Progress> {
        let mut kept = self.kept();
        let index = kept.iter().position(|(known, _)| *known == number)?;
        kept.remove(index).map(|(_, progress)| progress)
    }

    /// A poisoned lock is taken over: every change is one call.
    fn kept(&self) -> MutexGuard<'_, VecDeque<(u64, Progress)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_goes_on_once_and_the_oldest_is_forgotten() {
        let suspended = Suspended::default();
        let numbers: Vec<u64> = (0..=MOST).map(|_| suspended.begin()).collect();
        for number in &numbers {
            suspended.keep(*number, Progress::default());
        }
        assert!(suspended.take(numbers[0]).is_none());
        assert!(suspended.take(numbers[1]).is_some());
        assert!(suspended.take(numbers[1]).is_none());
    }
}
