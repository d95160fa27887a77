//! Who reads and describes pictures. Texts: what a provider or a language is, the binary knows.

use crate::settings::reading::{names, seconds_of_an_answer, text};
use crate::settings::setting::{About, Kind, Setting};

/// Who answers questions about pictures.
pub const AI_PROVIDERS: Setting<Vec<String>> = About {
    flag: None,
    variable: "HANDEYE_AI_PROVIDERS",
    aliases: &["PEEKABOO_AI_PROVIDERS", "AXTERMINATOR_VLM_BACKEND"],
    key: Some("ai.providers"),
    kind: Kind::List,
    default: "unset: those that a key is set for",
    help: "Models that answer questions about pictures, in the order in which they are tried: provider/model, separated by \
           commas. Providers: openai, anthropic, gemini, ollama, and any OpenAI-compatible server by a name of your own; none switches all of them off",
}
.read_by(names);

/// How long a model may take for one answer.
pub const AI_TIMEOUT: Setting<Option<f64>> = About {
    flag: None,
    variable: "HANDEYE_AI_TIMEOUT",
    aliases: &[],
    key: Some("ai.timeout"),
    kind: Kind::Number,
    default: "60",
    help: "Seconds that a model may take for one answer, at most 570",
}
.read_by(seconds_of_an_answer);

/// Which languages are read in pictures.
pub const OCR_LANGUAGES: Setting = About {
    flag: None,
    variable: "HANDEYE_OCR_LANGUAGES",
    aliases: &[],
    key: Some("ai.ocr_languages"),
    kind: Kind::Text,
    default: "eng",
    help: "Languages of the text that is read in pictures, as tesseract names them, for example eng+deu",
}
.read_by(text);

/// Whether `ax_find` looks at the picture for what the tree does not have.
pub const FIND_FALLBACK: Setting = About {
    flag: None,
    variable: "HANDEYE_FIND_FALLBACK",
    aliases: &[],
    key: Some("ai.find_fallback"),
    kind: Kind::Text,
    default: "off",
    help: "Where a search continues when the accessibility tree has no match: off (nowhere), text (text in the picture of the window, \
           read on this machine), models (AI models after that, the client's own too: the picture leaves this machine)",
}
.read_by(text);

/// The key for `OpenAI`.
pub const OPENAI_KEY: Setting = About {
    flag: None,
    variable: "OPENAI_API_KEY",
    aliases: &[],
    key: None,
    kind: Kind::Secret,
    default: "unset",
    help: "The key for openai",
}
.read_by(text);

/// The key for Anthropic.
pub const ANTHROPIC_KEY: Setting = About {
    flag: None,
    variable: "ANTHROPIC_API_KEY",
    aliases: &[],
    key: None,
    kind: Kind::Secret,
    default: "unset",
    help: "The key for anthropic",
}
.read_by(text);

/// The key for Gemini.
pub const GEMINI_KEY: Setting = About {
    flag: None,
    variable: "GEMINI_API_KEY",
    aliases: &["GOOGLE_API_KEY"],
    key: None,
    kind: Kind::Secret,
    default: "unset",
    help: "The key for gemini",
}
.read_by(text);

/// Where Ollama listens.
pub const OLLAMA_BASE_URL: Setting = About {
    flag: None,
    variable: "HANDEYE_OLLAMA_BASE_URL",
    aliases: &["PEEKABOO_OLLAMA_BASE_URL"],
    key: Some("ai.base_url.ollama"),
    kind: Kind::Text,
    default: "http://localhost:11434",
    help: "Where Ollama listens",
}
.read_by(text);

/// Where another provider listens.
pub const BASE_URL: Setting = About {
    flag: None,
    variable: "HANDEYE_NAME_BASE_URL",
    aliases: &[],
    key: Some("ai.base_url.NAME"),
    kind: Kind::Text,
    default: "the provider's own address",
    help: "Where the provider NAME listens, for example HANDEYE_VLLM_BASE_URL=http://localhost:8000/v1; a name that handeye does \
           not know is an OpenAI-compatible server there",
}
.read_by(text);

/// The key for a compatible server.
pub const COMPATIBLE_KEY: Setting = About {
    flag: None,
    variable: "HANDEYE_NAME_API_KEY",
    aliases: &[],
    key: None,
    kind: Kind::Secret,
    default: "unset",
    help: "The key for the OpenAI-compatible server NAME, if it asks for one",
}
.read_by(text);
