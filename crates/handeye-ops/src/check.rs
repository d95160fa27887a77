//! `ax_is_accessible`: whether the accessibility service can be used.

use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::client::{Choice, FieldKind, Form};
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{ErrorCode, Result};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reports whether the accessibility service can be used.
pub struct IsAccessible;

/// No parameters.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
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
        looks_at_desktop: false,
        ..Meta::READ
    };

    async fn run(engine: &Engine, call: &Call, _input: Input) -> Result<Outcome<Output>> {
        let status = engine.desk.platform.accessibility.status().await;
        let process_name = std::env::current_exe()
            .ok()
            .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
        let suggestion =
            if status.enabled { status.suggestion } else { advised(engine, call, status.suggestion).await? };
        let verdict = if status.enabled { "Accessibility works." } else { "Accessibility does not work." };
        let text = format!("{verdict} {suggestion}");
        let fields = Output { enabled: status.enabled, process_name, suggestion };
        let verdict = Verdict::of(status.enabled, ErrorCode::AccessibilityUnavailable);
        Ok(Outcome { verdict, ..Outcome::new(text.trim_end(), fields) })
    }
}

/// The suggestion, and instructions if the person wants them (axterminator, section 12, scenario 4).
async fn advised(engine: &Engine, call: &Call, suggestion: String) -> Result<String> {
    let consents = engine.desk.platform.accessibility.consents();
    let steps: Vec<&str> =
        consents.iter().map(|consent| consent.steps).filter(|steps| !steps.is_empty()).collect();
    if steps.is_empty() || !call.client.capabilities().form {
        return Ok(suggestion);
    }
    let choices = [("show_instructions", "Show manual instructions"), ("cancel", "Cancel")];
    let choices = choices.map(|(value, title)| Choice { value: value.into(), title: title.into() });
    let form = Form::new("Accessibility is not enabled. Would you like instructions?").required(
        "action",
        "Action",
        FieldKind::Choice(choices.to_vec()),
    );
    match call.fill_in("accessibility", "", form).await {
        Ok(fields) if fields.text("action") == Some("show_instructions") => {
            Ok(format!("{suggestion}\n{}", steps.join("\n")))
        }
        // A caller that wants no text has the verdict anyway.
        Ok(_) => Ok(suggestion),
        Err(error) if error.code == ErrorCode::Declined => Ok(suggestion),
        Err(error) => Err(error),
    }
}
