//! How many threads pictures may take: a picture alone uses the cores that are there, many pictures leave one of them
//! to the calls that read trees.

use handeye_core::{Error, Result};
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// The processor's cores.
static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
/// How many pictures are worked on at a time; more wait for their turn, in order.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(CORES.saturating_sub(1).max(1)));
/// Pictures that are worked on or wait.
static PICTURES: AtomicUsize = AtomicUsize::new(0);
/// Threads that help with one.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// One more, as long as this value lives.
struct Counted(&'static AtomicUsize);

impl Counted {
    fn new(counter: &'static AtomicUsize) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(counter)
    }

    /// Unless there are `most` of them.
    fn up_to(counter: &'static AtomicUsize, most: usize) -> Option<Self> {
        let more = |count| (count < most).then_some(count + 1);
        counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok().then(|| Self(counter))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Runs work of some milliseconds away from the threads that serve calls, when its turn has come.
pub async fn away<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let counted = Counted::new(&PICTURES);
    let turn = TURNS.acquire().await.map_err(|_| Error::internal("no more pictures are encoded"))?;
    // Turn and count go with the work: it runs to its end even when no caller waits for it any more.
    let work = move || {
        let result = work();
        drop((turn, counted));
        result
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Error::internal(format!("the picture's thread ended early: {error}")))?
}

/// Does both, at the same time where a core is idle and no other picture waits for it.
pub(super) fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl FnOnce() -> B + Send) -> (A, B) {
    let alone = PICTURES.load(Ordering::Relaxed) <= 1;
    let helper = if alone { Counted::up_to(&HELPERS, CORES.saturating_sub(1)) } else { None };
    let Some(helper) = helper else { return (one(), other()) };
    std::thread::scope(|scope| {
        let other = scope.spawn(move || {
            let result = other();
            drop(helper);
            result
        });
        let one = one();
        (one, other.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Does `work` for each of `0..count` and returns the results in that order; see [`both`].
pub(super) fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    // A thread that is done takes the next: pieces of a picture take very different times.
    let some = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        numbers.take_while(|number| *number < count).map(|number| (number, work(number))).collect::<Vec<_>>()
    };
    let mut results = if count > 1 {
        let (mut one, other) = both(some, some);
        one.extend(other);
        one
    } else {
        some()
    };
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// [`each`] for the encoder of PNG.
pub(super) struct Shared;

impl handeye_png::Threads for Shared {
    fn for_each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        each(count, work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn results_come_in_order_and_each_once() {
        for count in [0, 1, 2, 37] {
            assert_eq!(
                each(count, |number| number * 2),
                (0..count).map(|number| number * 2).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn a_panic_is_passed_on_and_the_helper_given_back() {
        let panicked = std::panic::catch_unwind(|| both(|| (), || panic!("of the other half")));
        assert!(panicked.is_err());
        assert_eq!(both(|| 1, || 2), (1, 2));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_more_pictures_are_worked_on_than_leave_a_core() {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let pictures = (0..12).map(|_| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            away(move || {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(2));
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        });
        futures_util::future::try_join_all(pictures).await.expect("all done");
        assert!(most.load(Ordering::SeqCst) <= CORES.saturating_sub(1).max(1));
    }
}
