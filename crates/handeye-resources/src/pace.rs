//! How often something may be done: at once after a rest, and ever less often while it goes on without one.

use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Keeps a distance between one time and the next. It doubles while the next follows right after it, up to the longest, and is the
/// shortest again after a rest as long as that: one change is reported at once, and a thousand in a second cost a few looks.
#[derive(Debug)]
pub(super) struct Pace {
    shortest: Duration,
    longest: Duration,
    distance: Duration,
    last: Option<Instant>,
}

impl Pace {
    /// A pace between these two distances.
    pub(super) const fn between(shortest: Duration, longest: Duration) -> Self {
        Self { shortest, longest, distance: shortest, last: None }
    }

    /// Waits until it may be done again, and counts that as having been done.
    pub(super) async fn step(&mut self) {
        let Some(last) = self.last else {
            self.last = Some(Instant::now());
            return;
        };
        if last.elapsed() > self.longest {
            self.distance = self.shortest;
        } else {
            sleep_until(last + self.distance).await;
            self.distance = (self.distance * 2).min(self.longest);
        }
        self.last = Some(Instant::now());
    }

    /// Keeps a longer distance for once: what was done took that long.
    pub(super) fn took(&mut self, cost: Duration) {
        /// What it may take of the time, as one part of so many.
        const SHARE: u32 = 4;
        self.distance = self.distance.max((cost * SHARE).min(self.longest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_rest_makes_it_quick_again() {
        let ms = Duration::from_millis;
        let mut pace = Pace::between(ms(10), ms(80));
        let begun = Instant::now();
        let mut times = Vec::new();
        for _ in 0..7 {
            pace.step().await;
            times.push(begun.elapsed().as_millis());
        }
        assert_eq!(times, [0, 10, 30, 70, 150, 230, 310]);
        tokio::time::sleep(ms(500)).await;
        let rested = Instant::now();
        pace.step().await;
        pace.step().await;
        assert_eq!(rested.elapsed(), ms(10));
        pace.took(ms(15));
        pace.step().await;
        assert_eq!(rested.elapsed(), ms(70));
    }
}
