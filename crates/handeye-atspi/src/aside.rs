//! Reads about processes on other threads.
//!
//! A file in `/proc` that lies in the memory of a process, or in a file system of its own, decides how long reading takes, and may never
//! answer. Short reads share one thread: to wake one for each takes longer than the read. One that does not answer keeps its thread, and
//! those behind it get another one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a read may take.
const DEADLINE: Duration = Duration::from_millis(500);
/// How long a read holds up those behind it.
const TURN: Duration = Duration::from_millis(20);
/// Most reads at a time. A process that does not let itself be read takes a place for good.
const MOST_AT_A_TIME: usize = 64;
/// Most reads that wait for a thread.
const MOST_WAITING: usize = 4096;

static READS: Mutex<Reads> =
    Mutex::new(Reads { waiting: VecDeque::new(), running: BTreeMap::new(), started: 0 });

/// Held for moments only. Every change is one step, so a poisoned lock is taken over.
fn reads() -> MutexGuard<'static, Reads> {
    READS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The reads that wait or run.
struct Reads {
    waiting: VecDeque<Read>,
    /// By their numbers.
    running: BTreeMap<u64, Running>,
    /// How many there were so far.
    started: u64,
}

struct Read {
    number: u64,
    pid: u32,
    work: Box<dyn FnOnce() + Send>,
}

struct Running {
    pid: u32,
    since: Instant,
    /// Whether its thread takes those that wait when it is done.
    in_turn: bool,
    /// Whether nobody waits for it any more, as it took too long.
    given_up: bool,
}

impl Running {
    fn new(pid: u32, in_turn: bool) -> Self {
        Self { pid, since: Instant::now(), in_turn, given_up: false }
    }
}

impl Reads {
    /// A number for a read of this process. `None` of one that does not let itself be read, and where too many are read already.
    fn admit(&mut self, pid: u32) -> Option<u64> {
        let is_stuck =
            |read: &Running| read.pid == pid && (read.given_up || read.since.elapsed() >= DEADLINE);
        if self.running.values().any(is_stuck) || self.waiting.len() >= MOST_WAITING {
            return None;
        }
        self.started += 1;
        Some(self.started)
    }

    /// Runs a read on a thread of its own; it takes a place until it ends.
    fn start(&mut self, read: Read, in_turn: bool) {
        self.running.insert(read.number, Running::new(read.pid, in_turn));
        tokio::task::spawn_blocking(move || run(read, in_turn));
    }

    /// Whether one more may run.
    fn has_place(&self) -> bool {
        self.running.len() < MOST_AT_A_TIME
    }

    /// Gives a thread to the read that waits first, unless one will take it soon.
    fn attend(&mut self) {
        let soon = |read: &Running| read.in_turn && read.since.elapsed() < TURN;
        if self.has_place()
            && !self.running.values().any(soon)
            && let Some(read) = self.waiting.pop_front()
        {
            self.start(read, true);
        }
    }

    /// Lets a read be that took too long.
    fn give_up(&mut self, number: u64) {
        self.waiting.retain(|read| read.number != number);
        if let Some(running) = self.running.get_mut(&number) {
            tracing::debug!(pid = running.pid, "a process does not let itself be read");
            running.given_up = true;
        }
    }

    /// The read that waits first, which runs from now on.
    fn next(&mut self) -> Option<Read> {
        let read = self.waiting.pop_front()?;
        self.running.insert(read.number, Running::new(read.pid, true));
        Some(read)
    }
}

/// Runs a read, and those that wait after it where its thread is shared.
fn run(first: Read, in_turn: bool) {
    let mut next = Some(first);
    while let Some(read) = next {
        let place = Place(read.number);
        (read.work)();
        drop(place);
        next = if in_turn { reads().next() } else { None };
    }
}

/// The place of a read that runs. It is free when this ends, after a panic as well.
struct Place(u64);

impl Drop for Place {
    fn drop(&mut self) {
        reads().running.remove(&self.0);
    }
}

/// Reads about a process after those reads that came before; `look` must not wait. The default if it takes longer than half a second.
pub(super) async fn in_turn<T: Default + Send + 'static>(
    pid: u32,
    look: impl FnOnce(u32) -> T + Send + 'static,
) -> T {
    let (work, answer) = work(pid, look);
    let Some(number) = reads().admit(pid) else { return T::default() };
    reads().waiting.push_back(Read { number, pid, work });
    in_time(number, answer, || reads().attend()).await.unwrap_or_default()
}

/// Reads about a process on a thread of its own, where `look` may wait. The default if it takes longer than half a second.
pub(super) async fn alone<T: Default + Send + 'static>(
    pid: u32,
    look: impl FnOnce(u32) -> T + Send + 'static,
) -> T {
    let (work, answer) = work(pid, look);
    let number = {
        let mut reads = reads();
        let Some(number) = reads.admit(pid).filter(|_| reads.has_place()) else { return T::default() };
        reads.start(Read { number, pid, work }, false);
        number
    };
    in_time(number, answer, || ()).await.unwrap_or_default()
}

/// A read as a thread runs it, and where its answer comes.
fn work<T: Send + 'static>(
    pid: u32,
    look: impl FnOnce(u32) -> T + Send + 'static,
) -> (Box<dyn FnOnce() + Send>, oneshot::Receiver<T>) {
    let (found, answer) = oneshot::channel();
    let work = move || {
        if found.send(look(pid)).is_err() {
            tracing::trace!(pid, "nobody waits any more for what was read about a process");
        }
    };
    (Box::new(work), answer)
}

/// The answer to the read of this number, if it comes in time. `attend` is called at first and while it does not come.
async fn in_time<T>(number: u64, mut answer: oneshot::Receiver<T>, attend: impl Fn()) -> Option<T> {
    let begun = Instant::now();
    while let Some(left) = DEADLINE.checked_sub(begun.elapsed()) {
        attend();
        match timeout(left.min(TURN), &mut answer).await {
            Ok(Ok(found)) => return Some(found),
            Ok(Err(_)) => {
                tracing::warn!(number, "what is read about a process failed");
                return None;
            }
            Err(_) => {}
        }
    }
    reads().give_up(number);
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Processes that no system has, so that tests do not meet on the reads of all.
    const STUCK: u32 = u32::MAX;

    #[tokio::test]
    async fn one_that_does_not_answer_holds_up_no_other_one() {
        let (release, held) = mpsc::channel::<()>();
        let (answer, is_over) = oneshot::channel();
        let stuck = tokio::spawn(in_turn(STUCK, move |_| {
            held.recv().expect("it is released");
            answer.send(()).expect("the test waits for it");
            true
        }));
        let others: Vec<u32> = (1..=100).collect();
        let read = others.iter().map(|other| in_turn(STUCK - other, |pid| pid));
        let read = futures_util::future::join_all(read).await;
        assert_eq!(read, others.iter().map(|other| STUCK - other).collect::<Vec<_>>());
        assert!(!stuck.await.expect("it ends"), "it is given up");
        assert!(!in_turn(STUCK, |_| true).await, "it is not tried again while it does not answer");
        assert!(!alone(STUCK, |_| true).await, "nor on a thread of its own");
        release.send(()).expect("it waits");
        is_over.await.expect("it answers in the end");
        let is_read = async {
            while !in_turn(STUCK, |_| true).await {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(60), is_read).await.expect("it is read as any other");
    }

    #[tokio::test]
    async fn a_read_that_panics_is_the_default_and_takes_no_place() {
        let pid = STUCK - 1000;
        assert_eq!(in_turn::<Option<u32>>(pid, |_| panic!("on purpose")).await, None);
        assert_eq!(in_turn(pid, Some).await, Some(pid));
        let is_free = async {
            while reads().running.values().any(|read| read.pid == pid) {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(60), is_free).await.expect("its place is free");
    }
}
