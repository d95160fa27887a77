//! `ax_workflow`: several calls as one, with retries, waits, values that go from step to step, and a way back.

mod account;
mod arguments;
mod command;
mod dry_run;
mod healing;
mod rollback;
mod runner;
mod source;
mod steps;
mod waiting;

use crate::take_back::Attempt;
use async_trait::async_trait;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Error, Result, Text, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_flow::definition::Flow;
use handeye_flow::{Step, StepReport, junit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// Runs a workflow.
pub struct Workflow;

/// Longest time that a workflow may take.
const LONGEST: Duration = Duration::from_secs(590);

/// The steps.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step>,
    /// YAML or JSON file with the steps, instead of `steps`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// For reports
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Values of {{var.NAME}}
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(schema_with = "any_names")]
    variables: Map<String, Value>,
    /// Check all of it and do nothing
    #[serde(default)]
    dry_run: bool,
    /// Where a shell wants a report for a CI server: in no schema, so over MCP it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    junit: Option<PathBuf>,
}

/// Names that the caller chooses; the APIs of some models take no object without properties.
fn any_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "properties": { "NAME": { "type": "string" } }, "additionalProperties": true })
}

/// What became of them.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    success: bool,
    steps_completed: usize,
    steps_total: usize,
    results: Vec<StepReport>,
    rolled_back: bool,
    /// The step whose failure ended it, from 1 on
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_step: Option<usize>,
    /// What the rollback did, the latest action first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rollback: Vec<Attempt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[async_trait]
impl Operation for Workflow {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_workflow",
        command: "run",
        title: "Execute composed workflow",
        description: "Several calls in a row, without a look at each answer. Ends at the first failure",
        toolset: Toolset::Compose,
        application: "",
        deadline: LONGEST,
        task: true,
        composes: true,
        ..Meta::ACT
    };

    fn names_files(input: &Input) -> bool {
        input.junit.is_some() || input.file.is_some()
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let Input { steps, file, name, variables, dry_run, junit: report } = input;
        let given = source::Given { steps, file, name, variables };
        let (flow, source) = given.workflow(engine, call).await?;
        let inner = engine.inner.as_deref().ok_or_else(|| Error::internal("a workflow without a gate"))?;
        flow.check(&steps::Offered { inner, call })?;
        if dry_run {
            return Ok(dry_run::run(engine, call, inner, &flow).await);
        }
        let ended = runner::run(engine, call, inner, (&flow, source)).await?;
        let mut outcome = account::of(&flow, ended);
        if let Some(path) = report {
            let written = write_report(&flow, &outcome.fields, path).await?;
            outcome.notes.push(written);
        }
        Ok(outcome)
    }
}

/// Writes the report for a CI server where a shell wants it.
async fn write_report(flow: &Flow, fields: &Output, path: PathBuf) -> Result<Text> {
    let report = handeye_flow::Report {
        name: flow.title(),
        tools: flow.steps.iter().map(|step| step.tool.as_str()).collect(),
        tried: &fields.results,
        success: fields.success,
    };
    let shown = path.display().to_string();
    tokio::fs::write(path, junit::write(&report)).await.map_err(|fault| {
        Error::new(
            handeye_core::ErrorCode::Io,
            format!("the report could not be written to '{shown}': {fault}"),
        )
    })?;
    Ok(text![format!("JUnit report: {shown}")])
}
