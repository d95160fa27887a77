//! Answers questions about pictures: AI providers, and a reader of text on this machine, behind the traits of `handeye-core`.
//!
//! [`configuration`] reads which models there are, [`provider`] knows the providers, [`wire`] their formats, [`http`] carries
//! them, [`failure`] says what went wrong, [`survey`] which models are complete, [`local`] looks for an Ollama that is not configured, [`ocr`] runs tesseract, and [`secret`] keeps keys out of everything that is shown. Nothing is
//! read, connected or built before the first question.

mod configuration;
mod failure;
mod http;
mod local;
mod ocr;
mod provider;
mod providers;
mod secret;
mod survey;
mod wire;

pub use configuration::{Environment, ReadVariable, TimeLimit};
pub use local::ollama_address;
pub use ocr::{Languages, Tesseract};
pub use providers::Providers;
pub use survey::Survey;
