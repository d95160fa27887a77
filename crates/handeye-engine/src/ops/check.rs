//! `ax_is_accessible`: whether the accessibility service can be used.

use crate::call::Call;
use crate::engine::Engine;
use crate::operation::{Meta, Operation, Outcome};
use crate::toolset::Toolset;
use async_trait::async_trait;
use clap::Args;
use handeye_core::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tells whether the accessibility service can be used.
pub struct IsAccessible;

/// No parameters.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// Whether it can be used.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    process_name: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    suggestion: String,
}

#[async_trait]
impl Operation for IsAccessible {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_is_accessible",
        command: "check",
        title: "Check accessibility permissions",
        description: "Whether accessibility trees can be read, and what is in the way",
        toolset: Toolset::Connect,
        ..Meta::READ
    };

    async fn run(engine: &Engine, _call: &Call, _input: Input) -> Result<Outcome<Output>> {
        let status = engine.platform.accessibility.status().await;
        let process_name = std::env::current_exe()
            .ok()
            .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
        let verdict = if status.enabled { "Accessibility works." } else { "Accessibility does not work." };
        let text = format!("{verdict} {}", status.suggestion);
        let fields = Output { enabled: status.enabled, process_name, suggestion: status.suggestion };
        Ok(Outcome::new(text.trim_end(), fields))
    }
}
