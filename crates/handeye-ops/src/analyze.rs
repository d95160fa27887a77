//! `analyze`: a question about a picture in a file (Peekaboo 1.1.2, tool 2).

use crate::folders;
use crate::input_file;
use crate::shared::is_default;
use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::vision::ModelChoice;
use handeye_core::{Error, Result, Text};
use handeye_engine::{Dialect, Engine, Meta, Operation, Toolset};
use handeye_picture as picture;
use handeye_sight::analysis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Asks about a picture.
pub struct Analyze;

/// The parameter that names the file.
const PARAMETER: &str = "image_path";
/// Endings of the files that are taken. What a file is, its content says.
const ENDINGS: [&str; 4] = ["png", "jpg", "jpeg", "webp"];

/// What to ask about which file.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// PNG, JPEG or WebP file
    #[arg(value_name = "IMAGE")]
    image_path: String,
    #[arg(help = "What to ask about the picture")]
    question: String,
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "is_default")]
    provider_config: ProviderConfig,
}

/// Which model to ask.
#[derive(PartialEq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
struct ProviderConfig {
    /// A configured provider, or auto: the first available
    #[arg(long = "provider", value_name = "PROVIDER", default_value = "auto")]
    #[serde(rename = "type", default = "auto")]
    kind: String,
    #[arg(long, help = "The provider's model [default: the configured one]")]
    model: Option<String>,
}

impl Default for ProviderConfig {
    fn default() -> Self {
        Self { kind: auto(), model: None }
    }
}

fn auto() -> String {
    "auto".to_owned()
}

/// The answer of the model.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    analysis_text: String,
    model_used: String,
}

#[async_trait]
impl Operation for Analyze {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "analyze",
        command: "analyze",
        title: "Analyze image",
        description: "Ask an AI model about an image file",
        toolset: Toolset::Pictures,
        open_world: true,
        idempotent: false,
        // A model has a limit of its own, HANDEYE_AI_TIMEOUT, and that ends with a better error.
        deadline: Duration::from_secs(600),
        narrower: || "Ask a narrower question.".into(),
        looks_at_desktop: false,
        dialect: Dialect::Peekaboo,
        task: true,
        ..Meta::READ
    };

    fn names_files(_input: &Input) -> bool {
        true
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let Input { image_path, question, provider_config } = input;
        check_ending(&image_path)?;
        analysis::check_question(&question)?;
        let choice = ModelChoice { provider: Some(provider_config.kind), model: provider_config.model };
        // Before the file is read: who cannot ask learns that first, and cheaply.
        let answerer = analysis::answerer(engine.vision.as_ref(), call, &choice).await?;
        let started = Instant::now();
        let label = Path::new(&image_path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Not in the line for the encoders: a file on a dead network drive would hold them up.
        let here = engine.delivery.working_directory.clone();
        let image_path = folders::found(call, &here, image_path).await?;
        let bytes = input_file::read(here, PathBuf::from(image_path), PARAMETER, input_file::PICTURE).await?;
        let frame = picture::away(move || picture::decode(&bytes)).await?;
        let analysis =
            analysis::ask_all(engine.vision.as_ref(), call, vec![(label, frame)], &question, &answerer)
                .await?;
        let model = match (analysis.failed, analysis.model) {
            (Some(error), _) => return Err(error),
            (None, Some(model)) => model.to_string(),
            (None, None) => return Err(Error::internal("an answer without a model")),
        };
        let seconds = started.elapsed().as_secs_f64();
        let mut notes: Vec<Text> = analysis.notes.into_iter().map(Text::from).collect();
        notes.push(format!("👻 Peekaboo: Analyzed image with {model} in {seconds:.2}s.").into());
        let fields = Output { analysis_text: analysis.text.clone(), model_used: model };
        Ok(Outcome { notes, ..Outcome::new(analysis.text, fields) })
    }
}

fn check_ending(path: &str) -> Result<()> {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or("").to_lowercase();
    if ENDINGS.contains(&ending.as_str()) {
        return Ok(());
    }
    Err(invalid("its name must end in .png, .jpg, .jpeg or .webp"))
}

fn invalid(why: &str) -> Error {
    Error::invalid_parameter(PARAMETER, why)
}
