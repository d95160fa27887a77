//! Connections that have not come with a valid token yet: few, and not for long. Every program that reaches the port can open connections, so
//! these take no place of those that have come with one.

use super::metrics::Present;
use handeye_call::caller::Caller;
use prometheus_client::metrics::gauge::Gauge;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Most connections that have come with a valid token. With the newcomers below half of the 1,024 open files that a process may have by
/// default.
pub(super) const MAX_CONNECTIONS: usize = 448;
/// Most of one caller, so that none takes the places of all others.
pub(super) const MAX_OF_CALLER: usize = MAX_CONNECTIONS / 2;
/// Most that have not yet: the one that has been waiting longest makes room for one more.
const MAX_NEWCOMERS: usize = 64;
/// How long a newcomer has for all of its first request's headers, its TLS handshake included.
pub(super) const FIRST_REQUEST: Duration = Duration::from_secs(10);

/// The connections of a server, by whether they have come with a valid token.
#[derive(Debug)]
pub(super) struct Newcomers {
    waiting: Mutex<Waiting>,
    places: Arc<Semaphore>,
    /// How many each caller has.
    callers: Mutex<HashMap<Caller, usize>>,
    most: usize,
    most_of_caller: usize,
    /// How many there are, and how many of them have come with a valid token.
    counts: (Gauge, Gauge),
}

#[derive(Debug, Default)]
struct Waiting {
    begun: u64,
    /// By their number, which rises: the oldest first.
    newcomers: BTreeMap<u64, CancellationToken>,
}

impl Default for Newcomers {
    fn default() -> Self {
        Self::counted(Gauge::default(), Gauge::default())
    }
}

impl Newcomers {
    /// Nobody yet. How many there are is counted, and how many of them have come with a valid token.
    pub(super) fn counted(open: Gauge, authenticated: Gauge) -> Self {
        Self { counts: (open, authenticated), ..Self::at_most(MAX_NEWCOMERS, MAX_CONNECTIONS, MAX_OF_CALLER) }
    }

    fn at_most(newcomers: usize, connections: usize, of_caller: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            places: Arc::new(Semaphore::new(connections)),
            callers: Mutex::default(),
            most: newcomers,
            most_of_caller: of_caller,
            counts: Default::default(),
        }
    }

    /// A share of the places for a caller, if it may have one more.
    fn share(self: &Arc<Self>, caller: &Caller) -> Option<Share> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let count = callers.entry(caller.clone()).or_default();
        if *count >= self.most_of_caller {
            return None;
        }
        *count += 1;
        Some(Share { newcomers: Arc::clone(self), caller: caller.clone() })
    }

    /// Takes in a connection.
    pub(super) fn admit(self: &Arc<Self>) -> Standing {
        let mut waiting = self.waiting();
        while waiting.newcomers.len() >= self.most {
            let Some((_, oldest)) = waiting.newcomers.pop_first() else { break };
            oldest.cancel();
        }
        let number = waiting.begun;
        waiting.begun += 1;
        let displaced = CancellationToken::new();
        waiting.newcomers.insert(number, displaced.clone());
        let kept = Kept {
            newcomers: Arc::clone(self),
            number,
            displaced,
            proven: CancellationToken::new(),
            place: OnceLock::new(),
            _open: Present::of(&self.counts.0),
        };
        Standing(Arc::new(kept))
    }

    /// A poisoned lock is taken over: every change is one call.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the places of a caller, for as long as it lives.
#[derive(Debug)]
struct Share {
    newcomers: Arc<Newcomers>,
    caller: Caller,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut callers = self.newcomers.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = callers.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                callers.remove(&self.caller);
            }
        }
    }
}

/// Whether a connection has come with a valid token. Its clones are one.
#[derive(Debug, Clone)]
pub(super) struct Standing(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    newcomers: Arc<Newcomers>,
    number: u64,
    /// Cancelled when it has to make room.
    displaced: CancellationToken,
    /// Cancelled when it came with a valid token.
    proven: CancellationToken,
    place: OnceLock<(Share, OwnedSemaphorePermit, Present)>,
    _open: Present,
}

impl Standing {
    /// It came with a valid token of this caller. Whether there is a place for it.
    pub(super) fn prove(&self, caller: &Caller) -> bool {
        let kept = &self.0;
        if kept.place.get().is_some() {
            return true;
        }
        let Some(share) = kept.newcomers.share(caller) else { return false };
        let Ok(place) = Arc::clone(&kept.newcomers.places).try_acquire_owned() else { return false };
        // One that another request of it was given at the same moment goes back.
        drop(kept.place.set((share, place, Present::of(&kept.newcomers.counts.1))));
        kept.newcomers.waiting().newcomers.remove(&kept.number);
        kept.proven.cancel();
        true
    }

    /// Returns when it has to end for not having come with a valid token, and never if it has.
    pub(super) async fn overdue(&self) {
        let Kept { proven, displaced, .. } = self.0.as_ref();
        tokio::select! {
            biased;
            () = proven.cancelled() => std::future::pending().await,
            () = displaced.cancelled() => {}
            () = tokio::time::sleep(FIRST_REQUEST) => {}
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.newcomers.waiting().newcomers.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{Instant, timeout};

    const MOMENT: Duration = Duration::from_millis(1);

    async fn is_overdue(standing: &Standing) -> bool {
        timeout(MOMENT, standing.overdue()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_newcomer_makes_room_and_who_has_proven_stays() {
        let newcomers = Arc::new(Newcomers::at_most(2, 2, 2));
        let (proven, first, second) = (newcomers.admit(), newcomers.admit(), newcomers.admit());
        assert!(proven.prove(&Caller::HTTP_TOKEN) && proven.prove(&Caller::HTTP_TOKEN));
        let third = newcomers.admit();
        assert!(is_overdue(&first).await);
        assert!(!is_overdue(&second).await && !is_overdue(&third).await && !is_overdue(&proven).await);
        drop(second);
        let fourth = newcomers.admit();
        assert!(!is_overdue(&third).await && !is_overdue(&fourth).await, "one that left had freed its place");
        assert_eq!(newcomers.waiting().newcomers.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_newcomer_has_ten_seconds_and_one_that_proved_itself_has_no_end() {
        let newcomers = Arc::new(Newcomers::default());
        let standing = newcomers.admit();
        let began = Instant::now();
        standing.overdue().await;
        assert_eq!(began.elapsed().as_secs(), FIRST_REQUEST.as_secs());
        let other = newcomers.admit();
        assert!(other.prove(&Caller::HTTP_TOKEN));
        assert!(timeout(FIRST_REQUEST * 2, other.overdue()).await.is_err());
    }

    #[tokio::test]
    async fn places_are_bounded_and_come_back() {
        let newcomers = Arc::new(Newcomers::at_most(4, 2, 1));
        let (one, other) = (Caller::HTTP_TOKEN, Caller::STDIO);
        let (first, second, third) = (newcomers.admit(), newcomers.admit(), newcomers.admit());
        assert!(first.prove(&one) && !second.prove(&one), "one for each caller");
        assert!(third.prove(&other), "the places of one are not those of another");
        drop((first, third));
        assert!(second.prove(&one));
        let all = Arc::new(Newcomers::at_most(4, 1, 1));
        let (first, second) = (all.admit(), all.admit());
        assert!(first.prove(&one) && !second.prove(&other), "one in all");
        drop(first);
        assert!(second.prove(&other));
        drop(second);
        assert!(all.callers.lock().expect("sound").is_empty());
    }
}
