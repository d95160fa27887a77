//! What a call does now, and where its time goes: reported by the few places that all operations come through, so that no operation
//! has to pass it along.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

tokio::task_local! {
    static RUNNING: Arc<Running>;
}

/// One running call.
#[derive(Debug, Default)]
pub struct Running {
    state: Mutex<Activity>,
}

/// What a call does now, and where its time went so far.
#[derive(Debug, Default)]
struct Activity {
    doing: Option<String>,
    accessibility: Clock,
    vision: Clock,
}

/// Time during which at least one of several things went on.
#[derive(Debug, Default)]
struct Clock {
    under_way: u32,
    since: Option<Instant>,
    total: Option<Duration>,
}

impl Clock {
    fn begin(&mut self) {
        if self.under_way == 0 {
            self.since = Some(Instant::now());
        }
        self.under_way += 1;
    }

    fn end(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
        if self.under_way == 0
            && let Some(since) = self.since.take()
        {
            self.total = Some(self.total.unwrap_or_default() + since.elapsed());
        }
    }
}

/// Whose time it is.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Accessibility,
    Vision,
}

impl Activity {
    fn clock(&mut self, whose: Whose) -> &mut Clock {
        match whose {
            Whose::Accessibility => &mut self.accessibility,
            Whose::Vision => &mut self.vision,
        }
    }
}

/// Ends a measurement, also when what is measured is dropped.
struct Measured {
    running: Arc<Running>,
    whose: Whose,
}

impl Drop for Measured {
    fn drop(&mut self) {
        self.running.state().clock(self.whose).end();
    }
}

impl Running {
    /// Runs a call that reports what it does to `self`.
    pub async fn scope<T>(self: &Arc<Self>, call: impl Future<Output = T>) -> T {
        RUNNING.scope(Arc::clone(self), call).await
    }

    /// What it does now.
    pub fn doing(&self) -> Option<String> {
        self.state().doing.clone()
    }

    /// How long it waited for the accessibility tree, if it did.
    pub fn accessibility(&self) -> Option<Duration> {
        self.state().accessibility.total
    }

    /// How long it waited for a model that looks at pictures, if it did.
    pub fn vision(&self) -> Option<Duration> {
        self.state().vision.total
    }

    /// A poisoned lock is taken over: every change is one call that cannot leave it half done.
    fn state(&self) -> MutexGuard<'_, Activity> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says what the call does now that this runs in.
pub fn doing(what: impl FnOnce() -> String) {
    // Outside of a call there is no listener.
    RUNNING.try_with(|running| running.state().doing = Some(what())).unwrap_or_default();
}

/// Counts the time of `work` as the accessibility tree's.
pub async fn in_accessibility<T>(work: impl Future<Output = T>) -> T {
    measured(Whose::Accessibility, work).await
}

/// Counts the time of `work` as that of a model that looks at pictures.
pub async fn in_vision<T>(work: impl Future<Output = T>) -> T {
    measured(Whose::Vision, work).await
}

async fn measured<T>(whose: Whose, work: impl Future<Output = T>) -> T {
    let _measured = RUNNING
        .try_with(|running| {
            running.state().clock(whose).begin();
            Measured { running: Arc::clone(running), whose }
        })
        .ok();
    work.await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn time_that_goes_side_by_side_counts_once() {
        let running: Arc<Running> = Arc::default();
        let second = || in_accessibility(sleep(Duration::from_secs(1)));
        running.scope(async { tokio::join!(second(), second()) }).await;
        assert_eq!(running.accessibility(), Some(Duration::from_secs(1)));
        assert_eq!(running.vision(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_dropped_counts_until_then() {
        let running: Arc<Running> = Arc::default();
        let work = running.scope(in_vision(sleep(Duration::from_secs(9))));
        assert!(tokio::time::timeout(Duration::from_secs(2), work).await.is_err());
        assert_eq!(running.vision(), Some(Duration::from_secs(2)));
    }

    #[tokio::test]
    async fn outside_of_a_call_nobody_listens() {
        doing(|| "something".to_owned());
        assert_eq!(in_accessibility(async { 7 }).await, 7);
    }
}
