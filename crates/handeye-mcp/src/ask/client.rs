//! The client of one request, as the engine asks it.

use super::pending::Pending;
use super::seal::{Known, Rounds, digest};
use super::wire::{self, Words};
use crate::requester::Requester;
use crate::tasks::{Request, Task, Unanswered};
use async_trait::async_trait;
use handeye_call::client::{Ask, Client, InteractionCapabilities, Question, Reply, input_required};
use handeye_core::{Error, ErrorCode, Result, screen_text};
use rmcp::model::{CustomRequest, InputResponses, ProtocolVersion, ServerRequest};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleServer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// Longest answer that is kept, in bytes.
const MAX_ANSWER: usize = 128 * 1024;
/// The code by which a client says that its person does not let its model be asked (2025-11-25, sampling).
const REJECTED: i32 = -1;

/// The client of one request.
pub(super) struct AskedClient {
    capabilities: InteractionCapabilities,
    words: Words,
    stateless: bool,
    channel: Channel,
    gone: CancellationToken,
    /// How long a person may take for one question.
    patience: Duration,
    /// The keys of the questions that the client sent the request again without an answer to.
    unanswered: Vec<String>,
    memory: Mutex<Memory>,
}

/// The way of a question to a client that gets it as a request.
pub(super) enum Channel {
    /// At once.
    Session(Peer<RoleServer>),
    /// When the client waits for the result of this task (2025-11-25).
    Task(Arc<Task>),
}

/// What was asked and answered, by key.
#[derive(Default)]
struct Memory {
    known: BTreeMap<String, Known>,
    pending: BTreeMap<String, Pending>,
}

impl AskedClient {
    pub(super) fn new(
        requester: &Requester,
        channel: Channel,
        gone: CancellationToken,
        rounds: Rounds,
        patience: Duration,
    ) -> Self {
        Self {
            capabilities: capabilities(requester),
            words: Words::of(&requester.version),
            stateless: requester.is_stateless(),
            channel,
            gone,
            patience,
            unanswered: rounds.unanswered,
            memory: Mutex::new(Memory { known: rounds.known, pending: BTreeMap::new() }),
        }
    }

    pub(super) fn known(&self) -> BTreeMap<String, Known> {
        self.memory().known.clone()
    }

    /// The questions that are not answered yet.
    pub(super) fn pending(&self) -> BTreeMap<String, Pending> {
        self.memory().pending.clone()
    }

    /// Takes answers to questions that are not answered yet; others are ignored.
    pub(super) fn take(&self, responses: &InputResponses) {
        let mut memory = self.memory();
        for (key, answer) in responses {
            if let Some(question) = memory.pending.remove(key)
                && let Ok(answer) = check_size(answer.clone())
            {
                memory.known.insert(key.clone(), Known { digest: question.digest, answer });
            }
        }
    }

    /// Fetches the answers to all questions that are not answered yet, by requests to the client.
    pub(super) async fn fetch(&self, until: Instant) -> Result<()> {
        let pending = std::mem::take(&mut self.memory().pending);
        for (key, question) in pending {
            let answer = self.request(&question, until).await?;
            self.memory().known.insert(key, Known { digest: question.digest, answer });
        }
        Ok(())
    }

    /// Asks in the words of the protocol.
    pub(super) async fn raw(&self, key: &str, method: &'static str, params: Value) -> Result<Value> {
        let params = (method != wire::LIST_ROOTS).then_some(params);
        self.answer(
            key,
            &json!({ "method": method, "params": params }),
            method,
            params,
            Duration::from_secs(60),
        )
        .await
    }

    /// The answer to a question if it is known; else it is noted as asked.
    async fn answer(
        &self,
        key: &str,
        identity: &Value,
        method: &'static str,
        params: Option<Value>,
        patience: Duration,
    ) -> Result<Value> {
        let digest = digest(identity);
        let pending = Pending { method, params, digest: digest.clone(), patience };
        {
            let mut memory = self.memory();
            if let Some(known) = memory.known.get(key).filter(|known| known.digest == digest) {
                return Ok(known.answer.clone());
            }
            // An answer to something else under the same name means nothing any more.
            memory.known.remove(key);
            if self.stateless || method == wire::ELICIT {
                memory.pending.insert(key.to_owned(), pending);
                return Err(input_required());
            }
        }
        // A program answers soon; there is no need to begin again.
        let answer = self.request(&pending, Instant::now() + patience).await?;
        self.memory().known.insert(key.to_owned(), Known { digest, answer: answer.clone() });
        Ok(answer)
    }

    /// Sends one question and waits for its answer.
    async fn request(&self, question: &Pending, until: Instant) -> Result<Value> {
        let patience = question.patience.min(until.saturating_duration_since(Instant::now()));
        let request = CustomRequest::new(question.method, question.params.clone());
        let answered = match &self.channel {
            Channel::Session(peer) => self.request_at_once(peer, request, patience).await?,
            Channel::Task(task) => match timeout(patience, task.ask(Request::Sent(request))).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(Unanswered::Refused(error))) => Err(ServiceError::McpError(error)),
                Ok(Err(Unanswered::Ended)) => return Err(cancelled()),
                Err(_elapsed) => Err(ServiceError::Timeout { timeout: patience }),
            },
        };
        answered.map_err(|fault| unanswered(question, &fault)).and_then(check_size)
    }

    async fn request_at_once(
        &self,
        peer: &Peer<RoleServer>,
        request: CustomRequest,
        patience: Duration,
    ) -> Result<Result<Value, ServiceError>> {
        let request = ServerRequest::CustomRequest(request);
        let options = PeerRequestOptions::with_timeout(patience);
        let sent = match peer.send_cancellable_request(request, options).await {
            Ok(sent) => sent,
            Err(fault) => return Ok(Err(fault)),
        };
        let id = sent.id.clone();
        tokio::select! {
            biased;
            () = self.gone.cancelled() => {
                // The question is taken back from the screen.
                wire::take_back(peer, id, "the call was cancelled").await;
                Err(cancelled())
            }
            answered = sent.await_response() => match answered {
                Ok(answer) => serde_json::to_value(answer).map(Ok).map_err(Error::internal),
                Err(fault) => Ok(Err(fault)),
            },
        }
    }

    /// A poisoned lock is taken over: every change is one insertion.
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Client for AskedClient {
    fn capabilities(&self) -> InteractionCapabilities {
        self.capabilities
    }

    fn without_yes(&self) -> &'static str {
        "This client cannot show a form (elicitation)"
    }

    fn answered(&self, beginning: &str) -> Option<String> {
        self.memory().known.keys().find(|key| key.starts_with(beginning)).cloned()
    }

    fn begun(&self, beginning: &str) -> Option<String> {
        let unanswered = || self.unanswered.iter().find(|key| key.starts_with(beginning)).cloned();
        self.answered(beginning).or_else(unanswered)
    }

    fn has_refused_among(&self, beginning: &str) -> bool {
        let memory = self.memory();
        memory.known.iter().any(|(key, known)| key.starts_with(beginning) && wire::is_no(&known.answer))
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        let (method, params) = wire::request(&question.ask, self.words);
        let identity = match &question.ask {
            // A person agrees to what it reads.
            Ask::Form(_) | Ask::Page(_) => json!([method, wire::shown(&question.ask), question.about]),
            // A picture of a screen is never the same twice.
            Ask::Sampling(_) | Ask::Roots => json!([method, question.about]),
        };
        let patience = question.ask.patience().unwrap_or(self.patience);
        let answer = self.answer(&question.key, &identity, method, params, patience).await?;
        wire::reply(&question.ask, &check_size(answer)?)
    }
}

fn cancelled() -> Error {
    Error::new(ErrorCode::Cancelled, "the client cancelled the call: nothing was done")
}

fn check_size(answer: Value) -> Result<Value> {
    if answer.to_string().len() > MAX_ANSWER {
        let message = format!("the client's answer has more than {MAX_ANSWER} bytes");
        return Err(Error::new(ErrorCode::TooLarge, message));
    }
    Ok(answer)
}

/// What the client declared that it can do, as far as its revision knows it.
fn capabilities(requester: &Requester) -> InteractionCapabilities {
    let capabilities = &requester.capabilities;
    let since = |version: ProtocolVersion| requester.version.as_str() >= version.as_str();
    let elicitation = capabilities.elicitation.as_ref().filter(|_| since(ProtocolVersion::V_2025_06_18));
    let sampling = capabilities.sampling.as_ref();
    InteractionCapabilities {
        // Before there were two modes, there was the form.
        form: elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none()),
        url: elicitation.is_some_and(|modes| modes.url.is_some()) && since(ProtocolVersion::V_2025_11_25),
        sampling: sampling.is_some(),
        sampling_tools: sampling.is_some_and(|sampling| sampling.tools.is_some())
            && since(ProtocolVersion::V_2025_11_25),
        roots: capabilities.roots.is_some(),
        unproven: false,
    }
}

fn unanswered(question: &Pending, fault: &ServiceError) -> Error {
    match fault {
        ServiceError::Timeout { timeout } => {
            let seconds = timeout.as_secs();
            Error::new(
                ErrorCode::Timeout,
                format!("nobody answered the question within {seconds} s: nothing was done"),
            )
            .with_next("Ask the person whether it should be done, then call again.")
        }
        ServiceError::TransportClosed | ServiceError::TransportSend(_) | ServiceError::Cancelled { .. } => {
            Error::new(ErrorCode::Cancelled, "the client disconnected while it was asked: nothing was done")
        }
        ServiceError::McpError(error) if error.code.0 == REJECTED => {
            Error::new(ErrorCode::Declined, "the user of the client declined the request to its model")
        }
        ServiceError::McpError(error) => {
            let shown = screen_text::line(&error.message, 200);
            Error::new(
                ErrorCode::NotSupported,
                format!("the client answered {} with an error: {shown}", question.method),
            )
            .with_next("Nothing was done.")
        }
        other => Error::new(ErrorCode::NotSupported, format!("the client could not be asked: {other}")),
    }
}
