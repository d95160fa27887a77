//! What the suite expects word by word, as the protocol writes it.

use crate::question::Questions;
use rmcp::model::{Prompt, Resource, ResourceContents, ResourceTemplate, Tool};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The fixtures.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) tools: Vec<Tool>,
    /// Answers of tools that always answer the same.
    pub(crate) answers: Map<String, Value>,
    /// What tools and prompts ask before they answer.
    pub(crate) questions: HashMap<String, Questions>,
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) contents: HashMap<String, ResourceContents>,
}

impl Data {
    pub(crate) fn read() -> serde_json::Result<Self> {
        let mut resources: Map<String, Value> = serde_json::from_str(include_str!("resources.json"))?;
        let mut part = |name: &str| resources.remove(name).unwrap_or_default();
        Ok(Self {
            tools: serde_json::from_str(include_str!("tools.json"))?,
            answers: serde_json::from_str(include_str!("answers.json"))?,
            questions: serde_json::from_str(include_str!("questions.json"))?,
            prompts: serde_json::from_str(include_str!("prompts.json"))?,
            resources: serde_json::from_value(part("resources"))?,
            templates: serde_json::from_value(part("templates"))?,
            contents: serde_json::from_value(part("contents"))?,
        })
    }

    /// The picture of a single pixel, in base64.
    pub(crate) fn picture(&self) -> &str {
        match self.contents.get("test://static-binary") {
            Some(ResourceContents::BlobResourceContents { blob, .. }) => blob,
            _ => "",
        }
    }
}
