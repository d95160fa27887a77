//! `ax_connect`: connects to an application and may give it another name.

use async_trait::async_trait;
use clap::Args;
use handeye_act::targets::{FRONTMOST, describe};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{ConnectedApp, Error, Result, Scope};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Connects to an application.
pub struct Connect;

/// Which application, and what to call it.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name, bundle id (desktop id, window class, executable) or pid
    app: String,
    /// Another name for later calls
    #[arg(long)]
    alias: Option<String>,
}

/// The application.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    connected: bool,
    app_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    windows: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
}

#[async_trait]
impl Operation for Connect {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_connect",
        command: "connect",
        title: "Connect to an application",
        description: "Optional: tools connect to the app they name",
        toolset: Toolset::Connect,
        read_only: false,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        if let Some(alias) = &input.alias {
            check_alias(alias)?;
        }
        let connection = engine.desk.connect_or_ask(call, &input.app).await?;
        if let Some(alias) = &input.alias {
            give(engine, alias, &connection).await?;
        }
        let tree = connection.refresh(Scope::SHOWING).await?;
        let application = connection.application();
        let windows = tree.windows().count();
        let mut text = format!("Connected to {}", application.name);
        if let Some(pid) = application.pid() {
            text.push_str(&format!(" (pid {pid})"));
        }
        text.push_str(&match windows {
            1 => ", 1 window".to_owned(),
            count => format!(", {count} windows"),
        });
        if let Some(alias) = &input.alias {
            text.push_str(&format!(", also known as '{alias}'"));
        }
        text.push('.');
        let fields = Output {
            connected: true,
            app_name: application.name.clone(),
            pid: application.pid(),
            bundle_id: application.bundle_id.clone(),
            windows: Some(windows),
            alias: input.alias,
        };
        Ok(Outcome::new(text, fields))
    }
}

/// Gives an application an alias, unless something else is called so.
async fn give(engine: &Engine, alias: &str, connection: &Arc<dyn ConnectedApp>) -> Result<()> {
    let own = connection.application();
    let running = engine.desk.called_exactly(alias, own).await?;
    let taken = match running.into_iter().next() {
        Some(other) => Some(format!("is the name of a running application, {}", describe(&other))),
        None => engine
            .desk
            .own
            .keep_alias(alias, connection)
            .map(|other| format!("is already an alias of {}", describe(&other))),
    };
    taken.map_or(Ok(()), |why| {
        Err(Error::invalid_parameter("alias", why).with_next("Use an alias that nothing else has."))
    })
}

/// An alias must not hide what another name means.
fn check_alias(alias: &str) -> Result<()> {
    const LONGEST: usize = 100;
    if alias.trim().is_empty() || alias.len() > LONGEST {
        return Err(Error::invalid_parameter("alias", format!("must have 1 to {LONGEST} characters")));
    }
    if alias.eq_ignore_ascii_case(FRONTMOST) || alias.parse::<u32>().is_ok() {
        return Err(Error::invalid_parameter("alias", "already has another meaning")
            .with_next("Use a name that is neither a number nor 'frontmost'."));
    }
    Ok(())
}
