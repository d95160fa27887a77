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
    since: Instant,
    work: Work,
}

/// What a thread does for a read.
type Work = Box<dyn FnOnce() + Send>;

struct Running {
    pid: u32,
    since: Instant,
    /// Whether its thread takes those that wait when it is done.
    in_turn: bool,
    /// Whether nobody waits for it any more, as it took too long.
    given_up: bool,
}

impl Running {
    fn is_stuck(&self) -> bool {
        self.given_up || self.since.elapsed() >= DEADLINE
    }
}

impl Reads {
    /// A read of this process. `None` of one that does not let itself be read, and where nothing more is read for a long time.
    fn admit(&mut self, pid: u32, work: Work) -> Option<Read> {
        let is_stuck = self.running.values().any(|read| read.pid == pid && read.is_stuck());
        let is_full = !self.has_place() && self.running.values().all(Running::is_stuck);
        if is_stuck || is_full || self.waiting.len() >= MOST_WAITING {
            tracing::debug!(pid, is_full, "a process is not read");
            return None;
        }
        self.started += 1;
        Some(Read { number: self.started, pid, since: Instant::now(), work })
    }

    /// Whether one more may run.
    fn has_place(&self) -> bool {
        self.running.len() < MOST_AT_A_TIME
    }

    /// Notes that a read runs from now on.
    fn begin(&mut self, read: Read, in_turn: bool) -> Begun {
        let Read { number, pid, work, .. } = read;
        self.running.insert(number, Running { pid, since: Instant::now(), in_turn, given_up: false });
        Begun { place: Place(number), work }
    }

    /// The read that waits first and can begin: of one process there is one at a time.
    fn next(&mut self) -> Option<Begun> {
        let is_free = |read: &Read| self.running.values().all(|running| running.pid != read.pid);
        let first = self.waiting.iter().position(is_free)?;
        let read = self.waiting.remove(first)?;
        Some(self.begin(read, true))
    }

    /// The next read, where it needs a thread of its own: no thread will take it soon, or it has waited too long for that.
    fn due(&mut self) -> Option<Begun> {
        let soon = self.running.values().any(|read| read.in_turn && read.since.elapsed() < TURN);
        let is_late = self.waiting.front().is_some_and(|read| read.since.elapsed() >= TURN);
        if self.has_place() && (!soon || is_late) { self.next() } else { None }
    }

    /// Lets a read be for which nobody waits any more.
    fn forget(&mut self, number: u64) {
        self.waiting.retain(|read| read.number != number);
    }

    /// The same of one that took too long.
    fn give_up(&mut self, number: u64) {
        if let Some(running) = self.running.get_mut(&number) {
            tracing::debug!(pid = running.pid, "a process does not let itself be read");
            running.given_up = true;
        } else if let Some(waiting) = self.waiting.iter().find(|read| read.number == number) {
            tracing::debug!(pid = waiting.pid, "a process was not read in time");
        }
    }
}

/// A read that has its place.
struct Begun {
    place: Place,
    work: Work,
}

impl Begun {
    /// Runs on a thread of its own; those that wait run after it where they share that. Not to be called while the reads are locked: a thread
    /// that cannot be had gives the place back.
    fn start(self, in_turn: bool) {
        tokio::task::spawn_blocking(move || {
            let mut next = Some(self);
            while let Some(Begun { place, work }) = next {
                work();
                drop(place);
                next = if in_turn { reads().next() } else { None };
            }
        });
    }
}

/// The place of a read that runs. It is free when this ends, after a panic as well.
struct Place(u64);

impl Drop for Place {
    fn drop(&mut self) {
        reads().running.remove(&self.0);
    }
}

/// The caller that waits for a read. Where that ends before, the read does not begin any more.
struct Waiter(u64);

impl Drop for Waiter {
    fn drop(&mut self) {
        reads().forget(self.0);
    }
}

/// Gives threads to reads that are due.
fn attend() {
    let due = reads().due();
    if let Some(begun) = due {
        begun.start(true);
    }
}

/// Reads about a process after those reads that came before, for which `look` must not wait on purpose. The default if that takes longer than
/// half a second.
pub(super) async fn in_turn<T: Default + Send + 'static>(
    pid: u32,
    look: impl FnOnce(u32) -> T + Send + 'static,
) -> T {
    let (work, answer) = work(pid, look);
    let waiter = {
        let mut reads = reads();
        let Some(read) = reads.admit(pid, work) else { return T::default() };
        let waiter = Waiter(read.number);
        reads.waiting.push_back(read);
        waiter
    };
    in_time(waiter, answer, attend).await.unwrap_or_default()
}

/// Reads about a process on a thread of its own, where `look` may wait. The default if it takes longer than half a second.
pub(super) async fn alone<T: Default + Send + 'static>(
    pid: u32,
    look: impl FnOnce(u32) -> T + Send + 'static,
) -> T {
    let (work, answer) = work(pid, look);
    let (waiter, begun) = {
        let mut reads = reads();
        let admitted = if reads.has_place() { reads.admit(pid, work) } else { None };
        let Some(read) = admitted else { return T::default() };
        (Waiter(read.number), reads.begin(read, false))
    };
    begun.start(false);
    in_time(waiter, answer, || ()).await.unwrap_or_default()
}

/// A read as a thread runs it, and where its answer comes.
fn work<T: Send + 'static>(
    pid: u32,
    look: impl FnOnce(u32) -> T + Send + 'static,
) -> (Work, oneshot::Receiver<T>) {
    let (found, answer) = oneshot::channel();
    let work = move || {
        if found.send(look(pid)).is_err() {
            tracing::trace!(pid, "nobody waits any more for what was read about a process");
        }
    };
    (Box::new(work), answer)
}

/// The answer, if it comes in time. `attend` is called at first and while it does not come.
async fn in_time<T>(waiter: Waiter, mut answer: oneshot::Receiver<T>, attend: impl Fn()) -> Option<T> {
    let begun = Instant::now();
    while let Some(left) = DEADLINE.checked_sub(begun.elapsed()) {
        attend();
        match timeout(left.min(TURN), &mut answer).await {
            Ok(Ok(found)) => return Some(found),
            Ok(Err(_)) => {
                tracing::warn!(number = waiter.0, "what is read about a process failed");
                return None;
            }
            Err(_) => {}
        }
    }
    reads().give_up(waiter.0);
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
    async fn slow_reads_do_not_take_the_time_of_those_behind_them() {
        let slow = (0..60).map(|other| {
            in_turn(STUCK - 2000 - other, |pid| {
                std::thread::sleep(Duration::from_millis(15));
                pid
            })
        });
        let read = futures_util::future::join_all(slow).await;
        assert!(!read.contains(&0), "one of them took too long: {read:?}");
    }

    #[tokio::test]
    async fn one_process_does_not_take_all_places() {
        let (release, held) = mpsc::channel::<()>();
        let first = tokio::spawn(in_turn(STUCK - 3000, move |_| held.recv().is_ok()));
        while !reads().running.values().any(|read| read.pid == STUCK - 3000) {
            tokio::task::yield_now().await;
        }
        let all = (0..200).map(|_| in_turn(STUCK - 3000, |_| true));
        let other = in_turn(STUCK - 3001, |_| true);
        let (all, other) = futures_util::future::join(futures_util::future::join_all(all), other).await;
        assert!(other && !all.contains(&true), "those of the same process wait for the first one");
        release.send(()).expect("it waits");
        assert!(!first.await.expect("it ends"));
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
