//! Composes several sources of accessibility trees into one desktop.
//!
//! A [`Composer`] is itself what its sources are to the rest of handeye: applications that can be listed and connected. An application that
//! several sources know is listed once, and where one source shows what another one's element only stands for (the page of a browser, a plug
//! in its socket), its tree is grafted under that element: readers see one tree, and what is done to an element goes to the source that it
//! came from. With a single source nothing is between that source and its users.

mod composed;
mod grafting;
mod listing;

use async_trait::async_trait;
use composed::ComposedApp;
use futures_util::future::join_all;
use handeye_core::platform::{AccessibilityStatus, Source};
use handeye_core::{
    Accessibility, AccessibilityCapabilities, Application, Changes, ConnectedApp, Consent, Error, ErrorCode,
    NoRules, OnAgentSeat, Result, Rules, Support,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Several sources of trees as one.
pub struct Composer {
    /// In the order of preference. Never empty.
    sources: Arc<[Arc<dyn Source>]>,
    /// Counts what any of the sources announces.
    arrivals: watch::Sender<u64>,
    /// Which applications are not shown in the place of another one's elements.
    rules: Arc<dyn Rules>,
}

impl Composer {
    /// Composes `first` and `others`. Where several know an application, the tree of the first one is the one that others are
    /// grafted into.
    pub fn new(first: Arc<dyn Source>, others: impl IntoIterator<Item = Arc<dyn Source>>) -> Self {
        Self {
            sources: std::iter::once(first).chain(others).collect(),
            arrivals: watch::Sender::new(0),
            rules: Arc::new(NoRules),
        }
    }

    /// The same without grafts of applications that these rules deny.
    #[must_use]
    pub fn admitting(self, rules: Arc<dyn Rules>) -> Self {
        Self { rules, ..self }
    }

    /// The source that lists this application; for one that none lists, which is known by its windows alone, the source that is asked first.
    fn source_of(&self, application: &Application) -> &Arc<dyn Source> {
        let listing = application.id.source();
        self.sources.iter().find(|source| source.id() == listing).unwrap_or(&self.sources[0])
    }
}

#[async_trait]
impl Accessibility for Composer {
    /// What one of the sources can do; where none can, the reason is that of the first.
    fn capabilities(&self) -> AccessibilityCapabilities {
        let mut trees = self.sources.iter().map(|source| source.capabilities().trees);
        // There is always one.
        let first = trees.next().unwrap_or(Support::Yes);
        let trees = if first.is_there() { first } else { trees.find(Support::is_there).unwrap_or(first) };
        AccessibilityCapabilities { trees }
    }

    fn consents(&self) -> Vec<Consent> {
        self.sources.iter().flat_map(|source| source.consents()).collect()
    }

    /// Trees can be read if one of the sources can be used; what is in the way of each of the others is reported.
    async fn status(&self) -> AccessibilityStatus {
        let all = join_all(self.sources.iter().map(|source| source.status())).await;
        let enabled = all.iter().any(|status| status.enabled);
        let suggestions = all.into_iter().map(|status| status.suggestion).filter(|text| !text.is_empty());
        AccessibilityStatus { enabled, suggestion: suggestions.collect::<Vec<_>>().join(" ") }
    }

    async fn prepare(&self) {
        join_all(self.sources.iter().map(|source| source.prepare())).await;
    }

    /// What the sources list, each application once. Fails if none of them can list any.
    async fn applications_within(&self, patience: Duration) -> Result<Vec<Application>> {
        let all = join_all(self.sources.iter().map(|source| source.applications_within(patience))).await;
        let mut failure = None;
        let mut lists = Vec::with_capacity(all.len());
        for (source, list) in self.sources.iter().zip(all) {
            match list {
                Ok(list) => lists.push(list),
                Err(error) => {
                    if self.sources.len() > 1 {
                        tracing::debug!(
                            source = source.id().name(),
                            code = error.code.as_str(),
                            "nothing is listed"
                        );
                    }
                    failure.get_or_insert(error);
                }
            }
        }
        match failure {
            Some(error) if lists.is_empty() => Err(error),
            _ => Ok(listing::merged(lists)),
        }
    }

    async fn connect(&self, application: &Application) -> Result<Arc<dyn ConnectedApp>> {
        let own = self.source_of(application);
        let connected = own.connect(application).await?;
        let others: Vec<Arc<dyn Source>> =
            self.sources.iter().filter(|source| source.id() != own.id()).map(Arc::clone).collect();
        if others.is_empty() {
            return Ok(connected);
        }
        let composed: Arc<dyn ConnectedApp> =
            ComposedApp::over(connected, others, Arc::clone(&self.rules)).await?;
        Ok(composed)
    }

    async fn on_agent_seat(&self, pid: u32) -> Result<Option<OnAgentSeat>> {
        for source in self.sources.iter() {
            if let Some(found) = source.on_agent_seat(pid).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Wakes when any of the sources announces something. Each of them is followed from the first time on that a caller wants to know.
    fn changes(&self) -> Changes {
        if let [only] = &*self.sources {
            return only.changes();
        }
        if self.arrivals.receiver_count() == 0 {
            for source in self.sources.iter() {
                tokio::spawn(forward(source.changes(), self.arrivals.clone()));
            }
        }
        self.arrivals.subscribe()
    }
}

/// Counts what a source announces, for as long as it does and there is a listener.
async fn forward(mut changes: Changes, arrivals: watch::Sender<u64>) {
    loop {
        tokio::select! {
            heard = changes.changed() => match heard {
                Ok(()) => arrivals.send_modify(|count| *count += 1),
                Err(_ended) => return,
            },
            () = arrivals.closed() => return,
        }
    }
}

/// What an application that is gone answers.
fn gone(application: &Application) -> Error {
    Error::new(ErrorCode::AppGone, format!("'{}' has ended", application.name))
}
