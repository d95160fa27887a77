//! The daemon's side: takes connections until none come any more, the session ends, or it is asked to end.

use super::build::Build;
use super::channel::{ALIVE, Channel, PERSON_REPLY, REQUEST};
use super::client::Program;
use super::endpoint::Endpoint;
use super::person::{Afar, Open};
use crate::debug_logs::DebugLogs;
use crate::person::Rounds;
use crate::reader::SHELL;
use futures_util::FutureExt;
use handeye_call::call::Call;
use handeye_call::caller::Caller;
use handeye_call::outcome::Answer;
use handeye_call::reader::Reader;
use handeye_core::{Error, ErrorCode, Result};
use handeye_engine::Engine;
use handeye_service::callers::Callers;
use handeye_service::gate::Gate;
use handeye_service::registry;
use handeye_service::wire::{CallAnswer, CallRequest, Hello, Reply, Request, ShownAnswer, Status, reference};
use serde_json::Value;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// Most connections at a time; others wait in the kernel's queue, and their commands work alone after a moment.
const CONNECTIONS: u32 = 64;
/// How long a peer may take to make its request.
const REQUEST_DEADLINE: Duration = Duration::from_secs(5);
/// How long a peer may take to read its answer.
const ANSWER_DEADLINE: Duration = Duration::from_secs(30);
/// How long cancelled calls may take to put things back.
const CLEAN_UP: Duration = Duration::from_secs(1);
/// How long clients that were greeted before the daemon was asked to end may still send calls.
const LAST_REQUESTS: Duration = Duration::from_millis(100);
/// How long calls go on after the daemon was asked to end: longer than any call is allowed.
const LAST_CALLS: Duration = Duration::from_secs(900);

/// Gives the engine of a caller the settings that a command sent.
pub type Configure = dyn Fn(Engine, Value) -> Result<Engine> + Send + Sync;

/// The daemon of one session.
pub struct Server {
    /// Where it listens.
    pub endpoint: Endpoint,
    /// After how long without a command it ends.
    pub idle: Duration,
    /// Those whose commands it answers.
    pub callers: Callers,
    /// Gives an engine the settings of a call.
    pub configure: Box<Configure>,
    /// What every call passes.
    pub gate: Gate,
    /// What it is a part of.
    pub program: Program,
}

/// What the connections share.
struct Shared {
    server: Server,
    build: Build,
    started: Instant,
    answered: AtomicU64,
    /// When the last command came or ended, in milliseconds after the start.
    used: AtomicU64,
    connections: Arc<Semaphore>,
    calls: Arc<Semaphore>,
    /// It was asked to end.
    stop: CancellationToken,
    /// It listens no more.
    closed: CancellationToken,
    /// Its calls are ended.
    cancelled: CancellationToken,
}

/// Why a daemon ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Idle,
    Stopped,
    Signal,
    Session,
}

impl Server {
    /// Serves the commands that connect to `listener`, until it has been idle for too long, is asked to end, `signal` is
    /// cancelled, or `session_end` comes.
    pub async fn serve(
        self,
        listener: std::os::unix::net::UnixListener,
        signal: CancellationToken,
        session_end: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(listener)?;
        let number = self.endpoint.number()?;
        let shared = Arc::new(Shared {
            build: Build::of(&(self.program.file)()?),
            started: Instant::now(),
            answered: AtomicU64::new(0),
            connections: Arc::new(Semaphore::new(CONNECTIONS as usize)),
            calls: Arc::new(Semaphore::new(CONNECTIONS as usize)),
            used: AtomicU64::new(0),
            stop: CancellationToken::new(),
            closed: CancellationToken::new(),
            cancelled: CancellationToken::new(),
            server: self,
        });
        tokio::pin!(session_end);
        let end = loop {
            let end = tokio::select! {
                end = shared.accept(&listener) => end?,
                () = shared.stop.cancelled() => End::Stopped,
                () = signal.cancelled() => End::Signal,
                () = &mut session_end => End::Session,
            };
            let endpoint = shared.server.endpoint.clone();
            let lock =
                tokio::task::spawn_blocking(move || endpoint.lock()).await.map_err(io::Error::other)?;
            let lock = match lock {
                Ok(lock) => lock,
                // Its folder is gone with the session, or somebody holds the lock for ever: then the socket stays, dead.
                Err(error) => {
                    tracing::debug!(%error, "the socket is not removed");
                    break end;
                }
            };
            // A command may have come at the last moment. From here on, none can start another daemon.
            if end == End::Idle
                && let Some(Ok((stream, _))) = listener.accept().now_or_never()
            {
                shared.take(stream).await;
                continue;
            }
            shared.server.endpoint.remove(number, lock);
            break end;
        };
        drop(listener);
        shared.closed.cancel();
        tracing::info!(?end, answered = shared.answered.load(Ordering::Relaxed), "the daemon ends");
        shared.finish(end, &signal).await;
        Ok(())
    }
}

impl Shared {
    /// Takes connections until there was none for too long.
    async fn accept(self: &Arc<Self>, listener: &UnixListener) -> io::Result<End> {
        loop {
            let room = self.connections.acquire().await.map_err(io::Error::other)?;
            let due =
                self.started + Duration::from_millis(self.used.load(Ordering::Relaxed)) + self.server.idle;
            tokio::select! {
                accepted = listener.accept() => {
                    drop(room);
                    match accepted {
                        Ok((stream, _)) => self.take(stream).await,
                        // For example no file descriptor is free: that passes.
                        Err(error) => {
                            tracing::warn!(%error, "a connection is not taken");
                            tokio::time::sleep(ALIVE).await;
                        }
                    }
                }
                () = sleep_until(due) => {
                    // Somebody who was greeted may be about to ask.
                    drop(room);
                    if self.connections.available_permits() == CONNECTIONS as usize {
                        return Ok(End::Idle);
                    }
                    self.touch();
                }
            }
        }
    }

    /// Serves a connection on a task of its own, once there is room for it.
    async fn take(self: &Arc<Self>, stream: UnixStream) {
        let Ok(room) = Arc::clone(&self.connections).acquire_owned().await else { return };
        let shared = Arc::clone(self);
        tokio::spawn(async move {
            if let Err(error) = shared.converse(stream).await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(room);
        });
    }

    /// A command came or ended.
    fn touch(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.used.store(now, Ordering::Relaxed);
    }

    async fn converse(&self, stream: UnixStream) -> io::Result<()> {
        let mut channel = Channel::new(stream)?;
        let hello = Hello { build: self.build.to_string(), pid: std::process::id() };
        let asked = async {
            channel.write(&hello, b"").await?;
            channel.read::<Request>(REQUEST).await
        };
        match timeout(REQUEST_DEADLINE, asked).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok(Some(Request::Call(request))) => self.call(channel, *request).await,
            Ok(Some(Request::Status)) => answer(&mut channel, &Reply::Status(self.status()), b"").await,
            Ok(Some(Request::Stop)) => {
                self.stop.cancel();
                self.closed.cancelled().await;
                answer(&mut channel, &Reply::Stopping, b"").await?;
                // The connection ends with the process.
                std::future::pending().await
            }
            Ok(Some(Request::Cancel | Request::PersonReply { .. }) | None) => Ok(()),
            Err(error) => {
                answer(&mut channel, &Reply::Misunderstood, b"").await?;
                Err(error)
            }
        }
    }

    async fn call(&self, mut channel: Channel, request: CallRequest) -> io::Result<()> {
        let _running = self.calls.acquire().await.map_err(io::Error::other)?;
        self.touch();
        let (wants_picture, wants_logs) = (request.picture, request.logs);
        let logs = DebugLogs::default();
        let user = channel.user;
        let cancelled = self.cancelled.child_token();
        let result = {
            let (person, mut questions) = Afar::new();
            let running = logs.collect(self.run(user, request, Arc::new(person), cancelled.clone()));
            tokio::pin!(running);
            let mut open = Open::default();
            let mut alive = interval(ALIVE);
            let mut is_wanted = true;
            loop {
                tokio::select! {
                    result = &mut running => break result,
                    _ = alive.tick() => {
                        let sent = timeout(ANSWER_DEADLINE, channel.write(&Reply::Alive, b"")).await;
                        if !matches!(sent, Ok(Ok(()))) {
                            cancelled.cancel();
                        }
                    }
                    Some(put) = questions.recv(), if is_wanted => {
                        let question = Reply::Ask(Box::new(open.ask(put)));
                        if answer(&mut channel, &question, b"").await.is_err() {
                            cancelled.cancel();
                        }
                    }
                    received = channel.read::<Request>(PERSON_REPLY), if is_wanted => {
                        if let Ok(Some(Request::PersonReply { number, reply })) = received {
                            open.take(number, reply);
                        } else {
                            // Whatever it is, the end included: the answer is no longer wanted.
                            is_wanted = false;
                            cancelled.cancel();
                        }
                    }
                }
            }
        };
        self.answered.fetch_add(1, Ordering::Relaxed);
        self.touch();
        let (result, picture) = match result {
            Ok(answer) => {
                let (shown, picture) = ShownAnswer::of(answer, wants_picture);
                (Ok(shown), picture)
            }
            Err(error) => (Err(error), Vec::new()),
        };
        let logs = if wants_logs { logs.entries_so_far() } else { Vec::new() };
        answer(&mut channel, &Reply::Answer(Box::new(CallAnswer { result, logs })), &picture).await
    }

    async fn run(
        &self,
        user: u32,
        request: CallRequest,
        person: Arc<Afar>,
        cancelled: CancellationToken,
    ) -> Result<Answer> {
        let caller = Caller::of_socket(user, &request.caller)?;
        let engine = (self.server.configure)(self.server.callers.engine(&caller), request.settings)?;
        let name = request.operation;
        let operation = registry::by_tool(&name)
            .ok_or_else(|| Error::internal(format!("'{name}' is no operation of the daemon")))?;
        let input = reference::completed(operation.meta(), request.input.clone(), &engine)?;
        let rounds = request
            .person
            .map(|there| Rounds::new(person, there.unproven, engine.patience, cancelled.clone()));
        let limit = request.limit_ms.map(Duration::from_millis);
        let result = Rounds::run(rounds.as_ref(), limit, |client, limit| {
            let input = operation.accept(input.clone());
            let budget = request.budget.unwrap_or(SHELL.budget);
            // The daemon is there for the next command too.
            let mut call = Call::new(Reader { remembered: true, budget, ..SHELL }, cancelled.clone());
            call.client = client;
            if let Some(limit) = limit {
                call = call.within(limit);
            }
            let engine = &engine;
            async move { self.server.gate.call(engine, operation, input?, call).await }
        });
        result.await.map_err(|error| match error.code {
            ErrorCode::AppNotFound => {
                reference::unknown(operation.meta(), &request.input, &engine).unwrap_or(error)
            }
            _ => error,
        })
    }

    fn status(&self) -> Status {
        Status {
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime_seconds: self.started.elapsed().as_secs(),
            idle_seconds: self.server.idle.as_secs(),
            answered: self.answered.load(Ordering::Relaxed),
            calls: CONNECTIONS as usize - self.calls.available_permits(),
        }
    }

    /// Lets the calls that run come to their end.
    async fn finish(&self, end: End, signal: &CancellationToken) {
        if end == End::Stopped {
            // Clients that were greeted send their calls now or never.
            tokio::time::sleep(LAST_REQUESTS).await;
        }
        let all_ended = || self.calls.acquire_many(CONNECTIONS);
        let patience = match end {
            End::Idle | End::Stopped => LAST_CALLS,
            // They find out by themselves that their desktop is gone.
            End::Session => CLEAN_UP * 3,
            End::Signal => Duration::ZERO,
        };
        tokio::select! {
            _ = timeout(patience, all_ended()) => {}
            () = signal.cancelled(), if end != End::Signal => {}
        }
        self.cancelled.cancel();
        if timeout(CLEAN_UP, all_ended()).await.is_err() {
            tracing::debug!("calls that were cancelled have not ended");
        }
    }
}

/// Sends the answer to a peer that reads it.
async fn answer(channel: &mut Channel, reply: &Reply, bytes: &[u8]) -> io::Result<()> {
    let sent = timeout(ANSWER_DEADLINE, channel.write(reply, bytes)).await;
    sent.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
