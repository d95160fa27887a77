//! A question to the client's own model (MCP's sampling), and what it says.

use handeye_core::vision::EncodedPicture;
use serde_json::{Map, Value};

/// A question to the client's model.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// The messages so far, the question last.
    pub messages: Vec<Message>,
    /// How the model should see itself.
    pub system_prompt: &'static str,
    /// Longest answer, in tokens.
    pub max_tokens: u32,
    /// Tools that the model may call; what they answer is a message of the next question.
    pub tools: Vec<Tool>,
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// We.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its author.
    pub speaker: Speaker,
    /// What.
    pub content: Vec<Content>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A picture.
    Picture(EncodedPicture),
    /// The model calls a tool.
    ToolUse {
        /// The model's name for this call.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments, as the model gave them: not checked.
        input: Map<String, Value>,
    },
    /// What a tool answered.
    ToolResult {
        /// The model's name for the call.
        id: String,
        /// The answer.
        text: String,
        /// Whether it failed.
        failed: bool,
    },
}

/// A tool for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// JSON schema of its arguments.
    pub input_schema: Value,
}

/// The answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// Its parts.
    pub content: Vec<Content>,
    /// Which model it was, by the client's account.
    pub model: String,
    /// Whether it came to its own end, and did not run into the limit of an answer's length.
    pub complete: bool,
}

impl Message {
    /// A message of ours that is one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::User, content: vec![Content::Text(text.into())] }
    }
}

impl Sampled {
    /// The text of the answer, without tool calls.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}
