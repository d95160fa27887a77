//! `screenshot_app_window`: a file with the picture of one window (mcp-screenshot-mac).

use crate::shown::shown_first;
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{
    Application, Error, ErrorCode, Frame, Invocation, Monitor, Rect, Result, Text, Window, text,
};
use handeye_engine::{Dialect, Engine, Meta, Operation, Toolset};
use handeye_picture::Format;
use handeye_shots::Subject;
use handeye_shots::delivery::{Capture, Destination, Inline, Order};
use handeye_shots::on_screen::{capture, check_captures};
use handeye_shots::scale_of;
use handeye_tree::outline::quoted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Captures one window into a temporary file.
pub struct ScreenshotAppWindow;

/// How long look-up and capture may take. The specification names no default; a window that has to be painted first
/// takes a second, a busy machine some more.
const TIMEOUT_MS: u64 = 15_000;
/// The longest time that a call may ask for.
const MAX_TIMEOUT_MS: u64 = 600_000;
/// Most characters of a title in an error.
const MAX_TITLE: usize = 80;
/// How many windows an error lists.
const LISTED: usize = 12;

/// Which window, and how (requirement 1.3).
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Input {
    /// This or appName
    #[arg(
        long,
        value_name = "ID",
        help = "Desktop file id, window class or executable name of the application"
    )]
    bundle_id: Option<String>,
    #[arg(long, value_name = "NAME", help = "Name of the application")]
    app_name: Option<String>,
    #[arg(long = "picture-format", id = "picture_format", value_enum, default_value_t)]
    #[arg(hide_possible_values = true, value_name = "png|jpg", help = "Format of the file")]
    #[serde(default)]
    format: FileFormat,
    /// And frame
    #[arg(long, help = "With the window's frame and shadow")]
    #[serde(default)]
    include_shadow: bool,
    /// 0 is the topmost
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    #[serde(default)]
    window_index: u32,
    #[arg(long, value_name = "MS", default_value_t = TIMEOUT_MS, help = "How long look-up and capture may take")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_MS))]
    #[serde(default = "timeout_ms")]
    #[schemars(range(min = 1, max = 600_000))]
    timeout_ms: u64,
    /// false: as on the screen
    #[arg(long, value_name = "true|false", default_value_t = true, action = clap::ArgAction::Set)]
    #[arg(hide_possible_values = true)]
    #[serde(default = "yes")]
    prefer_window_id: bool,
}

/// How the file is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum FileFormat {
    #[default]
    Png,
    Jpg,
}

const fn timeout_ms() -> u64 {
    TIMEOUT_MS
}

const fn yes() -> bool {
    true
}

/// What was captured (requirements 3.1 and 3.3).
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    path: String,
    uri: String,
    app_name: String,
    /// What the picture shows of the screen, in pixels of the screen: the picture has `w` by `h` of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    rect: Option<Area>,
    /// Pixels for one logical unit (point), on the monitor that shows the middle of the window.
    scale: f64,
    format: FileFormat,
    /// For `ax_click_at` and `ax_drag`; a shell gets none, as it ends with the process. Not of the specification.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// A part of the screen.
#[derive(Serialize, JsonSchema)]
struct Area {
    x: i32,
    y: i32,
    w: u32,
    h: u32,
}

#[async_trait]
impl Operation for ScreenshotAppWindow {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "screenshot_app_window",
        command: "app-window",
        title: "Capture application window",
        description: "Capture a window to a temporary file",
        application: "appName",
        toolset: Toolset::Pictures,
        dialect: Dialect::ScreenshotMac,
        output_published: false,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        given(input.bundle_id.as_deref()).or_else(|| given(input.app_name.as_deref()))
    }

    fn waiting(input: &Input) -> Duration {
        Duration::from_millis(input.timeout_ms)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let limit = Self::waiting(&input);
        // One deadline over look-up and capture (requirement 5.4); what comes after it is work on this side.
        let taken = tokio::time::timeout(limit, take(engine, call, &input)).await;
        let taken = taken.unwrap_or_else(|_elapsed| Err(timed_out(&input, limit)))?;
        let format = match input.format {
            FileFormat::Png => Format::Png,
            FileFormat::Jpg => Format::Jpeg,
        };
        let order = Order {
            destination: Destination::Temporary,
            format,
            inline: Inline::Never,
            ..Order::configured()
        };
        let place = taken.frame.place();
        let capture = Capture { frame: taken.frame, subject: taken.subject, scale: taken.scale };
        let mut delivered = engine.deliver(call, capture, order).await?;
        let file = delivered.file()?;
        let file = file.ok_or_else(|| Error::internal("a picture for a temporary folder was not saved"))?;
        let link = file.link();
        let fields = Output {
            path: file.path.display().to_string(),
            uri: link.uri.clone(),
            app_name: taken.application,
            rect: place.map(|Rect { x, y, width, height, .. }| Area { x, y, w: width, h: height }),
            scale: taken.scale,
            format: input.format,
            id: call.reader.remembered.then(|| delivered.id.to_string()),
        };
        let text = serde_json::to_string(&fields).map_err(Error::internal)?;
        Ok(Outcome { links: vec![link], notes: taken.notes, ..Outcome::new(text, fields) })
    }
}

/// A captured window.
struct Taken {
    application: String,
    frame: Frame,
    subject: Subject,
    scale: f64,
    notes: Vec<Text>,
}

/// Looks the window up and captures it.
async fn take(engine: &Engine, call: &Call, input: &Input) -> Result<Taken> {
    check_captures(engine.desk.platform.screen.as_ref()).await?;
    let applications = applications(engine, call, input).await?;
    let monitors = engine.desk.platform.screen.monitors().await?;
    let window = window(engine, input, &applications, &monitors).await?;
    let owner = applications.iter().find(|application| application.pid() == window.pid);
    let application = owner.or(applications.first()).map(|owner| owner.name.clone()).unwrap_or_default();
    let (frame, subject, notes) = picture(engine, input, &window).await?;
    let scale = scale_at_middle(&monitors, frame.place().as_ref());
    Ok(Taken { application, frame, subject, scale, notes })
}

/// A name that was given and says something.
fn given(name: Option<&str>) -> Option<&str> {
    name.map(str::trim).filter(|name| !name.is_empty())
}

/// The applications that the call means: those of that bundle id, else those of that name.
async fn applications(engine: &Engine, call: &Call, input: &Input) -> Result<Vec<Application>> {
    let name = given(input.app_name.as_deref());
    let Some(bundle_id) = given(input.bundle_id.as_deref()) else {
        let name = name.ok_or_else(|| {
            Error::new(
                ErrorCode::InvalidParameter,
                "parameters 'bundleId' and 'appName': one of them is required",
            )
            .with_next(text![
                Invocation::of("list").with("item_type", "running_applications"),
                " reports both for every application."
            ])
        })?;
        return engine.desk.applications_named_or_ask(call, name, "appName").await;
    };
    let all = engine.desk.platform.accessibility.applications().await?;
    let plain = |id: &str| id.trim_end_matches(".desktop").to_lowercase();
    let (same, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|application| {
        application.bundle_id.as_deref().is_some_and(|id| plain(id) == plain(bundle_id))
    });
    if !same.is_empty() {
        return Ok(same);
    }
    if let Some(name) = name {
        return engine.desk.applications_named_or_ask(call, name, "appName").await;
    }
    let found = others
        .iter()
        .filter_map(|application| Some(format!("{}: {}", application.name, application.bundle_id.as_ref()?)));
    Err(Error::new(ErrorCode::AppNotFound, format!("no running application has the bundleId '{bundle_id}'"))
        .with_found(found.take(LISTED))
        .with_next("Start it first, or name it with appName."))
}

/// The window with the number that was asked for, from the topmost down; minimized ones have no pixels and no number.
async fn window(
    engine: &Engine,
    input: &Input,
    applications: &[Application],
    monitors: &[Monitor],
) -> Result<Window> {
    let windows = engine.desk.platform.screen.windows().await?;
    let all = shown_first(windows, applications, monitors);
    let hidden = all.iter().filter(|shown| shown.window.minimized).count();
    let visible: Vec<Window> =
        all.into_iter().map(|shown| shown.window).filter(|window| !window.minimized).collect();
    let name = applications.first().map_or("", |application| &application.name);
    let titles = visible.iter().enumerate().take(LISTED);
    let titles: Vec<String> =
        titles.map(|(index, window)| format!("{index}: {}", quoted(&window.title, MAX_TITLE))).collect();
    visible.into_iter().nth(input.window_index as usize).ok_or_else(|| {
        let (message, next) = match (titles.is_empty(), hidden) {
            (true, 0) => {
                (format!("'{name}' has no window"), "Open a window of it, then call again.".to_owned())
            }
            (true, _) => (
                format!("'{name}' has no visible window: {hidden} minimized"),
                "Show the window, then call again.".to_owned(),
            ),
            (false, _) => (
                format!("'{name}' has no window {}", input.window_index),
                format!("windowIndex goes from 0 to {}.", titles.len() - 1),
            ),
        };
        Error::new(ErrorCode::WindowNotFound, message).with_found(titles).with_next(next)
    })
}

/// Captures the window by its id, or where that fails or is not wanted what the screen shows in its place (requirement 2.3).
async fn picture(engine: &Engine, input: &Input, window: &Window) -> Result<(Frame, Subject, Vec<Text>)> {
    let screen = &engine.desk.platform.screen;
    let (part, area) = if input.include_shadow {
        (WindowPart::Whole, window.frame())
    } else {
        (WindowPart::Content, window.content())
    };
    let mut notes = Vec::new();
    if input.prefer_window_id {
        match capture(screen.as_ref(), CaptureTarget::Window(window.id, part)).await {
            Ok(frame) => return Ok((frame, Subject::Window(window.id), notes)),
            Err(error) if matches!(error.code, ErrorCode::CaptureFailed | ErrorCode::NotSupported) => {
                notes.push(
                    format!("Captured as the screen shows it, covered or not: {}", error.message).into(),
                );
            }
            Err(error) => return Err(error),
        }
    }
    let Some(area) = area else {
        let what = "what the screen shows in the place of the window cannot be captured";
        screen.capabilities().await?.places.require(what)?;
        return Err(Error::new(ErrorCode::CaptureFailed, format!("{what}: nobody knows where it is")));
    };
    let frame = capture(screen.as_ref(), CaptureTarget::Region(area)).await?;
    Ok((frame, Subject::Screen, notes))
}

/// The scale of the monitor that shows the middle of `place` (requirement 2.2), else of the one that shows most of it.
fn scale_at_middle(monitors: &[Monitor], place: Option<&Rect>) -> f64 {
    let shows = |area: &Rect| monitors.iter().find(|monitor| monitor.area.contains(area.center()));
    place.and_then(shows).map_or_else(|| scale_of(monitors, place), |monitor| monitor.scale)
}

fn timed_out(input: &Input, limit: Duration) -> Error {
    let name = ScreenshotAppWindow::application(input).unwrap_or_default();
    let message = format!("'{name}' was not found and captured within {} ms", limit.as_millis());
    Error::new(ErrorCode::Timeout, message)
        .with_next("Give a larger timeoutMs, or see whether the application still answers.")
}
