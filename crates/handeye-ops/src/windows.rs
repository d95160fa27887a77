//! `ax_list_windows`: the windows of an application, or of the whole desktop.

use async_trait::async_trait;
use clap::Args;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Rect, Result, Window};
use handeye_engine::{Engine, Meta, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lists the windows of an application.
pub struct ListWindows;

/// Whose windows.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name or pid; 'all' for every window
    #[arg(long, default_value = EVERY)]
    app: String,
}

/// The name that means every application.
const EVERY: &str = "all";

/// The windows, the topmost first.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    windows: Vec<Entry>,
}

/// One of them.
#[derive(Serialize, JsonSchema)]
struct Entry {
    index: usize,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[i32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<[u32; 2]>,
    focused: bool,
    minimized: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
}

#[async_trait]
impl Operation for ListWindows {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_list_windows",
        command: "windows",
        title: "List application windows",
        description: "Topmost first; index 0 is what ax_screenshot takes",
        narrower: || "Name one application.".into(),
        rows: Some("windows"),
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let every = input.app.eq_ignore_ascii_case(EVERY);
        let windows = if every {
            engine.desk.platform.screen.windows().await?
        } else {
            let application = engine.desk.application_or_ask(call, &input.app).await?;
            engine.desk.windows_of(&application).await?
        };
        let text = if windows.is_empty() {
            "No window.".to_owned()
        } else {
            windows
                .iter()
                .enumerate()
                .map(|(index, window)| line(index, window, every))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let windows = windows
            .into_iter()
            .enumerate()
            .map(|(index, window)| Entry {
                index,
                position: window.frame().map(|frame| [frame.x, frame.y]),
                size: window.frame().map(|frame| [frame.width, frame.height]),
                focused: window.active,
                minimized: window.minimized,
                pid: window.pid,
                title: window.title,
            })
            .collect();
        Ok(Outcome::new(text, Output { windows }))
    }
}

/// A window as a reader gets it; where windows are of several applications, with the process that it belongs to.
fn line(index: usize, window: &Window, whose: bool) -> String {
    let mut line = format!("{index}: \"{}\"", window.title);
    if let Some(Rect { x, y, width, height, .. }) = window.frame() {
        line.push_str(&format!(" {width}x{height} at ({x}, {y})"));
    }
    if let Some(pid) = window.pid.filter(|_| whose) {
        line.push_str(&format!(", pid {pid}"));
    }
    if window.active {
        line.push_str(" [active]");
    }
    if window.minimized {
        line.push_str(" [minimized]");
    }
    line
}
