//! Pictures that a client's model looks at: its answer may come with another run of the call, and is about that picture.

use super::sight::{Attempt, Picture};
use handeye_core::Numbers;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many are kept; each may take some megabytes.
const MOST: usize = 8;
/// How long a client may take to come back.
const KEPT_FOR: Duration = Duration::from_secs(600);

/// The searches of one caller that wait for its model.
#[derive(Debug, Default)]
pub struct Searches {
    numbers: Numbers,
    waiting: Mutex<VecDeque<Search>>,
}

#[derive(Debug)]
struct Search {
    number: u64,
    since: Instant,
    picture: Picture,
    attempts: Vec<Attempt>,
}

impl Searches {
    /// Those of another caller, who has none yet. No number of the one is ever a number of the other.
    #[must_use]
    pub fn of_another_caller(&self) -> Self {
        Self { numbers: self.numbers.clone(), waiting: Mutex::default() }
    }

    /// Keeps a search and what was tried in it; the oldest is forgotten where there are many.
    pub(super) fn keep(&self, picture: &Picture, attempts: &[Attempt]) -> u64 {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.numbers.next();
        waiting.retain(|search| search.since.elapsed() < KEPT_FOR);
        if waiting.len() >= MOST {
            waiting.pop_front();
        }
        let (picture, attempts) = (picture.clone(), attempts.to_vec());
        waiting.push_back(Search { number, since: Instant::now(), picture, attempts });
        number
    }

    /// The search of that number. It stays: a call may be run again once more, for another question.
    pub(super) fn kept(&self, number: u64) -> Option<(Picture, Vec<Attempt>)> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let search = waiting.iter().find(|search| search.number == number)?;
        (search.since.elapsed() < KEPT_FOR).then(|| (search.picture.clone(), search.attempts.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::{Frame, Rect};
    use std::sync::Arc;

    #[test]
    fn the_oldest_is_forgotten_and_never_mistaken() {
        let searches = Searches::default();
        let picture = |width: u32| Picture {
            frame: Arc::new(Frame::new(Rect::new(0, 0, width, 0), Vec::new())),
            window: None,
            windows: Arc::default(),
            scale: 1.0,
        };
        let numbers: Vec<u64> = (1..=MOST as u32 + 1).map(|n| searches.keep(&picture(n), &[])).collect();
        assert!(searches.kept(numbers[0]).is_none() && searches.kept(999).is_none());
        for (n, number) in numbers.iter().enumerate().skip(1) {
            let (kept, _) = searches.kept(*number).expect("kept");
            assert_eq!(kept.frame.size().width as usize, n + 1);
        }
    }
}
