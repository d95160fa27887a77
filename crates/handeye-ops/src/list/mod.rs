//! `list`: the running applications, the windows of one, or the server's status (Peekaboo 1.1.2, sections I.C and II.C).

mod command;
mod table;

use crate::shown::{Shown, is_on_screen, shown_first};
use crate::status::server_status;
use async_trait::async_trait;
use clap::ValueEnum;
use handeye_act::naming::belongs;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{
    Application, Error, ErrorCode, Invocation, Monitor, Rect, Result, TreeAccess, Window, text,
};
use handeye_engine::{Dialect, Engine, Meta, Operation, Toolset};
use handeye_tree::describe::quote;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Lists applications or windows.
pub struct List;

/// What to list.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[schemars(description = "Default: application_windows if app is given, else running_applications")]
    item_type: Option<ItemType>,
    /// Name (fuzzy), bundle id or PID:n
    app: Option<String>,
    include_window_details: Option<Vec<Detail>>,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ItemType {
    RunningApplications,
    ApplicationWindows,
    ServerStatus,
    #[serde(rename = "")]
    Default,
}

/// What an `app` means that cannot narrow anything.
const APP_IS_FOR_WINDOWS: &str = "'app' has no effect here: it is for item_type 'application_windows'.";

/// What is reported of each window besides its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Detail {
    Ids,
    Bounds,
    OffScreen,
}

/// What was found. Only the fields of what was asked for are there.
#[derive(Default, Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    application_list: Option<Vec<App>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_list: Option<Vec<Entry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_application_info: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_status: Option<String>,
}

/// A running application.
#[expect(clippy::struct_field_names, reason = "they are the names of the specification")]
#[derive(Serialize, JsonSchema)]
struct App {
    app_name: String,
    bundle_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    is_active: bool,
    window_count: usize,
}

/// A window.
#[derive(Serialize, JsonSchema)]
struct Entry {
    window_title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_id: Option<u64>,
    window_index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Bounds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_on_screen: Option<bool>,
}

/// A part of the screen, in screen pixels.
#[derive(Serialize, JsonSchema)]
struct Bounds {
    x: i32,
    y: i32,
    w: u32,
    h: u32,
}

/// The application whose windows are listed.
#[derive(Serialize, JsonSchema)]
struct Target {
    app_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bundle_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
}

#[async_trait]
impl Operation for List {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "list",
        command: "list",
        title: "List applications or windows",
        description: "Running applications, windows of one, or server status",
        toolset: Toolset::Pictures,
        deadline: handeye_engine::capture::DEADLINE,
        narrower: || "Name one application.".into(),
        dialect: Dialect::Peekaboo,
        output_published: false,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        input.app.as_deref()
    }

    fn deadline(engine: &Engine) -> Duration {
        engine.captures.deadline
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let item_type = input.effective_type();
        let app = input.app.as_deref().filter(|app| !app.trim().is_empty());
        let details = input.include_window_details.as_deref().unwrap_or_default();
        if item_type != ItemType::ApplicationWindows && !details.is_empty() {
            return Err(Error::new(
                ErrorCode::InvalidParameter,
                "'include_window_details' is only applicable when 'item_type' is 'application_windows'.",
            ));
        }
        let unused =
            app.filter(|_| item_type != ItemType::ApplicationWindows).map(|_| APP_IS_FOR_WINDOWS.into());
        let outcome = match (item_type, app) {
            (ItemType::ServerStatus, _) => {
                let status = server_status(engine).await;
                let fields = Output { server_status: Some(status.trim().to_owned()), ..Output::default() };
                Ok(Outcome::new(status, fields))
            }
            (ItemType::ApplicationWindows, Some(app)) => windows(engine, call, app, details).await,
            (ItemType::ApplicationWindows, None) => Err(Error::new(
                ErrorCode::InvalidParameter,
                "'app' identifier is required when 'item_type' is 'application_windows'.",
            )
            .with_next(text![Invocation::of("list"), " without parameters names the running applications."])),
            (ItemType::RunningApplications | ItemType::Default, _) => applications(engine).await,
        }?;
        let table = table::of(&outcome.fields);
        Ok(Outcome { notes: unused.into_iter().collect(), table, ..outcome })
    }
}

impl Input {
    /// What is listed by default depends on whether an application is named (section I.C, tool 3).
    fn effective_type(&self) -> ItemType {
        match self.item_type {
            None | Some(ItemType::Default) if self.app.as_deref().is_some_and(|app| !app.is_empty()) => {
                ItemType::ApplicationWindows
            }
            None | Some(ItemType::Default) => ItemType::RunningApplications,
            Some(named) => named,
        }
    }
}

async fn applications(engine: &Engine) -> Result<Outcome<Output>> {
    let windows = engine.desk.platform.screen.windows().await?;
    let monitors = engine.desk.platform.screen.monitors().await?;
    let running = engine.desk.running_applications().await?;
    let mut apps: Vec<App> =
        each_process_once(running).iter().map(|application| app(application, &windows, &monitors)).collect();
    apps.sort_by(|a, b| {
        let name = |app: &App| app.app_name.to_lowercase();
        (!a.is_active, name(a), a.pid).cmp(&(!b.is_active, name(b), b.pid))
    });
    let mut text = counted(apps.len(), "running application");
    text.push(if apps.is_empty() { '.' } else { ':' });
    for app in &apps {
        text.push_str(&format!("\n- {}", describe(&app.app_name, Some(&app.bundle_id), app.pid)));
        text.push_str(&format!(", {}", counted(app.window_count, "window")));
        if app.is_active {
            text.push_str(" [active]");
        }
    }
    Ok(Outcome::new(text, Output { application_list: Some(apps), ..Output::default() }))
}

fn app(application: &Application, windows: &[Window], monitors: &[Monitor]) -> App {
    let mut own = windows.iter().filter(|window| belongs(window, application));
    App {
        app_name: application.name.clone(),
        bundle_id: application.bundle_id.clone().unwrap_or_default(),
        pid: application.pid(),
        is_active: own.clone().any(|window| window.active),
        window_count: own.by_ref().filter(|window| is_on_screen(window, monitors)).count(),
    }
}

/// A process may be listed twice, with a tree and without; the one with a tree is kept.
fn each_process_once(mut applications: Vec<Application>) -> Vec<Application> {
    applications.sort_by_key(|application| (application.pid(), application.tree != TreeAccess::Available));
    applications.dedup_by(|later, earlier| later.pid().is_some() && later.pid() == earlier.pid());
    applications
}

async fn windows(engine: &Engine, call: &Call, name: &str, details: &[Detail]) -> Result<Outcome<Output>> {
    let applications = engine.desk.applications_named_or_ask(call, name, "app").await?;
    let windows = engine.desk.platform.screen.windows().await?;
    let monitors = engine.desk.platform.screen.monitors().await?;
    let mut listed = shown_first(windows, &applications, &monitors);
    if !details.contains(&Detail::OffScreen) {
        listed.retain(|shown| shown.on_screen);
    }
    let owners: Vec<String> = applications
        .iter()
        .map(|application| describe(&application.name, application.bundle_id.as_deref(), application.pid()))
        .collect();
    let mut text = format!("{} of {}", counted(listed.len(), "window"), owners.join(" and "));
    text.push(if listed.is_empty() { '.' } else { ':' });
    let entries = listed
        .into_iter()
        .enumerate()
        .map(|(index, shown)| {
            let entry = entry(index, shown, details);
            text.push_str(&format!("\n{}", line(&entry)));
            entry
        })
        .collect();
    let target = applications.into_iter().next().map(|application| Target {
        pid: application.pid(),
        app_name: application.name,
        bundle_id: application.bundle_id,
    });
    let fields = Output { window_list: Some(entries), target_application_info: target, ..Output::default() };
    Ok(Outcome::new(text, fields))
}

fn entry(index: usize, shown: Shown, details: &[Detail]) -> Entry {
    let bounds = |Rect { x, y, width, height, .. }: Rect| Bounds { x, y, w: width, h: height };
    Entry {
        window_id: details.contains(&Detail::Ids).then_some(shown.window.id.number()),
        window_index: index,
        bounds: shown.window.content().filter(|_| details.contains(&Detail::Bounds)).map(bounds),
        is_on_screen: details.contains(&Detail::OffScreen).then_some(shown.on_screen),
        window_title: shown.window.title,
    }
}

fn line(entry: &Entry) -> String {
    let mut line = format!("{}: \"{}\"", entry.window_index, quote(&entry.window_title));
    if let Some(id) = entry.window_id {
        line.push_str(&format!(" id {id}"));
    }
    if let Some(Bounds { x, y, w, h }) = entry.bounds {
        line.push_str(&format!(" {w}x{h} at ({x}, {y})"));
    }
    if entry.is_on_screen == Some(false) {
        line.push_str(" [off screen]");
    }
    line
}

/// An application as a reader knows it.
fn describe(name: &str, bundle_id: Option<&str>, pid: Option<u32>) -> String {
    let mut text = quote(name);
    let mut about = Vec::new();
    about.extend(bundle_id.filter(|id| !id.is_empty() && *id != name).map(quote));
    about.extend(pid.map(|pid| format!("pid {pid}")));
    if !about.is_empty() {
        text.push_str(&format!(" ({})", about.join(", ")));
    }
    text
}

fn counted(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}
