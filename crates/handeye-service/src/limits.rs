//! How much one caller may ask for: calls, calls at a time, models, scripts, questions to the person (axterminator, section 13.5).
//!
//! Each caller has meters of its own, so one that runs away costs the others nothing.

use crate::metered::{MeteredVision, metered_client};
use crate::meters::{Meters, counted};
use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::Engine;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

pub use crate::meters::Limits;

/// Most callers whose meters are kept. The ones without a call under way make room: at the worst, their minute begins again.
const MOST_CALLERS: usize = 256;
/// When a call may be tried again for which there was no place.
const A_PLACE_LATER: Duration = Duration::from_millis(100);
/// The operation that runs scripts.
const SCRIPT: &str = "ax_run_script";

/// The place of a call among those that run at a time. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Counted {
    _place: Option<OwnedSemaphorePermit>,
}

/// The limits of a process, and what each caller has asked for.
pub(crate) struct Limiter {
    limits: Limits,
    callers: Mutex<HashMap<Caller, Arc<Meters>>>,
}

impl Limiter {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, callers: Mutex::default() }
    }

    /// What this caller has asked for. A poisoned lock is taken over: every change under it is one step.
    fn meters(&self, caller: &Caller) -> Arc<Meters> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(meters) = callers.get(caller) {
            return Arc::clone(meters);
        }
        if callers.len() >= MOST_CALLERS {
            callers.retain(|_, meters| !meters.is_idle(&self.limits));
        }
        let meters = Arc::new(Meters::new(&self.limits));
        callers.insert(caller.clone(), Arc::clone(&meters));
        meters
    }

    /// Counts a call that came from outside.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimitExceeded`] if it is one too many.
    pub(crate) fn admit(&self, engine: &Engine, tool: &str) -> Result<Counted> {
        let meters = self.meters(&engine.caller);
        let limits = &self.limits;
        let place = Arc::clone(&meters.places)
            .try_acquire_owned()
            .map_err(|_| Error::limited(&format!("{} calls at a time", limits.at_a_time), A_PLACE_LATER))?;
        counted(&meters.calls_of_second)
            .map_err(|wait| Error::limited(&format!("{} calls a second", limits.per_second), wait))?;
        counted(&meters.calls_of_minute)
            .map_err(|wait| Error::limited(&format!("{} calls a minute", limits.per_minute), wait))?;
        if tool == SCRIPT {
            meters.scripts.count()?;
        }
        Ok(Counted { _place: Some(place) })
    }

    /// Counts a call that another one makes, which has a place already. It waits for its turn instead of failing: a workflow must not break off
    /// in the middle for being quick.
    ///
    /// # Errors
    /// [`ErrorCode::RateLimitExceeded`] if its turn does not come before it has to be over.
    pub(crate) async fn admit_inner(&self, engine: &Engine, tool: &str, call: &Call) -> Result<Counted> {
        let meters = self.meters(&engine.caller);
        for limiter in [&meters.calls_of_second, &meters.calls_of_minute] {
            while let Err(wait) = counted(limiter) {
                if wait >= call.remaining() {
                    return Err(Error::limited("calls of this caller", wait));
                }
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = call.cancelled.cancelled() => {
                        return Err(Error::new(ErrorCode::Cancelled, "the client cancelled the call"));
                    }
                }
            }
        }
        if tool == SCRIPT {
            meters.scripts.count()?;
        }
        Ok(Counted { _place: None })
    }

    /// Counts the questions that a call asks: to models, and to the person.
    pub(crate) fn meter(&self, engine: &mut Engine, call: &mut Call) {
        let meters = self.meters(&engine.caller);
        engine.vision = Arc::new(MeteredVision::new(Arc::clone(&engine.vision), Arc::clone(&meters)));
        call.client = Arc::new(metered_client(Arc::clone(&call.client), meters));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_fake::FakeDesktop;
    use std::num::NonZeroU32;

    const fn number(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).expect("not 0")
    }

    fn engine(caller: Caller) -> Engine {
        Engine::new(FakeDesktop::with([]).platform(), caller)
    }

    fn limiter(limits: Limits) -> Limiter {
        Limiter::new(limits)
    }

    #[test]
    fn a_caller_that_runs_away_costs_the_others_nothing() {
        let limiter = limiter(Limits { per_second: number(3), ..Limits::default() });
        let (greedy, other) = (engine(Caller::STDIO), engine(Caller::TERMINAL));
        let results: Vec<_> = (0..10).map(|_| limiter.admit(&greedy, "ax_find").map(drop)).collect();
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3);
        let error = results.into_iter().find_map(Result::err).expect("one too many");
        assert_eq!(error.code, ErrorCode::RateLimitExceeded);
        assert!(error.retry_after_ms.is_some_and(|wait| (1..=1_000).contains(&wait)), "{error:?}");
        assert!(limiter.admit(&other, "ax_find").is_ok());
    }

    #[test]
    fn places_are_free_again_when_calls_have_ended() {
        let limiter = limiter(Limits { at_a_time: number(2), ..Limits::default() });
        let caller = engine(Caller::STDIO);
        let held = (limiter.admit(&caller, "ax_find"), limiter.admit(&caller, "ax_find"));
        assert!(held.0.is_ok() && held.1.is_ok());
        assert!(limiter.admit(&caller, "ax_find").is_err());
        drop(held);
        assert!(limiter.admit(&caller, "ax_find").is_ok());
    }

    #[test]
    fn scripts_are_counted_by_themselves() {
        let limiter = limiter(Limits { scripts_per_minute: number(1), ..Limits::default() });
        let caller = engine(Caller::STDIO);
        assert!(limiter.admit(&caller, SCRIPT).is_ok());
        assert!(
            limiter.admit(&caller, SCRIPT).is_err_and(|error| error.message.contains("1 scripts a minute"))
        );
        assert!(limiter.admit(&caller, "ax_find").is_ok());
    }

    #[test]
    fn no_more_callers_are_remembered_than_there_is_room_for() {
        let limiter = limiter(Limits::default());
        for number in 0..2 * MOST_CALLERS {
            let caller = Caller::of_socket(1, &number.to_string()).expect("short");
            drop(limiter.meters(&caller));
        }
        assert!(limiter.callers.lock().expect("sound").len() <= MOST_CALLERS);
    }
}
