//! One task, from its beginning to its end.

use super::owner::Owner;
use futures_util::future::try_join_all;
use handeye_core::screen_text;
use jiff::Timestamp;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, CustomRequest, InputRequest, InputRequests, InputRequiredResult,
    InputResponses,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What a task does. It should end soon once [`Task::stop`] is cancelled; if it does not, it is dropped.
pub type Work = Pin<Box<dyn Future<Output = Result<CallToolResponse, ErrorData>> + Send>>;

/// Longest status message, in characters.
const MAX_MESSAGE: usize = 300;

/// How a task ended.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// With an answer, perhaps one that says that the tool failed.
    Answered(Arc<CallToolResult>),
    /// With an error of the protocol.
    Failed(ErrorData),
    /// The client wanted no more of it.
    Cancelled,
}

/// How far a task is.
#[derive(Debug)]
pub(crate) struct TaskState {
    /// What it does now, or why it ended; for a person or a model.
    pub(crate) message: String,
    /// When that changed.
    pub(crate) updated: Timestamp,
    /// How it ended.
    pub(crate) end: Option<End>,
    /// Whether the client has read how it ended.
    pub(crate) read: bool,
    questions: BTreeMap<String, Question>,
    /// How many questions were asked: a key is never used again.
    asked: u32,
    /// How many requests for the result there were.
    waiting: u32,
}

/// What a task asks its client, as the client's revision has it.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    /// Read with `tasks/get` (2026-07-28).
    Listed(InputRequest),
    /// Sent by the server to the client that waits for the result (2025-11-25).
    Sent(CustomRequest),
}

/// Why a question has no reply.
#[derive(Debug, Clone)]
pub(crate) enum Unanswered {
    /// The client replied with an error.
    Refused(ErrorData),
    /// The task ended before.
    Ended,
}

impl From<Unanswered> for ErrorData {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::Refused(error) => error,
            Unanswered::Ended => ErrorData::internal_error("the task ended before the client replied", None),
        }
    }
}

/// What a task needs from its client.
struct Question {
    request: Request,
    reply: oneshot::Sender<Result<Value, ErrorData>>,
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Question")
    }
}

impl TaskState {
    /// Whether it waits for input from its client.
    pub(crate) fn is_asking(&self) -> bool {
        !self.questions.is_empty()
    }

    /// The input that it waits for, for a client that reads its questions.
    pub(crate) fn questions(&self) -> InputRequests {
        let listed = self.questions.iter().filter_map(|(key, question)| match &question.request {
            Request::Listed(request) => Some((key.clone(), request.clone())),
            Request::Sent(_) => None,
        });
        listed.collect()
    }

    /// The input that it waits for, for a client that is sent its questions.
    pub(crate) fn to_send(&self) -> impl Iterator<Item = (&String, &CustomRequest)> {
        self.questions.iter().filter_map(|(key, question)| match &question.request {
            Request::Sent(request) => Some((key, request)),
            Request::Listed(_) => None,
        })
    }

    /// Whether this question waits for its reply, and the request for the result with this number is the one to bring it.
    pub(crate) fn is_open_to(&self, waiting: u32, key: &str) -> bool {
        self.waiting == waiting && self.questions.contains_key(key)
    }

    fn say(&mut self, message: &str) {
        self.message = screen_text::line(message, MAX_MESSAGE);
        self.updated = Timestamp::now();
    }

    /// Ends it, if it has not ended: how a task ended never changes.
    fn settle(&mut self, end: End, message: &str) -> bool {
        if self.end.is_some() {
            return false;
        }
        self.say(message);
        self.end = Some(end);
        // A caller that waits for a reply is notified that none will come.
        self.questions.clear();
        true
    }
}

/// One task.
#[derive(Debug)]
pub struct Task {
    /// Its name, which cannot be guessed.
    pub(crate) id: String,
    /// Who may ask for it.
    pub(crate) owner: Owner,
    /// When it began.
    pub(crate) created: Timestamp,
    /// How long it lives, from its beginning.
    pub(crate) ttl: Duration,
    /// When that is over.
    pub(crate) expires: Instant,
    stop: CancellationToken,
    forgotten: CancellationToken,
    kept: AtomicBool,
    state: watch::Sender<TaskState>,
}

impl Task {
    /// A task that begins now.
    pub(crate) fn new(owner: Owner, ttl: Duration, message: &str) -> Arc<Self> {
        let created = Timestamp::now();
        let state = TaskState {
            message: message.to_owned(),
            updated: created,
            end: None,
            read: false,
            questions: BTreeMap::new(),
            asked: 0,
            waiting: 0,
        };
        Arc::new(Self {
            id: Uuid::new_v4().to_string(),
            owner,
            created,
            ttl,
            expires: Instant::now() + ttl,
            stop: CancellationToken::new(),
            forgotten: CancellationToken::new(),
            kept: AtomicBool::new(false),
            state: watch::Sender::new(state),
        })
    }

    /// Cancelled when its work is no longer wanted.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Cancelled when no client can ask for it any more.
    pub(crate) fn forgotten(&self) -> &CancellationToken {
        &self.forgotten
    }

    /// Looks at how far it is.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&TaskState) -> T) -> T {
        at(&self.state.borrow())
    }

    /// Notifies of every change from now on; a slow receiver gets the newest one only.
    pub(crate) fn watch(&self) -> watch::Receiver<TaskState> {
        self.state.subscribe()
    }

    /// Says what it does now.
    pub(crate) fn report(&self, message: &str) {
        self.state.send_if_modified(|state| {
            let news = state.end.is_none() && state.message != screen_text::line(message, MAX_MESSAGE);
            if news {
                state.say(message);
            }
            news
        });
    }

    /// Whether its client knows of it, and asks for it.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.load(Ordering::Acquire)
    }

    /// From now on its client knows of it.
    pub(crate) fn mark_kept(&self) {
        self.kept.store(true, Ordering::Release);
    }

    /// Asks its client all of these, and waits for the replies until the task ends.
    ///
    /// # Errors
    /// If the task ends before.
    pub async fn ask_all(&self, questions: &InputRequiredResult) -> Result<InputResponses, ErrorData> {
        let questions = questions.input_requests.clone().unwrap_or_default();
        let replies = questions.into_iter().map(async |(key, request)| {
            Ok::<_, Unanswered>((key, self.ask(Request::Listed(request)).await?))
        });
        Ok(try_join_all(replies).await?.into_iter().collect())
    }

    /// Asks its client something, and waits for the reply until the task ends. Dropped before, it has never been asked.
    pub(crate) async fn ask(&self, request: Request) -> Result<Value, Unanswered> {
        let (reply, replied) = oneshot::channel();
        let mut open = OpenQuestion { task: self, key: None };
        self.state.send_if_modified(|state| {
            if state.end.is_none() {
                state.asked += 1;
                let key = format!("q{}", state.asked);
                open.key = Some(key.clone());
                state.questions.insert(key, Question { request, reply });
                state.updated = Timestamp::now();
            }
            state.end.is_none()
        });
        match replied.await {
            Ok(reply) => reply.map_err(Unanswered::Refused),
            Err(_dropped) => Err(Unanswered::Ended),
        }
    }

    /// Notes one more request for the result; returns its number. The newest one brings the questions.
    pub(crate) fn wait_for_result(&self) -> u32 {
        let mut number = 0;
        self.state.send_if_modified(|state| {
            state.waiting += 1;
            number = state.waiting;
            // Not a change of the task, except for the connection that delivered its questions until now.
            state.is_asking()
        });
        number
    }

    /// Waits until a question waits for its reply no more, or another request for the result is the one to bring it.
    pub(crate) async fn closed_to(&self, waiting: u32, key: &str) {
        let mut watch = self.watch();
        // An error would say that the task is gone, which `self` is not.
        drop(watch.wait_for(|state| !state.is_open_to(waiting, key)).await);
    }

    /// Takes replies. One to a question that was not asked, or was answered, is ignored.
    pub(crate) fn reply(&self, replies: impl IntoIterator<Item = (String, Result<Value, ErrorData>)>) {
        self.state.send_if_modified(|state| {
            let before = state.questions.len();
            for (key, reply) in replies {
                if let Some(question) = state.questions.remove(&key) {
                    // The asking call may have given up.
                    drop(question.reply.send(reply));
                }
            }
            let answered = state.questions.len() < before;
            if answered {
                state.updated = Timestamp::now();
            }
            answered
        });
    }

    /// Ends it. It keeps the end that it has, if it has one.
    pub(crate) fn settle(&self, end: End, message: &str) -> bool {
        self.state.send_if_modified(|state| state.settle(end, message))
    }

    /// Ends it as one that its client wants no more, and stops its work. `false` if it had ended before.
    pub(crate) fn cancel(&self) -> bool {
        let cancelled = self.settle(End::Cancelled, "Cancelled by the client");
        self.stop.cancel();
        cancelled
    }

    /// Waits until it has ended, and returns how.
    pub(crate) async fn end(&self) -> End {
        let mut watch = self.watch();
        // The sender lives as long as the task, which `self` holds; so this fails never, and then it is a cancelled one.
        let ended = watch.wait_for(|state| state.end.is_some()).await;
        ended.ok().and_then(|state| state.end.clone()).unwrap_or(End::Cancelled)
    }

    /// Its client has read how it ended.
    pub(crate) fn mark_read(&self) {
        // Not a change: no watcher has to be notified.
        self.state.send_if_modified(|state| {
            state.read |= state.end.is_some();
            false
        });
    }
}

/// A question that waits for its reply; it is withdrawn when no caller waits any more.
struct OpenQuestion<'a> {
    task: &'a Task,
    key: Option<String>,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        let Some(key) = &self.key else { return };
        self.task.state.send_if_modified(|state| {
            let taken_back = state.questions.remove(key).is_some();
            if taken_back {
                state.updated = Timestamp::now();
            }
            taken_back
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_call::caller::Caller;
    use serde_json::json;
    use tokio::time::timeout;

    fn asking(task: &Arc<Task>) -> tokio::task::JoinHandle<Result<Value, Unanswered>> {
        let task = Arc::clone(task);
        tokio::spawn(async move { task.ask(Request::Sent(CustomRequest::new("roots/list", None))).await })
    }

    async fn asked(task: &Task) -> String {
        let mut watch = task.watch();
        let state = watch.wait_for(TaskState::is_asking).await.expect("the task is there");
        state.to_send().next().expect("a question").0.clone()
    }

    fn task() -> Arc<Task> {
        Task::new(Owner::session(Caller::STDIO, 1), Duration::from_secs(60), "under way")
    }

    #[tokio::test]
    async fn a_reply_reaches_who_asked_and_the_task_goes_on() {
        let task = task();
        for reply in [Ok(json!({ "roots": [] })), Err(ErrorData::internal_error("no", None))] {
            let question = asking(&task);
            let key = asked(&task).await;
            task.reply([("q99".to_owned(), Ok(json!(1)))]);
            assert!(task.look(TaskState::is_asking), "a reply to something else");
            task.reply([(key.clone(), reply.clone())]);
            assert!(!task.look(TaskState::is_asking));
            match (question.await.expect("no panic"), reply) {
                (Ok(reported), Ok(replied)) => assert_eq!(reported, replied),
                (Err(Unanswered::Refused(reported)), Err(replied)) => assert_eq!(reported, replied),
                (reported, replied) => panic!("{reported:?} for {replied:?}"),
            }
            task.reply([(key, Ok(json!(1)))]);
        }
    }

    #[tokio::test]
    async fn a_question_that_nobody_waits_for_is_taken_back() {
        let task = task();
        let question = asking(&task);
        asked(&task).await;
        question.abort();
        let mut watch = task.watch();
        let working = watch.wait_for(|state| !state.is_asking());
        timeout(Duration::from_secs(10), working).await.expect("soon").expect("the task is there");
    }

    #[tokio::test]
    async fn the_end_of_a_task_is_the_end_of_its_questions() {
        let task = task();
        let question = asking(&task);
        asked(&task).await;
        assert!(task.cancel());
        assert!(matches!(question.await.expect("no panic"), Err(Unanswered::Ended)));
        let late = asking(&task).await.expect("no panic");
        assert!(matches!(late, Err(Unanswered::Ended)));
        assert!(!task.look(TaskState::is_asking));
    }

    #[tokio::test]
    async fn the_newest_who_waits_for_the_result_brings_the_questions() {
        let task = task();
        let question = asking(&task);
        let key = asked(&task).await;
        let (first, second) = (task.wait_for_result(), task.wait_for_result());
        assert!(!task.look(|state| state.is_open_to(first, &key)));
        assert!(task.look(|state| state.is_open_to(second, &key)));
        question.abort();
    }
}
