//! What happens at the will of strangers is logged now and then: each line of theirs would push one of ours out of the log.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long there is one line at most.
const BETWEEN: Duration = Duration::from_secs(10);

/// Counts what is not logged.
#[derive(Debug, Default)]
pub(super) struct Seldom {
    /// When it was logged last, and how often it has happened since.
    state: Mutex<(Option<Instant>, u64)>,
}

impl Seldom {
    /// Notes that it happened once more. How often it has since the last line, if it is time for one.
    pub(super) fn note(&self) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 += 1;
        if state.0.is_some_and(|last| last.elapsed() < BETWEEN) {
            return None;
        }
        let times = state.1;
        *state = (Some(Instant::now()), 0);
        Some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_is_logged_and_the_others_are_counted() {
        let seldom = Seldom::default();
        assert_eq!(seldom.note(), Some(1));
        assert!((0..50).all(|_| seldom.note().is_none()));
        tokio::time::advance(BETWEEN).await;
        assert_eq!(seldom.note(), Some(51));
        assert_eq!(seldom.note(), None);
    }
}
