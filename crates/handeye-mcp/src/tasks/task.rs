//! One task, from its beginning to its end.

use super::Owner;
use futures_util::future::try_join_all;
use jiff::Timestamp;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, InputRequest, InputRequests, InputRequiredResult, InputResponses,
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
pub(crate) struct State {
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
}

/// What a task waits to be told by its client.
struct Question {
    request: InputRequest,
    reply: oneshot::Sender<Value>,
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Question")
    }
}

impl State {
    /// Whether it waits to be told something by its client.
    pub(crate) fn is_asking(&self) -> bool {
        !self.questions.is_empty()
    }

    /// What it waits to be told by its client.
    pub(crate) fn questions(&self) -> InputRequests {
        self.questions.iter().map(|(key, question)| (key.clone(), question.request.clone())).collect()
    }

    fn say(&mut self, message: &str) {
        self.message = message.chars().take(MAX_MESSAGE).collect();
        self.updated = Timestamp::now();
    }

    /// Ends it, if it has not ended: how a task ended never changes.
    fn settle(&mut self, end: End, message: &str) -> bool {
        if self.end.is_some() {
            return false;
        }
        self.say(message);
        self.end = Some(end);
        // Whoever waits for a reply learns that none will come.
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
    state: watch::Sender<State>,
}

impl Task {
    /// A task that begins now.
    pub(crate) fn new(owner: Owner, ttl: Duration, message: &str) -> Arc<Self> {
        let created = Timestamp::now();
        let state = State {
            message: message.to_owned(),
            updated: created,
            end: None,
            read: false,
            questions: BTreeMap::new(),
            asked: 0,
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

    /// Cancelled when nobody can ask for it any more.
    pub(crate) fn forgotten(&self) -> &CancellationToken {
        &self.forgotten
    }

    /// Looks at how far it is.
    pub(crate) fn look<T>(&self, at: impl FnOnce(&State) -> T) -> T {
        at(&self.state.borrow())
    }

    /// Tells of every change from now on, the newest one to whoever is slow.
    pub(crate) fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Says what it does now.
    pub(crate) fn tell(&self, message: &str) {
        self.state.send_if_modified(|state| {
            let news = state.end.is_none() && state.message != message;
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
        let replies = questions.into_iter().map(async |(key, request)| Ok((key, self.ask(request).await?)));
        Ok(try_join_all(replies).await?.into_iter().collect())
    }

    /// Asks its client something, and waits for the reply until the task ends.
    pub(crate) async fn ask(&self, request: InputRequest) -> Result<Value, ErrorData> {
        let (reply, replied) = oneshot::channel();
        self.state.send_if_modified(|state| {
            if state.end.is_none() {
                state.asked += 1;
                state.questions.insert(format!("q{}", state.asked), Question { request, reply });
                state.updated = Timestamp::now();
            }
            state.end.is_none()
        });
        replied.await.map_err(|_| ErrorData::internal_error("the task ended before the client replied", None))
    }

    /// Takes replies. One to a question that was not asked, or was answered, is nobody's.
    pub(crate) fn reply(&self, replies: impl IntoIterator<Item = (String, Value)>) {
        self.state.send_if_modified(|state| {
            let before = state.questions.len();
            for (key, value) in replies {
                if let Some(question) = state.questions.remove(&key) {
                    // Whoever asked may have given up.
                    drop(question.reply.send(value));
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

    /// Waits until it has ended, and tells how.
    pub(crate) async fn end(&self) -> End {
        let mut watch = self.watch();
        // The sender lives as long as the task, which `self` holds; so this fails never, and then it is a cancelled one.
        let ended = watch.wait_for(|state| state.end.is_some()).await;
        ended.ok().and_then(|state| state.end.clone()).unwrap_or(End::Cancelled)
    }

    /// Its client has read how it ended.
    pub(crate) fn mark_read(&self) {
        // No news: nobody who watches has to know.
        self.state.send_if_modified(|state| {
            state.read |= state.end.is_some();
            false
        });
    }
}
