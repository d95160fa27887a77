//! What answers questions about pictures where nothing is configured.

use async_trait::async_trait;
use handeye_core::Result;
use handeye_core::vision::{
    EncodedPicture, Model, ModelChoice, PictureLimits, Reply, Vision, not_configured,
};

/// The variable that configures providers.
const VARIABLE: &str = "HANDEYE_AI_PROVIDERS";

/// No AI provider: every question is answered with what to configure.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVision;

#[async_trait]
impl Vision for NoVision {
    fn configured(&self) -> Vec<Model> {
        Vec::new()
    }

    async fn choose(&self, _choice: &ModelChoice) -> Result<Model> {
        Err(not_configured(VARIABLE))
    }

    fn limits(&self, _model: &Model) -> PictureLimits {
        PictureLimits { longest_side: 0, pixels: 0, bytes: 0 }
    }

    async fn ask(&self, _model: &Model, _picture: Option<EncodedPicture>, _question: &str) -> Result<Reply> {
        Err(not_configured(VARIABLE))
    }
}
