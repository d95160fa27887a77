//! Carries a request to a provider and its answer back: bounded in time and size, to that address and no other.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, StatusCode, Url, redirect};
use std::error::Error as StdError;
use std::io;
use std::time::Duration;
use tokio::sync::OnceCell;

/// How long a connection may take to come about.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long a connection is kept for the next question.
const IDLE: Duration = Duration::from_secs(15);
/// Most bytes of an answer. A long answer has some thousands.
const MAX_ANSWER: usize = 8 * 1024 * 1024;
/// How deep the causes of an error are followed.
const DEEPEST_CAUSE: usize = 16;

/// The HTTP clients. Each is built when it is needed first: the one for https reads the system's certificates, which a local
/// model has no need of.
#[derive(Default)]
pub(crate) struct Http {
    plain: OnceCell<Client>,
    secure: OnceCell<Client>,
}

/// A request. With a body it is a POST of JSON, else a GET.
pub(crate) struct Request {
    pub(crate) url: Url,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Option<Vec<u8>>,
}

/// An answer, whole.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Why there is no whole answer. The texts complete a sentence and hold no URL.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No connection came about.
    Unreachable(String),
    /// The connection is not one that can be trusted.
    Untrusted(String),
    /// It took longer than allowed.
    TimedOut,
    /// The answer ended before it was whole.
    Torn(String),
    /// The answer is longer than [`MAX_ANSWER`].
    TooLarge,
    /// The HTTP client could not be built.
    NoClient(String),
}

impl Http {
    /// Sends a request and waits for the whole answer, at most `limit`. Dropping the future closes the connection.
    pub(crate) async fn send(&self, request: Request, limit: Duration) -> Result<Received, Fault> {
        tokio::time::timeout(limit, self.exchange(request)).await.unwrap_or(Err(Fault::TimedOut))
    }

    async fn exchange(&self, request: Request) -> Result<Received, Fault> {
        let client = self.client(request.url.scheme() == "https").await?;
        let mut builder = match request.body {
            Some(body) => client.post(request.url).header("content-type", "application/json").body(body),
            None => client.get(request.url),
        };
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        let mut response = builder.send().await.map_err(|error| fault(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| fault(&error))? {
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(Fault::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Received { status, headers, body })
    }

    async fn client(&self, secure: bool) -> Result<&Client, Fault> {
        let cell = if secure { &self.secure } else { &self.plain };
        cell.get_or_try_init(|| async move {
            tokio::task::spawn_blocking(move || build(secure))
                .await
                .map_err(|error| Fault::NoClient(error.to_string()))?
                .map_err(|error| Fault::NoClient(last_cause(&error)))
        })
        .await
    }
}

/// A client that follows no redirect and uses no proxy: either would take the key somewhere else. It asks for no compression,
/// so that the limit of an answer's size is one of memory too.
fn build(secure: bool) -> reqwest::Result<Client> {
    let builder = Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECTING)
        .pool_idle_timeout(IDLE)
        .user_agent(concat!("handeye/", env!("CARGO_PKG_VERSION")));
    if secure { builder.https_only(true).build() } else { builder.tls_certs_only([]).build() }
}

fn fault(error: &reqwest::Error) -> Fault {
    if !error.is_connect() {
        return if error.is_timeout() { Fault::TimedOut } else { Fault::Torn(torn(error)) };
    }
    let causes = causes(error);
    let mentions = |words: &[&str]| causes.iter().any(|cause| words.iter().any(|word| cause.contains(word)));
    if mentions(&["certificate", "corrupt message", "handshake", "fatal alert", "tls"]) {
        return Fault::Untrusted(format!("TLS failed: {}", last_cause(error)));
    }
    let refused = io_kinds(error).contains(&io::ErrorKind::ConnectionRefused);
    Fault::Unreachable(if error.is_timeout() {
        format!("no connection within {} s", CONNECTING.as_secs())
    } else if refused {
        "the connection was refused; nothing listens there".to_owned()
    } else if mentions(&["dns error", "failed to lookup"]) {
        "its name cannot be resolved (DNS)".to_owned()
    } else {
        last_cause(error)
    })
}

fn torn(error: &reqwest::Error) -> String {
    let broken = [io::ErrorKind::ConnectionReset, io::ErrorKind::BrokenPipe, io::ErrorKind::UnexpectedEof];
    let early =
        causes(error).iter().any(|cause| cause.contains("before message") || cause.contains("end of file"));
    if early || io_kinds(error).iter().any(|kind| broken.contains(kind)) {
        "the connection closed before it was whole".to_owned()
    } else {
        last_cause(error)
    }
}

fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let next = |error: &&'a (dyn StdError + 'static)| -> Option<&'a (dyn StdError + 'static)> {
        StdError::source(*error)
    };
    std::iter::successors(Some(error), next).take(DEEPEST_CAUSE)
}

/// What lies below the error itself, which would show the URL.
fn causes(error: &reqwest::Error) -> Vec<String> {
    chain(error).skip(1).map(|cause| cause.to_string().to_lowercase()).collect()
}

fn io_kinds(error: &reqwest::Error) -> Vec<io::ErrorKind> {
    chain(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind).collect()
}

/// The innermost cause.
fn last_cause(error: &reqwest::Error) -> String {
    chain(error).skip(1).last().map_or_else(|| "it failed".to_owned(), ToString::to_string)
}
