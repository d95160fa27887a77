//! All tasks of a process: who may see which, how many there are, and when they go.

use super::owner::Owner;
use super::task::{End, Task, Work};
use futures_util::FutureExt;
use handeye_core::screen_text;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, ErrorCode};
use serde_json::json;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout};

/// Most tasks of all clients together.
const MOST: usize = 200;

/// Most tasks of one client.
const MOST_OF_ONE: usize = 50;

/// How long work may take to end by itself once it is stopped, so that it is recorded and what it holds is released in
/// its own way. Then it is dropped.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// How long a task whose time ran out before its work was done can be asked why it failed.
const LAST_LOOK: Duration = Duration::from_secs(5);

/// The error of a client that has too many tasks (the range that JSON-RPC leaves to servers).
const TOO_MANY: ErrorCode = ErrorCode(-32000);

/// All tasks of a process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks {
    /// By their number, which rises: the oldest first.
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    begun: u64,
    tasks: BTreeMap<u64, Arc<Task>>,
}

impl Known {
    fn of(&self, owner: &Owner) -> impl Iterator<Item = (&u64, &Arc<Task>)> {
        self.tasks.iter().filter(move |(_, task)| task.owner == *owner)
    }

    fn remove(&mut self, number: u64) {
        if let Some(task) = self.tasks.remove(&number) {
            task.forgotten().cancel();
        }
    }

    /// Gives up results that their clients have read, the oldest first, until one more task of `owner` has room.
    fn make_room(&mut self, owner: &Owner) -> bool {
        while self.of(owner).count() >= MOST_OF_ONE || self.tasks.len() >= MOST {
            let full = self.of(owner).count() >= MOST_OF_ONE;
            let read = self
                .tasks
                .iter()
                .find(|(_, task)| (!full || task.owner == *owner) && task.look(|state| state.read));
            let Some((&number, _)) = read else { return false };
            self.remove(number);
        }
        true
    }
}

/// Some tasks of one client, and where the next ones begin.
pub(crate) struct Page {
    /// The tasks, the oldest first.
    pub(crate) tasks: Vec<Arc<Task>>,
    /// The number of the last one, if there are more.
    pub(crate) more_after: Option<u64>,
}

impl Tasks {
    /// Keeps a task and lets its work go on by itself. Gives the work back if there are too many tasks.
    pub(crate) fn keep(&self, task: &Arc<Task>, work: Work) -> Result<(), Work> {
        let number = {
            let mut known = self.known();
            if !known.make_room(&task.owner) {
                return Err(work);
            }
            known.begun += 1;
            let number = known.begun;
            known.tasks.insert(number, Arc::clone(task));
            number
        };
        task.mark_kept();
        let (tasks, task) = (self.clone(), Arc::clone(task));
        tokio::spawn(async move {
            let until = run(&task, work).await;
            task.forgotten().run_until_cancelled(sleep_until(until)).await;
            tasks.known().remove(number);
        });
        Ok(())
    }

    /// The error of a client for whose task there is no room.
    pub(crate) fn too_many() -> ErrorData {
        let message = format!(
            "too many tasks: {MOST_OF_ONE} of one client and {MOST} in all are kept until their results are read or expire. \
             Read results, cancel tasks, or call without 'task'."
        );
        ErrorData::new(TOO_MANY, message, Some(json!({ "perClient": MOST_OF_ONE, "inAll": MOST })))
    }

    /// The task with this id, if `owner` may ask for it. Another's is as unknown as one that never was.
    pub(crate) fn find(&self, owner: &Owner, id: &str) -> Result<Arc<Task>, ErrorData> {
        let known = self.known();
        let found = known.of(owner).find(|(_, task)| task.id == id).map(|(_, task)| Arc::clone(task));
        found.ok_or_else(|| {
            let shown = screen_text::line(id, 80);
            ErrorData::invalid_params(
                format!("no task '{shown}': it is not one of yours, or it has expired"),
                None,
            )
        })
    }

    /// At most `most` tasks of `owner` that are younger than number `after`.
    pub(crate) fn page(&self, owner: &Owner, after: u64, most: usize) -> Page {
        let known = self.known();
        let mut younger = known.of(owner).filter(|(number, _)| **number > after);
        let page: Vec<(u64, Arc<Task>)> =
            younger.by_ref().take(most).map(|(number, task)| (*number, Arc::clone(task))).collect();
        let more_after = younger.next().and_then(|_| page.last().map(|(number, _)| *number));
        Page { tasks: page.into_iter().map(|(_, task)| task).collect(), more_after }
    }

    /// The number of the youngest task.
    pub(crate) fn begun(&self) -> u64 {
        self.known().begun
    }

    /// Stops and forgets every task of `owner`.
    pub(crate) fn forget(&self, owner: &Owner) {
        self.forget_if(|task| task.owner == *owner);
    }

    /// Stops and forgets every task.
    pub(crate) fn end(&self) {
        self.forget_if(|_| true);
    }

    fn forget_if(&self, goes: impl Fn(&Task) -> bool) {
        self.known().tasks.retain(|_, task| {
            let goes = goes(task);
            if goes {
                task.cancel();
                task.forgotten().cancel();
            }
            !goes
        });
    }

    /// A poisoned lock is taken over: every change is one call that cannot leave it half done.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does the work of a task to its end. Returns until when the task can be asked for.
async fn run(task: &Task, work: Work) -> Instant {
    // A fault in the work must not leave a task that never ends.
    let mut work = Box::pin(AssertUnwindSafe(work).catch_unwind());
    let mut until = task.expires;
    let ended = tokio::select! {
        ended = &mut work => Some(ended),
        () = task.stop().cancelled() => None,
        () = sleep_until(task.expires) => {
            let why = "Its time to live ended before its work was done";
            task.settle(End::Failed(ErrorData::internal_error(why, None)), why);
            task.stop().cancel();
            until += LAST_LOOK;
            None
        }
    };
    let end = match ended {
        Some(Ok(Ok(CallToolResponse::Complete(result)))) => End::Answered(Arc::new(result)),
        Some(Ok(Ok(_))) => {
            End::Failed(ErrorData::internal_error("a task's work answers with a result", None))
        }
        Some(Ok(Err(error))) => End::Failed(error),
        Some(Err(_panic)) => End::Failed(ErrorData::internal_error("the task panicked", None)),
        None => {
            // Its result is not wanted any more.
            if timeout(LAST_MOMENT, work).await.is_err() {
                tracing::debug!(task = task.id, "the work of a stopped task was dropped");
            }
            return until;
        }
    };
    let message = closing_message(&end);
    task.settle(end, &message);
    until
}

/// The status message of a task that ended so.
fn closing_message(end: &End) -> String {
    match end {
        End::Failed(error) => error.message.to_string(),
        End::Answered(result) if result.is_error == Some(true) => {
            let fields = result.structured_content.as_ref();
            let message = fields.and_then(|fields| fields.pointer("/error/message")?.as_str());
            message.unwrap_or("The tool failed").to_owned()
        }
        End::Answered(_) => "Done".to_owned(),
        End::Cancelled => "Cancelled".to_owned(),
    }
}
