//! `ax_list_apps`: the running applications.

use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Application, Invocation, Result, TreeAccess, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lists the running applications.
pub struct ListApps;

/// No parameters.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The running applications.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    apps: Vec<App>,
}

/// One of them.
#[derive(Serialize, JsonSchema)]
struct App {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    connected: bool,
    accessible: bool,
}

#[async_trait]
impl Operation for ListApps {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_list_apps",
        command: "apps",
        title: "List running applications",
        description: "Name, pid and accessibility of each",
        toolset: Toolset::Connect,
        narrower: || text![Invocation::of("ax_connect"), " looks up one application by name."],
        rows: Some("apps"),
        ..Meta::READ
    };

    async fn run(engine: &Engine, _call: &Call, _input: Input) -> Result<Outcome<Output>> {
        let mut applications = engine.desk.platform.accessibility.applications().await?;
        applications
            .sort_by(|a, b| a.name.to_lowercase().cmp(&b.name.to_lowercase()).then(a.pid().cmp(&b.pid())));
        let text = if applications.is_empty() {
            "No application is running on this desktop.".to_owned()
        } else {
            applications.iter().map(line).collect::<Vec<_>>().join("\n")
        };
        let apps = applications
            .into_iter()
            .map(|application| App {
                connected: engine.desk.own.is_connected(&application),
                accessible: application.tree == TreeAccess::Available,
                pid: application.pid(),
                name: application.name,
                bundle_id: application.bundle_id,
            })
            .collect();
        Ok(Outcome::new(text, Output { apps }))
    }
}

fn line(application: &Application) -> String {
    let mut line = format!("- {}", application.name);
    if let Some(pid) = application.pid() {
        line.push_str(&format!(" (pid {pid})"));
    }
    if let Some(toolkit) = &application.toolkit {
        line.push_str(&format!(" {toolkit}"));
    }
    if let TreeAccess::Missing { reason, .. } = &application.tree {
        line.push_str(&format!(": no tree, {reason}"));
    }
    line
}
