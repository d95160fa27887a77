//! The wire formats: what is sent to a provider and what its answer means. Nothing here sends anything.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use handeye_core::vision::{EncodedPicture, PictureLimits};
use serde_json::Value;

/// What a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Chat completions of `OpenAI`, and of every server that is compatible with it.
    OpenAi,
    /// Messages of Anthropic.
    Anthropic,
    /// `generateContent` of Gemini.
    Gemini,
    /// `/api/generate` of Ollama.
    Ollama,
}

/// A question, as the formats need it.
pub(crate) struct Ask<'a> {
    pub(crate) model: &'a str,
    pub(crate) question: &'a str,
    /// The picture that it is about.
    pub(crate) picture: Option<Picture>,
}

impl Ask<'_> {
    /// The part with the picture, in the words of a format, if there is one.
    fn part(&self, part: impl Fn(&Picture) -> Value) -> Option<Value> {
        self.picture.as_ref().map(part)
    }
}

/// A picture's file in base64.
pub(crate) struct Picture {
    pub(crate) mime_type: &'static str,
    pub(crate) data: String,
}

/// What a provider answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) text: String,
    pub(crate) end: End,
}

/// Why the answer ended there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// That was all.
    Done,
    /// It reached its maximum length of answers.
    TooLong,
    /// It declines; with its reason, where it gives one.
    Declined(Option<String>),
}

impl Protocol {
    /// The version at the end of an address of such a provider.
    pub(crate) const fn version(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Anthropic => "/v1",
            Self::Gemini => "/v1beta",
            Self::Ollama => "",
        }
    }

    /// The header that carries the key, and the prefix of the key in it.
    pub(crate) const fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAi | Self::Ollama => ("authorization", "Bearer "),
            Self::Anthropic => ("x-api-key", ""),
            // In the URL it would come up in logs on its way.
            Self::Gemini => ("x-goog-api-key", ""),
        }
    }

    /// The other headers of a question.
    pub(crate) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
            _ => &[],
        }
    }

    /// Where a question goes, below the address.
    pub(crate) fn path(self, model: &str) -> Vec<String> {
        let path: &[&str] = match self {
            Self::OpenAi => &["chat", "completions"],
            Self::Anthropic => &["messages"],
            Self::Gemini => {
                let model = model.strip_prefix("models/").unwrap_or(model);
                return vec!["models".to_owned(), format!("{model}:generateContent")];
            }
            Self::Ollama => &["api", "generate"],
        };
        path.iter().map(|&segment| segment.to_owned()).collect()
    }

    /// What shows quickly whether the provider is up, below the address.
    pub(crate) const fn check_path(self) -> &'static [&'static str] {
        match self {
            Self::Ollama => &["api", "tags"],
            _ => &["models"],
        }
    }

    /// The JSON of a question.
    pub(crate) fn body(self, model: &str, question: &str, picture: Option<&EncodedPicture>) -> Vec<u8> {
        let picture = picture
            .map(|picture| Picture { mime_type: picture.mime_type, data: STANDARD.encode(&picture.bytes) });
        let ask = Ask { model, question, picture };
        let body = match self {
            Self::OpenAi => openai::body(&ask),
            Self::Anthropic => anthropic::body(&ask),
            Self::Gemini => gemini::body(&ask),
            Self::Ollama => ollama::body(&ask),
        };
        body.to_string().into_bytes()
    }

    /// What an answer says; `None` if it does not have the fields of the format.
    pub(crate) fn completion(self, answer: &Value) -> Option<Completion> {
        match self {
            Self::OpenAi => openai::completion(answer),
            Self::Anthropic => anthropic::completion(answer),
            Self::Gemini => gemini::completion(answer),
            Self::Ollama => ollama::completion(answer),
        }
    }

    /// The largest picture that is useful there. Providers scale larger ones down themselves, or refuse them.
    pub(crate) const fn limits(self) -> PictureLimits {
        match self {
            // 2048 pixels a side, then 768 on the shorter one or 1536 patches of 32x32; 20 MB a picture.
            Self::OpenAi => PictureLimits { longest_side: 2048, pixels: 1_572_864, bytes: 14_000_000 },
            // 1568 pixels a side and about 1.15 megapixels; 5 MB a picture in base64.
            Self::Anthropic => PictureLimits { longest_side: 1568, pixels: 1_150_000, bytes: 3_700_000 },
            // Tiles of 768x768, up to 3072 a side; 20 MB a request in base64.
            Self::Gemini => PictureLimits { longest_side: 3072, pixels: 9_437_184, bytes: 14_000_000 },
            // What the common local models look at; every pixel more costs time on the user's own machine.
            Self::Ollama => PictureLimits { longest_side: 1568, pixels: 1_150_000, bytes: 14_000_000 },
        }
    }
}

/// A provider's own message in the body of an error.
pub(crate) fn message(body: &Value) -> Option<&str> {
    ["/error/message", "/error", "/message", "/detail", "/0/error/message"]
        .iter()
        .find_map(|path| body.pointer(path).and_then(Value::as_str))
}

/// The text parts of an array, joined.
fn texts<'a>(parts: &'a Value, keep: impl Fn(&&'a Value) -> bool) -> String {
    parts.as_array().into_iter().flatten().filter(keep).filter_map(|part| part["text"].as_str()).collect()
}
