//! What answers questions about pictures where nothing is configured.

use async_trait::async_trait;
use handeye_core::vision::{EncodedPicture, Model, ModelChoice, PictureLimits, Reply, Vision};
use handeye_core::{Error, ErrorCode, Result};

/// No AI provider: every question is answered with what to configure.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVision;

fn not_configured() -> Error {
    Error::new(
        ErrorCode::AnalysisUnavailable,
        "AI analysis not configured on this server. Set the HANDEYE_AI_PROVIDERS environment variable.",
    )
    .with_next("For example HANDEYE_AI_PROVIDERS=ollama/llava:latest,openai/gpt-4o; keys come from variables such as OPENAI_API_KEY.")
}

#[async_trait]
impl Vision for NoVision {
    fn configured(&self) -> Vec<Model> {
        Vec::new()
    }

    async fn choose(&self, _choice: &ModelChoice) -> Result<Model> {
        Err(not_configured())
    }

    fn limits(&self, _model: &Model) -> PictureLimits {
        PictureLimits { longest_side: 0, pixels: 0, bytes: 0 }
    }

    async fn ask(&self, _model: &Model, _picture: EncodedPicture, _question: &str) -> Result<Reply> {
        Err(not_configured())
    }
}
