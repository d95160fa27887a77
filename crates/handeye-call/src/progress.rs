//! How far a call has come, for a client that asked for progress.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// How far a call has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// How many of its parts are done. It rises from step to step.
    pub done: u32,
    /// How many there are, where that is known.
    pub total: Option<u32>,
    /// What happens now.
    pub message: String,
}

/// Takes the steps of one call; drops them without a listener.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<dyn Fn(Step) + Send + Sync>>,
    count: Arc<Mutex<Count>>,
}

/// What was reported, so that the parts that an operation counts and steps without a count make one rising row.
#[derive(Debug, Default)]
struct Count {
    /// The step that was reported last.
    last: u32,
    /// How many steps were reported before the operation began to count.
    before: u32,
    /// Whether the operation counts.
    counted: bool,
}

impl Progress {
    /// Passes the steps to `listener`, which must not block.
    pub fn to(listener: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(listener)), count: Arc::default() }
    }

    /// The same progress, whose steps are changed by `change` before they reach the listener. What was counted so far goes on.
    #[must_use]
    pub fn through(&self, change: impl Fn(&mut Step) + Send + Sync + 'static) -> Self {
        let listener = self.listener.clone().map(|listener| {
            let changed = move |mut step: Step| {
                change(&mut step);
                listener(step);
            };
            Arc::new(changed) as Arc<dyn Fn(Step) + Send + Sync>
        });
        Self { listener, count: Arc::clone(&self.count) }
    }

    /// Reports that `done` of `total` parts are done and what happens now.
    pub fn report(&self, done: u32, total: u32, message: impl Into<String>) {
        let Some(listener) = &self.listener else { return };
        let step = {
            let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
            let done = count.before.saturating_add(done);
            count.last = count.last.max(done);
            count.counted = true;
            Step { done, total: Some(count.before.saturating_add(total)), message: message.into() }
        };
        listener(step);
    }

    /// Reports what happens now in a call with an unknown number of parts.
    pub fn note(&self, message: impl Into<String>) {
        let Some(listener) = &self.listener else { return };
        let step = {
            let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
            count.last = count.last.saturating_add(1);
            count.before = count.last;
            Step { done: count.last, total: None, message: message.into() }
        };
        listener(step);
    }

    /// Passes on a step of another call's.
    pub fn pass(&self, step: Step) {
        if let Some(listener) = &self.listener {
            listener(step);
        }
    }

    /// Whether the operation counts its parts.
    pub fn is_counted(&self) -> bool {
        self.count.lock().unwrap_or_else(PoisonError::into_inner).counted
    }

    /// Whether there is a listener.
    pub fn has_listener(&self) -> bool {
        self.listener.is_some()
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.has_listener() { "Progress(told)" } else { "Progress(not asked for)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_and_counted_parts_make_one_rising_row() {
        let steps: Arc<Mutex<Vec<Step>>> = Arc::default();
        let reported = Arc::clone(&steps);
        let progress = Progress::to(move |step| reported.lock().expect("not poisoned").push(step));
        progress.note("connecting");
        progress.report(1, 2, "first");
        progress.note("waiting");
        progress.report(2, 2, "second");
        let steps = steps.lock().expect("not poisoned");
        let row: Vec<(u32, Option<u32>)> = steps.iter().map(|step| (step.done, step.total)).collect();
        assert!(row.is_sorted_by(|a, b| a.0 < b.0), "{row:?}");
        assert!(row.iter().all(|(done, total)| total.is_none_or(|total| *done <= total)), "{row:?}");
    }
}
