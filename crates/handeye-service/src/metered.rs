//! Models and clients whose questions are counted.

use crate::meters::Meters;
use async_trait::async_trait;
use handeye_call::client::{Ask, Client, Question, Through};
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

/// The same client; the questions that are put to it are counted.
pub(crate) fn metered_client(client: Arc<dyn Client>, meters: Arc<Meters>) -> impl Client {
    Through::new(client, move |client: &dyn Client, question: &mut Question| {
        if client.answered(&question.key).is_some() {
            // Where an operation runs again with the answer, the question was counted when it was put.
            return Ok(());
        }
        match &question.ask {
            Ask::Form(_) | Ask::Page(_) => meters.questions.count(),
            Ask::Sampling(_) => meters.models.count(),
            Ask::Roots => Ok(()),
        }
    })
}
