//! An authorization server whose access tokens are accepted, and its keys: kept for a while, and fetched again when a token names one that is
//! not known.

use crate::access_token::{self, Claims};
use crate::discovery;
use crate::keys::Keys;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use handeye_core::{Error, ErrorCode, Result};
use reqwest::Client;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long keys are used before they are fetched again.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// How long keys are used at most while the issuer cannot be reached.
const USABLE: Duration = Duration::from_secs(60 * 60);
/// How often keys are fetched at most: each token can name a key that nobody has.
const BETWEEN: Duration = Duration::from_secs(10);

/// Why a token was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unaccepted {
    /// It is not valid.
    Invalid(&'static str),
    /// The issuer's keys are not available.
    Unavailable,
}

/// An authorization server.
pub struct Issuer {
    url: String,
    audience: String,
    client: Client,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    keys: Option<(Arc<Keys>, Instant)>,
    /// When they were fetched last, with or without success.
    tried: Option<Instant>,
    /// Whether that failed.
    failed: bool,
    fetching: Option<Shared<BoxFuture<'static, ()>>>,
}

impl Issuer {
    /// The issuer at `url`, whose tokens have to be for `audience`. Its keys are fetched, within ten seconds or so.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidParameter`] if it is no issuer's URL, and [`ErrorCode::Io`] if its keys are not available.
    pub async fn begin(url: &str, audience: &str) -> Result<Self> {
        discovery::issuer_url(url).map_err(|why| Error::invalid_parameter("auth-issuer", why))?;
        let client = tokio::task::spawn_blocking(discovery::client).await.map_err(Error::internal)?;
        let client = client.map_err(|_| Error::internal("no HTTP client can be made"))?;
        let keys = discovery::keys(&client, url).await.map_err(|why| {
            Error::new(ErrorCode::Io, format!("the issuer {url} {why}")).with_next(
                "Start the authorization server first, and pass its issuer exactly as its metadata has it.",
            )
        })?;
        let now = Instant::now();
        let state = State { keys: Some((Arc::new(keys), now)), tried: Some(now), ..State::default() };
        let state = Arc::new(Mutex::new(state));
        Ok(Self { url: url.to_owned(), audience: audience.to_owned(), client, state })
    }

    /// The issuer's URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What tokens have to be for: the URI of this server.
    pub fn audience(&self) -> &str {
        &self.audience
    }

    /// Whose a token is and what it grants.
    pub(crate) async fn accept(&self, token: &str) -> std::result::Result<Claims, Unaccepted> {
        let head = access_token::head(token).map_err(Unaccepted::Invalid)?;
        let keys = self.keys(head.key.as_deref()).await?;
        let key = keys.find(head.key.as_deref()).ok_or(Unaccepted::Invalid("its key is not the issuer's"))?;
        access_token::verify(token, &head, key, &self.url, &self.audience).map_err(Unaccepted::Invalid)
    }

    /// The keys, fetched again if they are old or lack the one that is wanted.
    async fn keys(&self, wanted: Option<&str>) -> std::result::Result<Arc<Keys>, Unaccepted> {
        let fetching = {
            let mut state = self.state();
            let age = state.keys.as_ref().map(|(_, since)| since.elapsed());
            let has = state.keys.as_ref().is_some_and(|(keys, _)| keys.find(wanted).is_some());
            if !has || age.is_none_or(|age| age >= FRESH) { self.fetching(&mut state) } else { None }
        };
        if let Some(fetching) = fetching {
            fetching.await;
        }
        let state = self.state();
        match &state.keys {
            Some((keys, since)) if since.elapsed() < USABLE => {
                if state.failed && keys.find(wanted).is_none() {
                    return Err(Unaccepted::Unavailable);
                }
                Ok(Arc::clone(keys))
            }
            _ => Err(Unaccepted::Unavailable),
        }
    }

    /// The fetch that is under way, or a new one if it is time for one.
    fn fetching(&self, state: &mut State) -> Option<Shared<BoxFuture<'static, ()>>> {
        if let Some(fetching) = &state.fetching {
            return Some(fetching.clone());
        }
        if state.tried.is_some_and(|tried| tried.elapsed() < BETWEEN) {
            return None;
        }
        state.tried = Some(Instant::now());
        let (client, url, kept) = (self.client.clone(), self.url.clone(), Arc::clone(&self.state));
        // In a task of its own: the request that caused it may be dropped, and others wait for it.
        let task = tokio::spawn(async move {
            let fetched = discovery::keys(&client, &url).await;
            let mut state = locked(&kept);
            state.fetching = None;
            state.failed = fetched.is_err();
            match fetched {
                Ok(keys) => state.keys = Some((Arc::new(keys), Instant::now())),
                Err(why) => tracing::warn!(issuer = url, why, "the issuer's keys cannot be fetched"),
            }
        });
        let fetching = task.map(drop).boxed().shared();
        state.fetching = Some(fetching.clone());
        Some(fetching)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }
}

/// A poisoned lock is taken over: every change is one assignment.
fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issuer")
            .field("url", &self.url)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}
