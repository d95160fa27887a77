//! What one caller has asked for lately, and how much that may be.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use handeye_core::{Error, Result};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// How much one caller may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls in a second.
    pub per_second: NonZeroU32,
    /// Calls in a minute.
    pub per_minute: NonZeroU32,
    /// Calls at a time.
    pub at_a_time: NonZeroU32,
    /// Questions to models in a minute, those to the client's own model too.
    pub models_per_minute: NonZeroU32,
    /// Scripts in a minute.
    pub scripts_per_minute: NonZeroU32,
    /// Questions to the person in a minute.
    pub questions_per_minute: NonZeroU32,
}

const fn number(number: u32) -> NonZeroU32 {
    match NonZeroU32::new(number) {
        Some(number) => number,
        None => NonZeroU32::MIN,
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            per_second: number(50),
            per_minute: number(1_000),
            at_a_time: number(10),
            models_per_minute: number(10),
            scripts_per_minute: number(5),
            questions_per_minute: number(30),
        }
    }
}

/// What one caller has asked for lately.
pub(crate) struct Meters {
    pub(crate) calls_of_second: DefaultDirectRateLimiter,
    pub(crate) calls_of_minute: DefaultDirectRateLimiter,
    pub(crate) places: Arc<Semaphore>,
    pub(crate) models: Meter,
    pub(crate) questions: Meter,
    pub(crate) scripts: Meter,
}

/// Counts one kind of thing.
pub(crate) struct Meter {
    limiter: DefaultDirectRateLimiter,
    /// What is counted, as an error names it.
    what: String,
}

impl Meter {
    fn per_minute(most: NonZeroU32, what: &str) -> Self {
        Self {
            limiter: RateLimiter::direct(Quota::per_minute(most)),
            what: format!("{most} {what} a minute"),
        }
    }

    /// Counts one more.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimitExceeded`] if that is one too many.
    pub(crate) fn count(&self) -> Result<()> {
        counted(&self.limiter).map_err(|wait| Error::limited(&self.what, wait))
    }
}

/// Counts one more, or returns how long to wait until one more is possible.
pub(crate) fn counted(limiter: &DefaultDirectRateLimiter) -> Result<(), Duration> {
    limiter.check().map_err(|until| until.wait_time_from(DefaultClock::default().now()))
}

impl Meters {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            calls_of_second: RateLimiter::direct(Quota::per_second(limits.per_second)),
            calls_of_minute: RateLimiter::direct(Quota::per_minute(limits.per_minute)),
            places: Arc::new(Semaphore::new(limits.at_a_time.get() as usize)),
            models: Meter::per_minute(limits.models_per_minute, "questions to models"),
            questions: Meter::per_minute(limits.questions_per_minute, "questions to the person"),
            scripts: Meter::per_minute(limits.scripts_per_minute, "scripts"),
        }
    }

    pub(crate) fn is_idle(&self, limits: &Limits) -> bool {
        self.places.available_permits() == limits.at_a_time.get() as usize
    }
}
