//! The trait of the models that answer questions, most of them about pictures: which there are, which one to ask, and asking it.
//!
//! A provider's key never leaves the implementation: no type here can carry one.

use crate::{Error, ErrorCode, Result};
use async_trait::async_trait;
use std::fmt;

/// A model of a provider, shown as `openai/gpt-4o`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Model {
    /// The provider, for example `ollama`.
    pub provider: String,
    /// The provider's name for the model, for example `llava:7b`.
    pub name: String,
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

/// Which model is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelChoice {
    /// The provider; `None` for the first configured one that is available.
    pub provider: Option<String>,
    /// The model; `None` for the configured one of that provider.
    pub model: Option<String>,
}

/// A picture as a file's bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct EncodedPicture {
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub mime_type: &'static str,
    /// The whole file.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for EncodedPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.mime_type, self.bytes.len())
    }
}

/// The largest picture that a provider takes without scaling it down itself or refusing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureLimits {
    /// Pixels of the longer side.
    pub longest_side: u32,
    /// Pixels altogether.
    pub pixels: u64,
    /// Bytes of the encoded file.
    pub bytes: usize,
}

/// The answer of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The answer, never empty.
    pub text: String,
    /// Whether the model came to its own end; if not, it ran into the limit of an answer's length.
    pub complete: bool,
}

/// The error of a question where no provider is configured in `variable`.
pub fn not_configured(variable: &str) -> Error {
    Error::new(
        ErrorCode::AnalysisUnavailable,
        format!("AI analysis not configured on this server. Set the {variable} environment variable."),
    )
    .with_next(format!(
        "For example {variable}=ollama/llava:latest,openai/gpt-4o; keys come from variables such as OPENAI_API_KEY."
    ))
}

/// Where a person gets the key that a provider needs and that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPage {
    /// The provider.
    pub provider: String,
    /// The variable that the key is to be put into.
    pub variable: String,
    /// The provider's page.
    pub url: &'static str,
}

/// Answers questions, most of them about pictures.
#[async_trait]
pub trait Vision: Send + Sync {
    /// The models that are configured, in the order in which they are tried.
    fn configured(&self) -> Vec<Model>;

    /// The model that a question of this choice goes to: for `auto` the first one whose provider is available now.
    /// [`AnalysisUnavailable`](crate::ErrorCode::AnalysisUnavailable) says what is missing.
    async fn choose(&self, choice: &ModelChoice) -> Result<Model>;

    /// Where to get the key whose lack keeps a provider from being asked: that of `provider`, or of the first configured one.
    fn key_page(&self, _provider: Option<&str>) -> Option<KeyPage> {
        None
    }

    /// What that model's provider takes.
    fn limits(&self, model: &Model) -> PictureLimits;

    /// Asks about a picture, or without one. Dropping the future ends the request. Every failure names the provider, and none the key.
    async fn ask(&self, model: &Model, picture: Option<EncodedPicture>, question: &str) -> Result<Reply>;
}

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
