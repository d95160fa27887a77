//! Asking the client in the middle of a request: its person, its model, its folders.
//!
//! One way for every revision of the protocol. A request is worked on until it ends or needs an answer that is not known. Then the
//! answer is fetched, and the work begins again with what is known by now:
//!
//! - up to 2025-11-25 the server sends the question as a request of its own, waits, and goes on by itself;
//! - from 2026-07-28 on the request ends with an input-required result, and the client sends it again with the answers and the sealed
//!   state ([`seal`]) that says what was asked.
//!
//! Nothing is held while a person thinks: no lock, no deadline of an operation. And a reply counts for the question that was asked and no
//! other, because the work asks again when it is repeated, and finds the reply only under the same words about the same thing.

mod client;
mod pending;
pub mod seal;
mod wire;

pub(crate) use wire::take_back;

use crate::Server;
use crate::requester::Requester;
use crate::tasks::Task;
use handeye_call::client::Client;
use handeye_core::{Error, ErrorCode, Result};
use handeye_service::OpenQuestion;
use rmcp::model::{InputRequests, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use seal::{Binding, Rounds, Seals};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Most rounds of one request: a client that answers every question still gets to the end.
const MAX_ROUNDS: u32 = 12;
/// How long a request may take with all its questions.
const LONGEST: Duration = Duration::from_secs(600);

/// A request as the client sent it, as far as questions are concerned.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// For example `tools/call`.
    pub method: &'a str,
    /// The tool, the prompt or the resource.
    pub name: &'a str,
    /// What it was called with.
    pub arguments: &'a Value,
    /// Answers to the questions of the round before.
    pub responses: Option<&'a InputResponses>,
    /// What the server gave the client to send back.
    pub state: Option<&'a str>,
}

/// The questions of one request.
pub struct Asking {
    seals: Arc<Seals>,
    binding: Binding,
    client: Arc<client::AskedClient>,
    stateless: bool,
    round: u32,
    until: Instant,
    watch: Option<Watch>,
    gone: CancellationToken,
}

/// Notes that a question was put to a person; whether its answer is waited for here.
type Watch = Box<dyn Fn(bool) -> Option<OpenQuestion> + Send + Sync>;

/// What to do after a round that ended with a question.
enum Next {
    /// The answer is known: work on the request again.
    Again,
    /// The client has to send the request again, with the answers to these.
    Return(Box<InputRequiredResult>),
}

/// How the work on a request ended.
pub enum Ended<T> {
    /// With an answer or an error.
    With(Result<T>),
    /// With questions.
    Asking(Box<InputRequiredResult>),
}

impl Server {
    /// The questions of a request that this server answers.
    ///
    /// # Errors
    /// Invalid parameters if it brings a state that was not made for it, or was used before.
    pub fn asking(
        &self,
        context: &RequestContext<RoleServer>,
        asked: Asked<'_>,
    ) -> Result<Asking, ErrorData> {
        Asking::of(&self.seals, context, asked, self.engine.patience, None)
    }
}

impl Asking {
    /// The questions of the request of `context`; `patience` is how long a person may take for one. `task` is the one that the
    /// request began.
    ///
    /// # Errors
    /// Invalid parameters if it brings a state that was not made for it, or was used before.
    pub(crate) fn of(
        seals: &Arc<Seals>,
        context: &RequestContext<RoleServer>,
        asked: Asked<'_>,
        patience: Duration,
        task: Option<&Arc<Task>>,
    ) -> Result<Self, ErrorData> {
        let requester = Requester::of(context);
        let stateless = requester.is_stateless();
        let name = context.client_info().map(|info| format!("{} {}", info.name, info.version));
        let binding = Binding::of(asked.method, asked.name, asked.arguments, name.as_deref());
        let rounds = match asked.state {
            Some(state) if stateless => {
                let mut rounds = seals.open(state, &binding).map_err(|fault| {
                    tracing::info!(%fault, method = asked.method, "a request state was refused");
                    ErrorData::invalid_params(seal::REFUSED, None)
                })?;
                rounds.take(asked.responses.unwrap_or(&InputResponses::new()));
                rounds
            }
            _ => Rounds::default(),
        };
        let round = rounds.round;
        let channel = task.filter(|_| !stateless).map_or_else(
            || client::Channel::Session(context.peer.clone()),
            |task| client::Channel::Task(Arc::clone(task)),
        );
        let ct = context.ct.clone();
        let client = Arc::new(client::AskedClient::new(&requester, channel, ct, rounds, patience));
        Ok(Self {
            seals: Arc::clone(seals),
            binding,
            client,
            stateless,
            round,
            until: Instant::now() + LONGEST,
            watch: None,
            gone: context.ct.clone(),
        })
    }

    /// The same, with what is noted of a question that gets no answer.
    #[must_use]
    pub(crate) fn watched_by(
        self,
        watch: impl Fn(bool) -> Option<OpenQuestion> + Send + Sync + 'static,
    ) -> Self {
        Self { watch: Some(Box::new(watch)), ..self }
    }

    /// Who is asked. It knows the answers that have come.
    pub(crate) fn client(&self) -> Arc<dyn Client> {
        Arc::clone(&self.client) as _
    }

    /// Asks in the words of the protocol, for what the engine has no words for.
    pub fn raw(&self) -> RawQuestions {
        RawQuestions(Arc::clone(&self.client))
    }

    /// Takes answers to what was asked last that came another way than with the request.
    pub(crate) fn take(&self, responses: &InputResponses) {
        self.client.take(responses);
    }

    /// After a round that ended with [`ErrorCode::InputRequired`]: fetches the answers, or returns what the client has to receive.
    ///
    /// # Errors
    /// [`ErrorCode::Timeout`] if there was no answer, others if the client cannot be asked after all.
    async fn next(&mut self) -> Result<Next> {
        self.round += 1;
        if self.round > MAX_ROUNDS {
            return Err(Error::new(
                ErrorCode::Refused,
                format!("the target of the question changed {MAX_ROUNDS} times in a row: nothing was done"),
            )
            .with_next("Call again when the application is idle."));
        }
        let mut question = self.watch.as_ref().and_then(|watch| watch(!self.stateless));
        if !self.stateless {
            let fetching = self.client.fetch(self.until);
            tokio::pin!(fetching);
            tokio::select! {
                biased;
                fetched = &mut fetching => fetched?,
                () = self.gone.cancelled() => {
                    // Noted at once: to take the question back from a client that has left may take longer than the process lives.
                    drop(question.take());
                    fetching.await?;
                }
            }
            if let Some(question) = question {
                question.answered();
            }
            return Ok(Next::Again);
        }
        let pending = self.client.pending();
        let mut requests = InputRequests::new();
        for (key, pending) in &pending {
            requests.insert(key.clone(), pending.as_input_request()?);
        }
        let rounds = Rounds {
            round: self.round,
            asked: pending.into_iter().map(|(key, pending)| (key, pending.digest)).collect(),
            known: self.client.known(),
            unanswered: Vec::new(),
        };
        let state = self.seals.seal(&rounds, &self.binding, question)?;
        Ok(Next::Return(Box::new(InputRequiredResult::new(Some(requests), Some(state)))))
    }

    /// Works on the request until it ends, or has to be sent again. `work` does one round, in the time that it is given.
    pub async fn run<T, F: Future<Output = Result<T>>>(
        &mut self,
        mut work: impl FnMut(Duration) -> F,
    ) -> Ended<T> {
        loop {
            let remaining = self.until.saturating_duration_since(Instant::now());
            match work(remaining).await {
                Err(error) if error.code == ErrorCode::InputRequired => match self.next().await {
                    Ok(Next::Again) => {}
                    Ok(Next::Return(result)) => return Ended::Asking(result),
                    Err(error) => return Ended::With(Err(error)),
                },
                ended => return Ended::With(ended),
            }
        }
    }
}

/// Asks the client of a request in the words of the protocol.
#[derive(Clone)]
pub struct RawQuestions(Arc<client::AskedClient>);

impl RawQuestions {
    /// Asks by `method` and returns the client's result as it is.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub async fn ask(&self, key: &str, method: &'static str, params: Value) -> Result<Value> {
        self.0.raw(key, method, params).await
    }
}
