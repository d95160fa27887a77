//! The callers of a server, each with sessions of its own: the id of another's session is as unknown as one that never was.

use super::sessions::Sessions;
use axum::Extension;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use handeye_auth::Grant;
use handeye_call::caller::Caller;
use hyper::body::{Frame, SizeHint};
use prometheus_client::metrics::gauge::Gauge;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// Most callers whose sessions are kept.
const MOST: usize = 32;

/// How long an answer may go on after its authorization has expired: as long as a call may take.
pub(super) const LAST_ANSWER: Duration = Duration::from_secs(600);

/// Makes what answers one session, or one request without a session.
pub type NewSession<S> = Box<dyn Fn() -> S + Send + Sync>;

/// Makes that for a caller.
type OfCaller<S> = Box<dyn Fn(&Caller) -> NewSession<S> + Send + Sync>;

/// The callers of a server.
pub(super) struct Principals<S> {
    handler: OfCaller<S>,
    config: StreamableHttpServerConfig,
    sessions: Gauge,
    known: Mutex<HashMap<Caller, Known<S>>>,
}

struct Known<S> {
    new_session: Arc<NewSession<S>>,
    service: Arc<StreamableHttpService<S, Sessions>>,
    /// When it was asked for last.
    used: Instant,
}

impl<S: ServerHandler> Principals<S> {
    /// Nobody yet. `handler` makes what answers a caller; `sessions` counts.
    pub(super) fn new(
        handler: impl Fn(&Caller) -> NewSession<S> + Send + Sync + 'static,
        config: StreamableHttpServerConfig,
        sessions: Gauge,
    ) -> Self {
        Self { handler: Box::new(handler), config, sessions, known: Mutex::default() }
    }

    /// What answers one more session of a caller that other code than the SDK's begins, and what shows for as long as it lives that the
    /// caller is at work. `None` if as many callers as may be are at work.
    pub(super) fn session(&self, caller: &Caller) -> Option<(S, Arc<StreamableHttpService<S, Sessions>>)> {
        let at_work = self.service(caller)?;
        let new_session = self.known().get(caller).map(|there| Arc::clone(&there.new_session))?;
        Some((new_session(), at_work))
    }

    /// What answers a caller: what did before, if that is still there. `None` if as many as may be are all at work.
    fn service(&self, caller: &Caller) -> Option<Arc<StreamableHttpService<S, Sessions>>> {
        let mut known = self.known();
        if let Some(there) = known.get_mut(caller) {
            there.used = Instant::now();
            return Some(Arc::clone(&there.service));
        }
        while known.len() >= MOST {
            let idle = known.iter().filter(|(_, there)| Arc::strong_count(&there.service) == 1);
            let idlest = idle.min_by_key(|(_, there)| there.used).map(|(caller, _)| caller.clone())?;
            known.remove(&idlest);
        }
        let new_session = Arc::new((self.handler)(caller));
        let of_service = Arc::clone(&new_session);
        let service = StreamableHttpService::new(
            move || Ok(of_service()),
            Arc::new(Sessions::counted(self.sessions.clone())),
            self.config.clone(),
        );
        let service = Arc::new(service);
        let there = Known { new_session, service: Arc::clone(&service), used: Instant::now() };
        known.insert(caller.clone(), there);
        Some(service)
    }

    /// A poisoned lock is taken over: every change is one call.
    fn known(&self) -> MutexGuard<'_, HashMap<Caller, Known<S>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has a request answered by the sessions of its caller.
pub(super) async fn dispatch<S: ServerHandler>(
    State(principals): State<Arc<Principals<S>>>,
    Extension(grant): Extension<Grant>,
    request: Request,
) -> Response {
    let Some(service) = principals.service(&grant.caller) else {
        return (StatusCode::SERVICE_UNAVAILABLE, "Too many callers are at work.\n").into_response();
    };
    let end = grant.valid_for.map(|valid| Box::pin(sleep(valid.saturating_add(LAST_ANSWER))));
    service
        .handle(request)
        .await
        .map(|body| Body::new(Held { body: Body::new(body), end, _service: service }))
}

/// The body of an answer. It ends a while after the authorization of its request does: who listens has to come again. A caller is at work until its last answer has ended.
struct Held<S: ServerHandler> {
    body: Body,
    /// When it ends for good.
    end: Option<Pin<Box<Sleep>>>,
    _service: Arc<StreamableHttpService<S, Sessions>>,
}

impl<S: ServerHandler> HttpBody for Held<S> {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if self.end.as_mut().is_some_and(|end| end.as_mut().poll(context).is_ready()) {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Silent;

    impl ServerHandler for Silent {}

    fn caller(number: usize) -> Caller {
        Caller::of_http(&number.to_string()).expect("short")
    }

    #[tokio::test(start_paused = true)]
    async fn each_caller_has_sessions_of_its_own_and_the_idlest_makes_room() {
        let principals =
            Principals::new(|_| Box::new(|| Silent), StreamableHttpServerConfig::default(), Gauge::default());
        let mut services = Vec::new();
        for number in 0..MOST {
            services.push(principals.service(&caller(number)).expect("a place"));
            tokio::time::advance(std::time::Duration::from_secs(1)).await;
        }
        assert!(!Arc::ptr_eq(&services[0], &services[1]));
        assert!(Arc::ptr_eq(&services[1], &principals.service(&caller(1)).expect("there")));
        assert!(principals.service(&caller(MOST)).is_none(), "all are at work");
        services.truncate(MOST - 2);
        assert!(principals.service(&caller(MOST)).is_some());
        let known = principals.known();
        assert!(!known.contains_key(&caller(MOST - 2)) && known.contains_key(&caller(MOST - 1)));
    }
}
