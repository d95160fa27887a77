//! `ax_count_apps`: how many applications run. It exists in a test alone, which adds it to a copy of the workspace.

use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Invocation, Result, TreeAccess, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Counts the running applications.
pub struct CountApps;

/// Which of them.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only those whose tree can be read
    #[serde(default)]
    #[arg(long)]
    accessible_only: bool,
}

/// How many there are.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    count: usize,
}

#[async_trait]
impl Operation for CountApps {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_count_apps",
        command: "count",
        title: "Count running applications",
        description: "How many there are",
        toolset: Toolset::Planning,
        ..Meta::READ
    };

    async fn run(engine: &Engine, _call: &Call, input: Input) -> Result<Outcome<Output>> {
        let applications = engine.desk.platform.accessibility.applications().await?;
        let wanted = applications
            .iter()
            .filter(|application| !input.accessible_only || application.tree == TreeAccess::Available);
        let count = wanted.count();
        let text =
            text![count.to_string(), " applications. ", Invocation::of("ax_list_apps"), " lists them."];
        Ok(Outcome::new(text, Output { count }))
    }
}
