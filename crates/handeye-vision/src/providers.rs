//! Choosing a provider and asking it.

use crate::configuration::{Configuration, Entry, Environment};
use crate::failure::{Asked, is_up};
use crate::http::{Fault, Http, Request};
use crate::local;
use crate::provider::{self, Provider};
use crate::secret::Key;
use async_trait::async_trait;
use futures_util::stream::{FuturesOrdered, StreamExt};
use handeye_core::vision::{
    EncodedPicture, KeyPage, Model, ModelChoice, PictureLimits, Reply, Vision, not_configured,
};
use handeye_core::{Error, ErrorCode, Result};
use reqwest::header::{HeaderName, HeaderValue};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a local provider may take to show that it is up.
const CHECKING: Duration = Duration::from_millis(1500);
/// How long it then counts as up, or as not.
const REMEMBERED: Duration = Duration::from_secs(10);

/// The configured AI providers.
pub struct Providers {
    environment: Environment,
    /// Read at the first question: callers that ask none get no errors about it.
    configuration: OnceLock<Configuration>,
    http: Http,
    /// The Ollama of this machine, once it was found.
    local: OnceLock<Entry>,
    /// When it was looked for last.
    looked: tokio::sync::Mutex<Option<Instant>>,
    /// Why a provider is not up, or `None` if it is, and when that was found out. As many as there are configured.
    checked: Mutex<HashMap<String, (Instant, Option<String>)>>,
}

impl Providers {
    /// The providers that the environment names. Nothing is read yet.
    pub fn new(environment: Environment) -> Self {
        Self {
            environment,
            configuration: OnceLock::new(),
            http: Http::default(),
            local: OnceLock::new(),
            looked: tokio::sync::Mutex::default(),
            checked: Mutex::default(),
        }
    }

    fn configuration(&self) -> &Configuration {
        self.configuration.get_or_init(|| {
            let configuration = Configuration::new(&self.environment);
            for fault in &configuration.faults {
                tracing::warn!("{}: {fault}", self.environment.variable);
            }
            configuration
        })
    }

    /// The models that are configured, or the one that was found.
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.configuration().entries.iter().chain(self.local.get())
    }

    /// The first entry of the provider of that name.
    fn entry(&self, provider: &str) -> Option<&Entry> {
        self.entries().find(|entry| entry.provider.name == provider)
    }

    /// Looks for an Ollama of this machine where no model is configured, and remembers for a moment that there is none.
    async fn look_here(&self) {
        let Some(address) = &self.environment.local else { return };
        let mut looked = self.looked.lock().await;
        if self.local.get().is_some() || looked.is_some_and(|when| when.elapsed() < REMEMBERED) {
            return;
        }
        if let Some(found) = local::find(&self.http, address).await {
            self.local.get_or_init(|| found);
        }
        *looked = Some(Instant::now());
    }

    fn keys(&self) -> Vec<&Key> {
        self.configuration().entries.iter().filter_map(|entry| entry.provider.key.as_ref()).collect()
    }

    /// The first configured model whose provider is available. All are looked at side by side.
    async fn first_available(&self) -> Result<&Entry> {
        let mut checks: FuturesOrdered<_> = self
            .entries()
            .map(|entry| async move { (entry, self.unavailable(&entry.provider).await) })
            .collect();
        let mut found = Vec::new();
        while let Some((entry, why)) = checks.next().await {
            match why {
                None => return Ok(entry),
                Some(why) => found.push(format!("{}: {why}", entry.model)),
            }
        }
        found.extend(self.configuration().faults.iter().cloned());
        let message =
            format!("No configured AI providers in {} are currently operational.", self.environment.variable);
        Err(Error::new(ErrorCode::AnalysisUnavailable, message)
            .with_found(found)
            .with_next("Set the key of a cloud provider, or start a local one."))
    }

    /// Why a provider cannot be asked now; `None` if it can.
    async fn unavailable(&self, provider: &Provider) -> Option<String> {
        if let Some(missing) = missing_key(provider) {
            return Some(missing);
        }
        if provider.needs_key {
            return None;
        }
        let remembered = self.checked().get(&provider.name).cloned();
        if let Some((when, why)) = remembered
            && when.elapsed() < REMEMBERED
        {
            return why;
        }
        let why = self.check(provider).await;
        self.checked().insert(provider.name.clone(), (Instant::now(), why.clone()));
        why
    }

    /// Asks a local provider for something small.
    async fn check(&self, provider: &Provider) -> Option<String> {
        let headers = match headers(provider) {
            Ok(headers) => headers,
            Err(error) => return Some(error.message),
        };
        let url = provider.url(provider.protocol.check_path());
        let address = provider.address();
        match self.http.send(Request { url, headers, body: None }, CHECKING).await {
            Ok(received) if is_up(received.status) => None,
            Ok(received) => Some(format!("{address} answers with HTTP {}", received.status.as_u16())),
            // It is there and has much to say.
            Err(Fault::TooLarge) => None,
            Err(Fault::TimedOut) => {
                Some(format!("{address} does not answer within {} s", CHECKING.as_secs_f64()))
            }
            Err(
                Fault::Unreachable(why) | Fault::Untrusted(why) | Fault::Torn(why) | Fault::NoClient(why),
            ) => Some(format!("{address}: {why}")),
        }
    }

    /// A poisoned lock is taken over: every change is one insertion.
    fn checked(&self) -> MutexGuard<'_, HashMap<String, (Instant, Option<String>)>> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Vision for Providers {
    fn configured(&self) -> Vec<Model> {
        self.entries().map(|entry| entry.model.clone()).collect()
    }

    async fn choose(&self, choice: &ModelChoice) -> Result<Model> {
        let asked = choice.provider.as_deref().map(provider::canonical);
        let asked = asked.filter(|name| !name.is_empty() && name != "auto");
        if self.environment.models.is_empty() {
            self.look_here().await;
        }
        if self.environment.models.is_empty() && self.local.get().is_none() {
            return Err(not_configured(&self.environment.variable));
        }
        let entry = match asked {
            None => self.first_available().await?,
            Some(name) => self.entry(&name).ok_or_else(|| self.not_enabled(&name))?,
        };
        match choice.model.as_deref().map(str::trim).filter(|model| !model.is_empty()) {
            Some(model) => Ok(entry.provider.model(model)),
            None => Ok(entry.model.clone()),
        }
    }

    fn key_page(&self, provider: Option<&str>) -> Option<KeyPage> {
        let wanted = provider.map(provider::canonical);
        let mut entries = self.configuration().entries.iter().map(|entry| &entry.provider);
        let keyless = entries.find(|provider| {
            wanted.as_ref().is_none_or(|wanted| provider.name == *wanted) && missing_key(provider).is_some()
        })?;
        Some(KeyPage {
            provider: keyless.name.clone(),
            variable: keyless.key_variable.clone(),
            url: keyless.key_page?,
        })
    }

    fn limits(&self, model: &Model) -> PictureLimits {
        let protocol = self.entry(&model.provider).map(|entry| entry.provider.protocol);
        protocol.unwrap_or(crate::wire::Protocol::OpenAi).limits()
    }

    async fn ask(&self, model: &Model, picture: Option<EncodedPicture>, question: &str) -> Result<Reply> {
        let provider =
            &self.entry(&model.provider).ok_or_else(|| self.not_enabled(&model.provider))?.provider;
        if let Some(missing) = missing_key(provider) {
            return Err(Error::new(
                ErrorCode::AnalysisUnavailable,
                format!("{} cannot be asked: {missing}", provider.name),
            )
            .with_next(format!("Set {} in the environment of handeye.", provider.key_variable)));
        }
        let keys = self.keys();
        let time_limit = self.configuration().time_limit;
        let asked = Asked { model, provider, keys: &keys, time_limit };
        let path = provider.protocol.path(&model.name);
        let url = provider.url(&path.iter().map(String::as_str).collect::<Vec<_>>());
        let headers = headers(provider)?;
        let (protocol, name, question) = (provider.protocol, model.name.clone(), question.to_owned());
        let body = tokio::task::spawn_blocking(move || protocol.body(&name, &question, picture.as_ref()))
            .await
            .map_err(|error| Error::internal(format!("the question could not be written: {error}")))?;
        let started = Instant::now();
        let sent = self.http.send(Request { url, headers, body: Some(body) }, time_limit).await;
        let answered = match sent {
            Ok(received) => asked.reply(&received),
            Err(fault) => Err(asked.fault(fault)),
        };
        let outcome = answered.as_ref().map_or_else(|error| error.code.as_str(), |_| "ok");
        tracing::debug!(%model, outcome, duration_ms = started.elapsed().as_millis(), "asked a model");
        answered
    }
}

impl Providers {
    fn not_enabled(&self, name: &str) -> Error {
        let shown: String = crate::secret::scrubbed(name, &self.keys()).chars().take(60).collect();
        let configured = self.configured().into_iter().map(|model| model.to_string());
        Error::new(
            ErrorCode::AnalysisUnavailable,
            format!(
                "Provider '{shown}' is not enabled in server's {} configuration.",
                self.environment.variable
            ),
        )
        .with_found(configured.chain(self.configuration().faults.iter().cloned()))
        .with_next("Ask one of those, or leave the choice to auto.")
    }
}

/// The sentence about a key that a provider needs and that is not there.
pub(crate) fn missing_key(provider: &Provider) -> Option<String> {
    (provider.needs_key && provider.key.is_none()).then(|| format!("{} is not set", provider.key_variable))
}

/// The headers of every request to a provider, the one with the key among them.
pub(crate) fn headers(provider: &Provider) -> Result<Vec<(HeaderName, HeaderValue)>> {
    let fixed = provider.protocol.headers().iter();
    let mut headers: Vec<_> =
        fixed.map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect();
    if let Some((name, value)) = provider.authorization() {
        let value = value.ok_or_else(|| {
            Error::new(
                ErrorCode::AnalysisUnavailable,
                format!("{} contains characters that no key has", provider.key_variable),
            )
        })?;
        headers.push((HeaderName::from_static(name), value));
    }
    Ok(headers)
}
