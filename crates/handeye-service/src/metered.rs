//! Models and clients whose questions are counted.

use crate::meters::Meters;
use async_trait::async_trait;
use handeye_call::client::{Ask, Client, InteractionCapabilities, Question, Reply};
use handeye_core::Result;
use handeye_core::vision::{
    EncodedPicture, KeyPage, Model, ModelChoice, PictureLimits, Reply as ModelReply, Vision,
};
use std::sync::Arc;

/// Models that one caller asks.
pub(crate) struct MeteredVision {
    models: Arc<dyn Vision>,
    meters: Arc<Meters>,
}

impl MeteredVision {
    pub(crate) const fn new(models: Arc<dyn Vision>, meters: Arc<Meters>) -> Self {
        Self { models, meters }
    }
}

#[async_trait]
impl Vision for MeteredVision {
    fn configured(&self) -> Vec<Model> {
        self.models.configured()
    }

    async fn choose(&self, choice: &ModelChoice) -> Result<Model> {
        self.models.choose(choice).await
    }

    fn key_page(&self, provider: Option<&str>) -> Option<KeyPage> {
        self.models.key_page(provider)
    }

    fn limits(&self, model: &Model) -> PictureLimits {
        self.models.limits(model)
    }

    async fn ask(
        &self,
        model: &Model,
        picture: Option<EncodedPicture>,
        question: &str,
    ) -> Result<ModelReply> {
        self.meters.models.count()?;
        tracing::info!(target: "handeye::audit", model = %model, picture = picture.is_some(), "a model is asked");
        self.models.ask(model, picture, question).await
    }
}

/// A client that one caller has questions put to.
pub(crate) struct MeteredClient {
    client: Arc<dyn Client>,
    meters: Arc<Meters>,
}

impl MeteredClient {
    pub(crate) const fn new(client: Arc<dyn Client>, meters: Arc<Meters>) -> Self {
        Self { client, meters }
    }
}

#[async_trait]
impl Client for MeteredClient {
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

    fn has_refused(&self) -> bool {
        self.client.has_refused()
    }

    async fn ask(&self, question: Question) -> Result<Reply> {
        // Where an operation runs again with the answer, the question was counted when it was put.
        if self.client.answered(&question.key).is_none() {
            match &question.ask {
                Ask::Form(_) | Ask::Page(_) => self.meters.questions.count()?,
                Ask::Sampling(_) => self.meters.models.count()?,
                Ask::Roots => {}
            }
        }
        self.client.ask(question).await
    }
}
