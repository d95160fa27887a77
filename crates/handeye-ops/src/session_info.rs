//! `ax_session_info`: the session of the caller and of the desktop (axterminator, section 4.8).

use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Result, SecurityMode};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reports on the session.
pub struct SessionInfo;

/// No parameters.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// The session.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    connected_apps: Vec<String>,
    action_count: u64,
    undo_stack_depth: usize,
    subscriptions: usize,
    uptime_seconds: f64,
    #[schemars(with = "String")]
    security_mode: SecurityMode,
    system: String,
    machine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    display: Option<String>,
}

#[async_trait]
impl Operation for SessionInfo {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_session_info",
        command: "session",
        title: "Session information",
        description: "What you are connected to, how much was done, what the desktop runs on",
        toolset: Toolset::Context,
        ..Meta::READ
    };

    async fn run(engine: &Engine, call: &Call, _input: Input) -> Result<Outcome<Output>> {
        let own = &engine.desk.own;
        let session = engine.desk.platform.diagnosis.session();
        let trust = engine.desk.guard.trust();
        let security_mode = if call.offered.read_only { SecurityMode::Sandboxed } else { trust.mode() };
        let fields = Output {
            connected_apps: own.connected_applications(),
            action_count: own.journal.written(),
            undo_stack_depth: own.journal.revertible(),
            subscriptions: call.subscriptions,
            // Tenths are enough.
            uptime_seconds: (engine.started.elapsed().as_secs_f64() * 10.0).round() / 10.0,
            security_mode,
            system: session.system.clone(),
            machine: session.machine,
            display: session.display.clone(),
        };
        let connected = match fields.connected_apps.as_slice() {
            [] => "Connected to no application.".to_owned(),
            names => format!("Connected to {}.", names.join(", ")),
        };
        let mode = match security_mode {
            SecurityMode::Normal => "normal",
            SecurityMode::Safe => "safe: what is risky needs a person's yes, scripts are off",
            SecurityMode::Sandboxed => "sandboxed: tools that act are off",
        };
        let text = format!(
            "{connected}\nActions: {} ({} can be taken back). Subscriptions: {}. Up for {} s. Mode: {mode}.\n{session}",
            fields.action_count, fields.undo_stack_depth, fields.subscriptions, fields.uptime_seconds
        );
        Ok(Outcome::new(text, fields))
    }
}
