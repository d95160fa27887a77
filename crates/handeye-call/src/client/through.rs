//! A client whose questions are changed on their way to it.

use super::{Client, InteractionCapabilities, Question, Reply};
use async_trait::async_trait;
use handeye_core::Result;
use std::sync::Arc;

/// The same client; what it is asked is changed before it sees it.
pub struct Through<F> {
    client: Arc<dyn Client>,
    change: F,
}

impl<F: Fn(&mut Question) + Send + Sync> Through<F> {
    /// `client`, to which `change` lets questions pass. The same question has to become the same one each time: its reply is known by it.
    pub fn new(client: Arc<dyn Client>, change: F) -> Self {
        Self { client, change }
    }
}

#[async_trait]
impl<F: Fn(&mut Question) + Send + Sync> Client for Through<F> {
    fn capabilities(&self) -> InteractionCapabilities {
        self.client.capabilities()
    }

    fn without_yes(&self) -> &'static str {
        self.client.without_yes()
    }

    fn answered(&self, beginning: &str) -> Option<String> {
        self.client.answered(beginning)
    }

    fn begun(&self, beginning: &str) -> Option<String> {
        self.client.begun(beginning)
    }

    fn has_refused_among(&self, beginning: &str) -> bool {
        self.client.has_refused_among(beginning)
    }

    async fn ask(&self, mut question: Question) -> Result<Reply> {
        (self.change)(&mut question);
        self.client.ask(question).await
    }
}
