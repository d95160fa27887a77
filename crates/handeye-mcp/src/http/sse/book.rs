//! Which sessions there are and whose they are, within bounds. None makes room for another: each has a client that listens.

use super::session::Session;
use crate::http::metrics::Present;
use handeye_call::caller::Caller;
use prometheus_client::metrics::gauge::Gauge;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Most sessions at once.
const MOST: usize = 128;
/// Most of one caller.
const MOST_OF_CALLER: usize = 32;

type Sessions = HashMap<String, (Caller, Arc<Session>)>;

/// The sessions by their ids.
#[derive(Default)]
pub(super) struct Book {
    sessions: Arc<Mutex<Sessions>>,
    count: Gauge,
}

impl Book {
    /// None yet. They are counted with those of others.
    pub(super) fn counted(count: Gauge) -> Self {
        Self { sessions: Arc::default(), count }
    }

    /// Enters a session of a caller, until what is returned is dropped; that cancels `ended`. `None` if there is no place.
    pub(super) fn enter(&self, caller: Caller, session: Session, ended: CancellationToken) -> Option<Entry> {
        let mut sessions = locked(&self.sessions);
        let of_caller = sessions.values().filter(|(owner, _)| *owner == caller).count();
        if sessions.len() >= MOST || of_caller >= MOST_OF_CALLER {
            return None;
        }
        // 122 random bits. It is no authorization: each message needs the token too.
        let id = Uuid::new_v4().simple().to_string();
        sessions.insert(id.clone(), (caller, Arc::new(session)));
        Some(Entry { sessions: Arc::clone(&self.sessions), id, ended, _present: Present::of(&self.count) })
    }

    /// The session with this id, if it is this caller's.
    pub(super) fn of(&self, id: &str, caller: &Caller) -> Option<Arc<Session>> {
        let sessions = locked(&self.sessions);
        sessions.get(id).filter(|(owner, _)| owner == caller).map(|(_, session)| Arc::clone(session))
    }
}

/// A poisoned lock is taken over: every change is one call.
fn locked(sessions: &Mutex<Sessions>) -> MutexGuard<'_, Sessions> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session's place in the book.
pub(super) struct Entry {
    sessions: Arc<Mutex<Sessions>>,
    id: String,
    ended: CancellationToken,
    _present: Present,
}

impl Entry {
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        locked(&self.sessions).remove(&self.id);
        self.ended.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::sse::session::pair;

    #[test]
    fn a_session_is_its_callers_and_there_are_not_too_many() {
        let book = Book::default();
        let enter = |caller: &Caller| book.enter(caller.clone(), pair().0, CancellationToken::new());
        let (greedy, other) = (Caller::HTTP_TOKEN, Caller::of_http("other").expect("short"));
        let mut entries: Vec<Entry> = (0..MOST_OF_CALLER).map(|_| enter(&greedy).expect("a place")).collect();
        assert!(enter(&greedy).is_none());
        let of_other = enter(&other).expect("its own place");
        assert!(book.of(of_other.id(), &other).is_some() && book.of(of_other.id(), &greedy).is_none());
        let last = entries.pop().expect("some");
        let (id, ended) = (last.id().to_owned(), last.ended.clone());
        drop(last);
        assert!(ended.is_cancelled() && book.of(&id, &greedy).is_none() && enter(&greedy).is_some());
    }
}
