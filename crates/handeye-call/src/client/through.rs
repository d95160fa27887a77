//! A client whose questions are changed or held back on their way to it.

use super::{Client, InteractionCapabilities, Question, Reply};
use async_trait::async_trait;
use handeye_core::Result;
use std::sync::Arc;

/// The same client; what it is asked is changed before it sees it, or held back.
pub struct Through<F> {
    client: Arc<dyn Client>,
    pass: F,
}

impl<F: Fn(&dyn Client, &mut Question) -> Result<()> + Send + Sync> Through<F> {
    /// `client`, to which `pass` lets questions pass; an error is the answer to a question that does not. The same question has to become the
    /// same one each time: its reply is known by it.
    pub fn new(client: Arc<dyn Client>, pass: F) -> Self {
        Self { client, pass }
    }
}

#[async_trait]
impl<F: Fn(&dyn Client, &mut Question) -> Result<()> + Send + Sync> Client for Through<F> {
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
        (self.pass)(self.client.as_ref(), &mut question)?;
        self.client.ask(question).await
    }
}
