//! The client of one part of a call: its questions are apart from those of the other parts.

use super::{Client, InteractionCapabilities, Question, Reply};
use async_trait::async_trait;
use handeye_core::Result;
use std::sync::Arc;

/// The same client for a part of a call that is done as if it were a call of its own. Its questions have keys of their own, and a no to the
/// question of another part is none to this one.
pub struct Prefixed {
    whole: Arc<dyn Client>,
    prefix: String,
}

impl Prefixed {
    /// The client of the part whose questions have keys that begin with `prefix`.
    pub fn new(whole: Arc<dyn Client>, prefix: impl Into<String>) -> Self {
        Self { whole, prefix: prefix.into() }
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    fn own(&self, key: Option<String>) -> Option<String> {
        key?.strip_prefix(&self.prefix).map(str::to_owned)
    }
}

#[async_trait]
impl Client for Prefixed {
    fn capabilities(&self) -> InteractionCapabilities {
        self.whole.capabilities()
    }

    fn without_yes(&self) -> &'static str {
        self.whole.without_yes()
    }

    fn answered(&self, beginning: &str) -> Option<String> {
        self.own(self.whole.answered(&self.key(beginning)))
    }

    fn begun(&self, beginning: &str) -> Option<String> {
        self.own(self.whole.begun(&self.key(beginning)))
    }

    fn has_refused_among(&self, beginning: &str) -> bool {
        self.whole.has_refused_among(&self.key(beginning))
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        let key = self.key(&question.key);
        self.whole.ask(Question { key, ..question }).await
    }
}
