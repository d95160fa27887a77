//! `ax_visual_diff`: whether a window, or an element of it, looks as it did in a picture.

mod baseline;
mod report;

use crate::element_picture;
use async_trait::async_trait;
use baseline::Baseline;
use clap::{Args, ValueEnum};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{Error, ErrorCode, Frame, Invocation, Rect, Result, Window, text};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_picture::{self as picture, diff};
use handeye_shots::on_screen::{capture, check_captures};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Compares a window with a picture of it.
pub struct VisualDiff;

/// Most rectangles that are ignored.
const MAX_IGNORED: usize = 100;
/// Parts of the call's progress.
const PARTS: u32 = 3;

/// What to compare with what.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// PNG: path, URI, base64 or id (s7)
    #[arg(help = "The picture: a path, a file:// URI or base64 of a PNG")]
    baseline: String,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    /// Acceptable difference in percent
    #[arg(long, default_value_t = 1.0)]
    #[serde(default = "default_threshold")]
    threshold: f64,
    /// In pixels of the picture
    #[arg(long = "ignore", value_name = "X,Y,W,H", value_parser = parse_region, help = "Part that is not compared, in pixels of the picture; several times for several parts")]
    #[serde(default)]
    ignore_regions: Vec<Region>,
    #[arg(long, value_enum, default_value_t, help = "How pixels are compared")]
    #[serde(default)]
    mode: Mode,
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set, help = "Whether edges that are smoothed in another way do not count (mode pixel)")]
    #[serde(default = "default_antialiasing")]
    ignore_antialiasing: bool,
    #[arg(long, default_value_t = 0, help = "Number in the list of windows; 0 is the topmost")]
    #[serde(default)]
    window_index: u32,
    /// Only this element
    #[arg(long, conflicts_with = "window_index", help = "Compare this element only")]
    query: Option<String>,
    /// For a shell, as the specification names it: in no schema
    #[arg(long, conflicts_with = "mode", help = "The same as --mode perceptual")]
    #[serde(default)]
    #[schemars(skip)]
    perceptual: bool,
    /// Writes a file that the caller names, which a tool that only looks does not do: in no schema, so over MCP it is unknown
    #[arg(long, help = "Write the picture as it is now to the path of the baseline; nothing is compared")]
    #[serde(default)]
    #[schemars(skip)]
    update: bool,
}

const fn default_threshold() -> f64 {
    1.0
}

const fn default_antialiasing() -> bool {
    true
}

/// How pixels are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Each by itself.
    #[default]
    Pixel,
    /// As an observer sees them among those around them.
    Perceptual,
}

/// A part of the picture, from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Region {
    x: i32,
    y: i32,
    w: u32,
    h: u32,
}

/// How much differs.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    passed: bool,
    diff_percentage: f64,
    diff_pixels: u64,
    /// Pixels that were compared: without the ignored ones.
    total_pixels: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    antialiased_pixels: Option<u64>,
    /// Rectangles around what differs, the largest differences first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<Region>,
    /// [width, height]
    size: [u32; 2],
    /// That of the baseline, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_size: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[async_trait]
impl Operation for VisualDiff {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_visual_diff",
        command: "diff",
        title: "Visual regression diff",
        description: "Compare a window with a baseline picture; differences are red",
        elements: &["query"],
        toolset: Toolset::Assert,
        deadline: Duration::from_secs(30),
        narrower: || "Compare one element: name it with a query.".into(),
        output_published: false,
        pictures: true,
        task: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    fn names_files(_input: &Input) -> bool {
        true
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        check(&input)?;
        let baseline = Baseline::parse(&input.baseline, engine)?;
        if input.update {
            let path = baseline.to_write(engine)?;
            let (window, frame) = current(engine, call, &input).await?;
            return report::updated(engine, call, &window, frame, path).await;
        }
        check_captures(engine.desk.platform.screen.as_ref()).await?;
        // First, as nothing else is of use without it.
        let before = baseline.read(engine, call).await?;
        call.progress.report(0, PARTS, "Capturing current");
        let (window, frame) = current(engine, call, &input).await?;
        call.progress.report(1, PARTS, "Computing diff");
        let ignored: Vec<_> =
            input.ignore_regions.iter().map(|it| Rect::new(it.x, it.y, it.w, it.h)).collect();
        let mode = match input.mode {
            Mode::Pixel if !input.perceptual => {
                diff::Mode::Pixel { tolerate_antialiasing: input.ignore_antialiasing }
            }
            Mode::Pixel | Mode::Perceptual => diff::Mode::Perceptual,
        };
        let baseline_size = before.size();
        let compared = picture::away(move || {
            diff::compare(&before, &frame, mode, &ignored).map(|comparison| (comparison, frame))
        });
        let (comparison, frame) = compared.await?;
        if comparison.total == 0 {
            return Err(Error::invalid_parameter(
                "ignore_regions",
                "cover the whole picture: nothing is compared",
            )
            .with_next("Ignore less."));
        }
        call.progress.report(2, PARTS, "Generating overlay");
        report::compared(engine, call, &window, frame, comparison, baseline_size, input.threshold).await
    }
}

/// Whether the parameters make sense.
fn check(input: &Input) -> Result<()> {
    if !(0.0..=100.0).contains(&input.threshold) {
        return Err(Error::invalid_parameter("threshold", "must be a percentage from 0 to 100"));
    }
    if input.ignore_regions.len() > MAX_IGNORED {
        let why = format!("has {} regions; at most {MAX_IGNORED} are ignored", input.ignore_regions.len());
        return Err(Error::invalid_parameter("ignore_regions", why)
            .with_next("Ignore larger parts, or compare one element: name it with a query."));
    }
    if let Some(empty) = input.ignore_regions.iter().position(|region| region.w == 0 || region.h == 0) {
        let why = format!("number {} covers no pixel: w and h must be at least 1", empty + 1);
        return Err(Error::invalid_parameter("ignore_regions", why));
    }
    if input.query.is_some() && input.window_index > 0 {
        return Err(Error::invalid_parameter("window_index", "names another window than the one of 'query'")
            .with_next("Leave one of them out."));
    }
    Ok(())
}

/// The window and what it, or the element of it, looks like now.
async fn current(engine: &Engine, call: &Call, input: &Input) -> Result<(Window, Frame)> {
    let screen = engine.desk.platform.screen.as_ref();
    check_captures(screen).await?;
    let whole = |window: &Window| CaptureTarget::Window(window.id, WindowPart::Whole);
    let Some(query) = &input.query else {
        let application = engine.desk.application_or_ask(call, &input.app).await?;
        let windows = engine.desk.windows_of(&application).await?;
        let titles: Vec<String> =
            windows.iter().enumerate().map(|(at, window)| format!("{at}: \"{}\"", window.title)).collect();
        let window = windows.into_iter().nth(input.window_index as usize).ok_or_else(|| {
            let message = format!("'{}' has no window {}", application.name, input.window_index);
            Error::new(ErrorCode::WindowNotFound, message)
                .with_found(titles)
                .with_next(text![Invocation::of("ax_list_windows"), " lists them."])
        })?;
        let frame = capture(screen, whole(&window)).await?;
        return Ok((window, frame));
    };
    let element = element_picture::find(engine, call, &input.app, query).await?;
    let frame = element.capture(screen).await?;
    Ok((element.window, frame))
}

/// Reads `x,y,w,h` from the command line.
fn parse_region(text: &str) -> std::result::Result<Region, String> {
    let malformed = || format!("'{text}' is not X,Y,W,H, for example 0,0,640,480");
    let mut numbers = text.split(',').map(|part| part.trim().parse::<i32>());
    let mut next = || numbers.next().and_then(std::result::Result::ok).ok_or_else(malformed);
    let (x, y, w, h) = (next()?, next()?, next()?, next()?);
    let size = |number: i32| u32::try_from(number).map_err(|_| malformed());
    let region = Region { x, y, w: size(w)?, h: size(h)? };
    if numbers.next().is_some() { Err(malformed()) } else { Ok(region) }
}
