//! Sessions of clients before 2026-07-28, within a bound: when all places are taken, the session that was idle longest makes
//! room. Its client learns that with its next request and begins again, which costs it nothing: what is remembered between
//! calls is the engine's.

use super::metrics::Present;
use super::replay::{self, Replay};
use crate::tasks::legacy;
use futures_util::future::Either;
use futures_util::{Stream, StreamExt};
use prometheus_client::metrics::gauge::Gauge;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionError,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Most sessions at once.
const MAX_SESSIONS: usize = 128;
/// How long a session may be idle: an agent waits for its user over lunch, and longer.
const KEEP_ALIVE: Duration = Duration::from_secs(12 * 60 * 60);
/// How long a session that makes room may take to end; after it, it ends by itself.
const EVICTION: Duration = Duration::from_secs(1);

/// The SDK's sessions, counted.
pub(super) struct Sessions {
    inner: LocalSessionManager,
    places: Arc<Semaphore>,
    book: Arc<Mutex<Book>>,
    /// How many there are, with those of others.
    count: Gauge,
}

type Book = HashMap<SessionId, Use>;

/// How a session is used.
struct Use {
    /// When a request began or ended last.
    last: Instant,
    /// Requests under way whose client still waits for the answer.
    requests: usize,
    /// Streams for messages that answer no request.
    listening: usize,
    /// Cancelled when the session is over.
    over: CancellationToken,
    _ends: DropGuard,
    _place: OwnedSemaphorePermit,
    _present: Present,
}

/// What a stream is for.
#[derive(Clone, Copy)]
enum Purpose {
    Request,
    Listening,
}

impl Purpose {
    fn count(self, usage: &mut Use) -> &mut usize {
        match self {
            Self::Request => &mut usage.requests,
            Self::Listening => &mut usage.listening,
        }
    }
}

/// A stream that a client reads, counted for as long as it lives.
struct Reading {
    book: Arc<Mutex<Book>>,
    id: SessionId,
    purpose: Purpose,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(usage) = locked(&self.book).get_mut(&self.id) {
            *self.purpose.count(usage) -= 1;
            usage.last = Instant::now();
        }
    }
}

impl Sessions {
    /// None yet. They are counted with those of others.
    pub(super) fn counted(count: Gauge) -> Self {
        Self { count, ..Self::at_most(MAX_SESSIONS) }
    }

    fn at_most(places: usize) -> Self {
        let mut inner = LocalSessionManager::default().with_event_store(Arc::new(Replay::default()));
        inner.session_config.keep_alive = Some(KEEP_ALIVE);
        Self {
            inner,
            places: Arc::new(Semaphore::new(places)),
            book: Arc::default(),
            count: Gauge::default(),
        }
    }

    /// A place for one session more: a free one, or that of the session that was idle longest.
    async fn place(&self) -> Result<OwnedSemaphorePermit, LocalSessionManagerError> {
        if let Some(idlest) = self.take_idlest() {
            tracing::info!("the limit of sessions is reached; the one that was idle longest is closed");
            match tokio::time::timeout(EVICTION, self.inner.close_session(&idlest)).await {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => tracing::debug!(%fault, "a session had ended already"),
                Err(_late) => tracing::debug!("a session has not ended yet"),
            }
        }
        Arc::clone(&self.places).try_acquire_owned().map_err(|_full| {
            let why = "the limit of sessions is reached and all have open requests; try again later";
            SessionError::Io(io::Error::new(io::ErrorKind::ResourceBusy, why)).into()
        })
    }

    /// Removes the session that has to make room, if one has to. A session with a request under way stays; one that a client
    /// listens to goes last.
    fn take_idlest(&self) -> Option<SessionId> {
        let mut book = locked(&self.book);
        if self.places.available_permits() > 0 {
            return None;
        }
        let idle = book.iter().filter(|(_, usage)| usage.requests == 0);
        let (idlest, _) = idle.min_by_key(|(_, usage)| (usage.listening > 0, usage.last))?;
        let idlest = idlest.clone();
        book.remove(&idlest);
        Some(idlest)
    }

    fn touch(&self, id: &SessionId) {
        if let Some(usage) = locked(&self.book).get_mut(id) {
            usage.last = Instant::now();
        }
    }

    fn reading(&self, id: &SessionId, purpose: Purpose) -> Option<Reading> {
        let mut book = locked(&self.book);
        let usage = book.get_mut(id)?;
        *purpose.count(usage) += 1;
        usage.last = Instant::now();
        Some(Reading { book: Arc::clone(&self.book), id: id.clone(), purpose })
    }
}

/// The book stays true when a holder of the lock panics: each change is one assignment.
fn locked(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stream that holds its place in the book.
fn counted<S: Stream>(stream: S, reading: Option<Reading>) -> impl Stream<Item = S::Item> {
    stream.map(move |message| {
        let _held = &reading;
        message
    })
}

type Inner = LocalSessionManager;
type Sent<T> = Result<T, LocalSessionManagerError>;

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Sent<(SessionId, Self::Transport)> {
        let place = self.place().await?;
        let (id, transport) = self.inner.create_session().await?;
        let over = CancellationToken::new();
        let usage = Use {
            last: Instant::now(),
            requests: 0,
            listening: 0,
            _ends: over.clone().drop_guard(),
            over,
            _place: place,
            _present: Present::of(&self.count),
        };
        locked(&self.book).insert(id.clone(), usage);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Sent<ServerJsonRpcMessage> {
        let _reading = self.reading(id, Purpose::Request);
        self.inner.initialize_session(id, message).await.map(legacy::initialized)
    }

    async fn has_session(&self, id: &SessionId) -> Sent<bool> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Sent<()> {
        locked(&self.book).remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Sent<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let reading = self.reading(id, Purpose::Request);
        Ok(counted(self.inner.create_stream(id, message).await?, reading))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Sent<()> {
        self.touch(id);
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Sent<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let reading = self.reading(id, Purpose::Listening);
        Ok(counted(self.inner.create_standalone_stream(id).await?, reading))
    }

    /// The events come from what is kept of them, also after the call has ended.
    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Sent<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let over = locked(&self.book).get(id).map(|usage| usage.over.clone());
        let over = over.filter(|_| replay::may_be_of(&last_event_id, id));
        let over = over.ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))?;
        let reading = self.reading(id, Purpose::Listening);
        let is_common = replay::is_common(&last_event_id, id);
        let events = match self.inner.resume(id, last_event_id).await {
            Ok(replay) => Either::Left(replay),
            // Nothing is kept after that event, and what comes from now on is what its client waits for.
            Err(_) if is_common => Either::Right(self.inner.create_standalone_stream(id).await?),
            Err(error) => return Err(error),
        };
        Ok(counted(events.take_until(over.cancelled_owned()), reading))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn opened(sessions: &Sessions) -> SessionId {
        // The other end is left to itself: nothing is sent here.
        let (id, transport) = sessions.create_session().await.expect("a place");
        std::mem::forget(transport);
        id
    }

    async fn is_there(sessions: &Sessions, id: &SessionId) -> bool {
        sessions.has_session(id).await.expect("known or not")
    }

    #[tokio::test(start_paused = true)]
    async fn the_idlest_session_makes_room() {
        let sessions = Sessions::at_most(2);
        let first = opened(&sessions).await;
        tokio::time::advance(Duration::from_secs(1)).await;
        let second = opened(&sessions).await;
        tokio::time::advance(Duration::from_secs(1)).await;
        sessions.touch(&first);
        let third = opened(&sessions).await;
        assert!(is_there(&sessions, &first).await && is_there(&sessions, &third).await);
        assert!(!is_there(&sessions, &second).await);
        assert_eq!(locked(&sessions.book).len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_an_answer_stays_and_who_listens_goes_last() {
        let sessions = Sessions::at_most(3);
        let works = opened(&sessions).await;
        let working = sessions.reading(&works, Purpose::Request);
        let listens = opened(&sessions).await;
        let listening = sessions.reading(&listens, Purpose::Listening);
        tokio::time::advance(Duration::from_secs(1)).await;
        let idle = opened(&sessions).await;
        let next = opened(&sessions).await;
        assert!(!is_there(&sessions, &idle).await, "a younger session that nobody listens to");
        let busy = sessions.reading(&next, Purpose::Request);
        let last = opened(&sessions).await;
        assert!(!is_there(&sessions, &listens).await);
        let _all_busy = (working, busy, sessions.reading(&last, Purpose::Request));
        let refused = sessions.create_session().await.map(|(id, _)| id).expect_err("all are at work");
        assert!(refused.to_string().contains("the limit of sessions is reached"), "{refused}");
        drop(listening);
        assert!(is_there(&sessions, &works).await);
    }

    #[tokio::test]
    async fn a_closed_session_frees_its_place() {
        let sessions = Sessions::at_most(1);
        for _ in 0..3 {
            let id = opened(&sessions).await;
            let _reading = sessions.reading(&id, Purpose::Request);
            sessions.close_session(&id).await.expect("closed");
        }
        assert!(locked(&sessions.book).is_empty());
    }
}
