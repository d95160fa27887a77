//! What is known of the last read after which a mirror was true.

use super::on_screen::OnScreen;
use super::process::shows_windows;
use super::rest::Rest;
use handeye_core::{DrawingWatch, Scope};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::OnceCell;

/// How long an application is asked for samples only before all is read again. A page that is busy for more than a second shows what was scrolled
/// before that is in the tree.
const BELIEVED_FOR: Duration = Duration::from_secs(15);

/// How old the last read without trust in what is announced may be when a whole read begins. So a model that looks again later gets what is
/// true, also of an application that never ceases to draw.
const THOROUGH_AFTER: Duration = Duration::from_secs(2);

/// What is known of an application at rest.
#[derive(Default)]
pub(super) struct Stillness {
    drawings: Option<Arc<dyn DrawingWatch>>,
    /// The process that makes the tree, where that is the one on the bus.
    process: OnceCell<Option<u32>>,
    last: Mutex<Option<TrueRead>>,
    /// How often something was found to have changed outside of a whole read.
    doubts: AtomicU64,
    screen: Mutex<OnScreen>,
    /// When all that shows was read last without trust in what is announced. Its details are read when they are asked for next.
    thorough: Mutex<Option<Instant>>,
}

/// A read after which the mirror was true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrueRead {
    pub(super) ended: Instant,
    pub(super) scope: Scope,
    pub(super) contacts: Contacts,
    /// `None` where the application did not rest, or that was not looked at.
    pub(super) rest: Option<Rest>,
    /// Whether what is announced was not trusted in it.
    pub(super) is_thorough: bool,
    /// Whether only a sample was read again since all was, before it rested.
    pub(super) is_sampled: bool,
    pub(super) drawn: u64,
    /// When all of it was read, where nothing had been drawn for long enough when that began.
    pub(super) settled: Option<Instant>,
}

/// What came from an application, and went to it, so far, and how often it was found to have changed outside of a whole read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contacts {
    pub(super) calls: u64,
    pub(super) events: u64,
    pub(super) doubts: u64,
}

/// What had come from an application, and what it had drawn, when a read began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    /// When it began.
    pub(super) time: Instant,
    pub(super) events: u64,
    pub(super) doubts: u64,
    /// `None` where that is not known.
    pub(super) drawn: Option<u64>,
    /// Whether nothing had been drawn for long enough by then that all of what was drawn before is in the tree.
    pub(super) is_settled: bool,
    /// Whether what is announced is not trusted in this read.
    pub(super) is_thorough: bool,
}

impl Stillness {
    /// Of an application whose windows the process `shown_by` is known to show.
    pub(super) fn noticing(drawings: Option<Arc<dyn DrawingWatch>>, shown_by: Option<u32>) -> Self {
        Self { drawings, process: OnceCell::new_with(shown_by.map(Some)), ..Self::default() }
    }

    /// Begins to notice what the application draws, whose process on the bus is `pid`.
    pub(super) async fn prepare(&self, pid: Option<u32>) {
        self.last_drawn(pid).await;
    }

    /// The number of the last thing that the application drew; `None` where that is not known.
    pub(super) async fn last_drawn(&self, pid: Option<u32>) -> Option<u64> {
        let drawings = self.drawings.as_ref()?;
        let drawn = drawings.last_drawn(self.process_of_tree(pid).await?).await;
        drawn.unwrap_or_else(|error| {
            tracing::debug!(%error, "what is drawn is not noticed");
            None
        })
    }

    /// The process that makes the tree, where that is the one on the bus, `pid`.
    pub(super) async fn process_of_tree(&self, pid: Option<u32>) -> Option<u32> {
        let look = async {
            let pid = pid?;
            shows_windows(pid).await.then_some(pid)
        };
        *self.process.get_or_init(|| look).await
    }

    /// Records that something was found to have changed outside of a whole read: what that finds is true no more, nor what one on its way will.
    pub(super) fn note_doubt(&self) {
        self.doubts.fetch_add(1, Ordering::SeqCst);
        *self.last() = None;
    }

    /// How often something was found to have changed so.
    pub(super) fn doubts(&self) -> u64 {
        self.doubts.load(Ordering::SeqCst)
    }

    /// Records that all that shows was read without trust in what is announced, until now.
    pub(super) fn note_thorough(&self) {
        *self.thorough.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// When all was read so last.
    fn last_thorough(&self) -> Option<Instant> {
        *self.thorough.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something was drawn of which not all may have been in the tree when that was read so.
    pub(super) fn has_drawn_since_thorough(&self) -> bool {
        self.last_thorough().is_some_and(|last| self.screen().drawn_since(last))
    }

    /// Whether that is too long ago, or was never done: a whole read has to be so again.
    pub(super) fn is_thorough_overdue(&self) -> bool {
        self.last_thorough().is_none_or(|last| last.elapsed() > THOROUGH_AFTER)
    }

    /// What is known of what it shows on the screen. Held for moments only, never across an await.
    pub(super) fn screen(&self) -> MutexGuard<'_, OnScreen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held for moments only, never across an await.
    pub(super) fn last(&self) -> MutexGuard<'_, Option<TrueRead>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrueRead {
    /// Whether an application that has drawn and announced nothing since is believed to be as it was.
    pub(super) fn is_believed(&self) -> bool {
        self.settled.is_some_and(|read| read.elapsed() < BELIEVED_FOR)
    }

    /// Whether all of `wanted` was read.
    pub(super) fn covers(&self, wanted: Scope) -> bool {
        (self.scope.hidden || !wanted.hidden) && self.scope.details.contains(wanted.details)
    }
}
