//! `ax_screenshot`: a picture of a window, of the screen or of a part of it.

use crate::element_picture::{self, Pictured};
use crate::marked::{self, Marked};
use async_trait::async_trait;
use clap::Args;
use handeye_act::targets::FRONTMOST;
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{
    Error, ErrorCode, Extents, Frame, Invocation, Rect, Result, Size, Space, Text, Window, text,
};
use handeye_engine::{Engine, Meta, Operation};
use handeye_picture::Format;
use handeye_shots::Subject;
use handeye_shots::delivery::{Capture, Delivered, Destination, Inline, Order};
use handeye_shots::on_screen::{capture, check_captures};
use handeye_shots::scale_of;
use handeye_tree::outline::quoted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Most characters of a window's title that are shown.
const MAX_TITLE: usize = 120;

/// Captures a picture.
pub struct Screenshot;

/// What to capture.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Omit for the full screen
    #[arg(long)]
    app: Option<String>,
    /// 0 is the topmost
    #[arg(long, default_value_t = 0)]
    #[serde(default)]
    window_index: u32,
    /// Part of the window, or of the screen, in pixels
    #[arg(long, value_name = "X,Y,W,H", value_parser = parse_region)]
    region: Option<Region>,
    /// Only this element
    #[arg(long, conflicts_with_all = ["window_index", "region"], help = "Only this element: a query or a reference")]
    query: Option<String>,
    /// Draw and list the references
    #[arg(long, help = "Draw marks on what can be acted on, and list them")]
    #[serde(default)]
    annotate: bool,
    /// Where a shell wants the picture: in no schema, so over MCP it is unknown
    #[arg(
        long,
        short,
        value_name = "PATH",
        help = "Write the picture there, as its ending says; '-' is standard output [default: a new file in the \
                folder for screenshots]"
    )]
    #[serde(default)]
    #[schemars(skip)]
    output: Option<PathBuf>,
}

/// A part of what is captured, from its top left corner.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Region {
    x: i32,
    y: i32,
    w: u32,
    h: u32,
}

impl Region {
    /// As a rectangle of the space that it is counted in.
    const fn rect<S: Space>(self) -> Rect<S> {
        Rect::new(self.x, self.y, self.w, self.h)
    }
}

/// What the picture shows.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// For `ax_click_at` and `ax_drag`
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// That of the file, where the picture here is a scaled one
    #[serde(skip_serializing_if = "Option::is_none")]
    file_id: Option<String>,
    /// [x, y] on the screen
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[i32; 2]>,
    /// [width, height]
    size: [u32; 2],
    /// Screen pixels for one logical pixel
    scale: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[async_trait]
impl Operation for Screenshot {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_screenshot",
        command: "screenshot",
        title: "Capture screenshot",
        description: "Picture of a window, also a covered one, or of the screen",
        elements: &["query"],
        pictures: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        input.app.as_deref().or_else(|| input.query.as_ref().map(|_| FRONTMOST))
    }

    fn names_files(input: &Input) -> bool {
        input.output.is_some()
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        check(&input)?;
        check_captures(engine.desk.platform.screen.as_ref()).await?;
        let wanted = Wanted::find(engine, call, &input).await?;
        let subject = wanted.window().map_or(Subject::Screen, |window| Subject::Window(window.id));
        // Asked before the pixels are taken: a slow application would let the picture grow old.
        let mut marked = if input.annotate {
            Some(marked::collect(engine, subject, wanted.expected_area(engine).await?).await?)
        } else {
            None
        };
        let frame = wanted.capture(engine).await?;
        if let Some(marked) = &mut marked {
            marked.keep_shown_by(&frame);
        }
        let (captured, place, what) = (frame.size(), frame.place(), wanted.called());
        let scale = scale_of(&engine.desk.platform.screen.monitors().await?, place.as_ref());
        let drawn = marked.as_ref().map(Marked::marks).unwrap_or_default();
        let order = Order { marks: drawn, ..order(input.output.as_deref()) };
        let mut delivered = engine.deliver(call, Capture { frame, subject, scale }, order).await?;
        let mut text = Text::from(delivered.sentence(&what));
        let mut notes = Vec::new();
        let file = match delivered.file() {
            Ok(file) => file,
            // The picture itself may still be useful.
            Err(error) if delivered.picture.is_some() => {
                notes.push(format!("Not saved: {}", error.message).into());
                None
            }
            Err(error) => return Err(error),
        };
        let usable = call.reader.remembered;
        // Where answers only confirm, no caller has a picture to click in.
        if !usable || delivered.picture.is_some() || file.as_ref().is_some_and(|file| file.shown.is_some()) {
            text.push_str("\n");
            text.push(how_to_use(&delivered, captured, place, scale, usable));
        }
        if let Some(marked) = &marked {
            text.push_str("\n");
            text.push(marked.list());
        }
        let path = file.filter(|file| file.shown.is_some()).map(|file| file.path.display().to_string());
        let fields = Output {
            id: usable.then(|| delivered.id.to_string()),
            file_id: delivered.file_id.filter(|_| usable).map(|id| id.to_string()),
            position: place.map(|place| [place.x, place.y]),
            size: [delivered.size.width, delivered.size.height],
            scale,
            window: wanted.window().map(|window| window.title.clone()),
            path,
        };
        Ok(Outcome { pictures: delivered.picture.into_iter().collect(), notes, ..Outcome::new(text, fields) })
    }
}

/// Whether the parameters go together.
fn check(input: &Input) -> Result<()> {
    if input.region.is_some_and(|region| region.w == 0 || region.h == 0) {
        return Err(Error::invalid_parameter("region", "covers no pixel: w and h must be at least 1"));
    }
    if input.query.is_some() && (input.region.is_some() || input.window_index > 0) {
        let other = if input.region.is_some() { "region" } else { "window_index" };
        let why = "names another part than 'query' does";
        return Err(Error::invalid_parameter(other, why).with_next("Leave one of them out."));
    }
    if input.app.is_none() && input.window_index > 0 {
        return Err(Error::invalid_parameter(
            "window_index",
            "counts the windows of an application: 'app' is missing",
        )
        .with_next(text!["Add app; ", Invocation::of("ax_list_apps"), " names the applications."]));
    }
    Ok(())
}

/// How the picture is delivered: as it is configured, or where a shell wants it.
fn order(output: Option<&Path>) -> Order {
    let Some(path) = output else { return Order::configured() };
    if path == Path::new("-") {
        return Order { destination: Destination::Nowhere, inline: Inline::FullSize, ..Order::configured() };
    }
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let format = match extension.as_deref() {
        Some("jpg" | "jpeg") => Format::Jpeg,
        _ => Format::Png,
    };
    Order {
        destination: Destination::File(path.to_owned()),
        format,
        inline: Inline::Never,
        ..Order::configured()
    }
}

/// Where the picture is on the screen and, for callers that can come back to it, how to click in it. It shows `captured` pixels, at `place`.
fn how_to_use(delivered: &Delivered, captured: Size, place: Option<Rect>, scale: f64, usable: bool) -> Text {
    let Size { width, height } = delivered.size;
    let corner = match place {
        Some(area) => format!("top left corner at ({}, {}) of the screen", area.x, area.y),
        None => "its place on the screen is not known".to_owned(),
    };
    let place_words = format!("{width}x{height} pixels, {corner}, scale {scale}");
    if !usable || place.is_none() {
        return format!("{place_words}.").into();
    }
    let id = delivered.id;
    let file = delivered.file_id.map_or_else(String::new, |id| {
        format!(" The file is {id}, {}x{} pixels.", captured.width, captured.height)
    });
    let same =
        delivered.same_as.map_or_else(String::new, |same| format!(" Nothing was drawn there since {same}."));
    let call = Invocation::of("ax_click_at").with("screenshot", id.to_string());
    text![format!("{id}: {place_words}.{same}{file} To click in it: "), call, " and its pixels."]
}

async fn window_at(engine: &Engine, call: &Call, app: &str, index: u32) -> Result<Window> {
    let application = engine.desk.application_or_ask(call, app).await?;
    let windows = engine.desk.windows_of(&application).await?;
    let titles: Vec<String> =
        windows.iter().enumerate().map(|(index, window)| format!("{index}: \"{}\"", window.title)).collect();
    windows.into_iter().nth(index as usize).ok_or_else(|| {
        let message = if titles.is_empty() {
            format!("'{}' has no window on this desktop", application.name)
        } else {
            format!("'{}' has no window {index}", application.name)
        };
        Error::new(ErrorCode::WindowNotFound, message).with_found(titles).with_next(text![
            Invocation::of("ax_list_windows"),
            " lists them; without app the whole screen is captured."
        ])
    })
}

/// What is to be captured.
enum Wanted {
    Screen(Option<Region>),
    Window(Window, Option<Region>),
    Element(Pictured),
}

impl Wanted {
    async fn find(engine: &Engine, call: &Call, input: &Input) -> Result<Self> {
        Ok(match (&input.query, &input.app) {
            (Some(query), app) => {
                let app = app.as_deref().unwrap_or(FRONTMOST);
                Self::Element(element_picture::find(engine, call, app, query).await?)
            }
            (None, Some(app)) => {
                Self::Window(window_at(engine, call, app, input.window_index).await?, input.region)
            }
            (None, None) => Self::Screen(input.region),
        })
    }

    const fn window(&self) -> Option<&Window> {
        match self {
            Self::Screen(_) => None,
            Self::Window(window, _) => Some(window),
            Self::Element(element) => Some(&element.window),
        }
    }

    /// As an answer calls it.
    fn called(&self) -> String {
        let window = self.window().map_or_else(
            || "screen".to_owned(),
            |window| format!("window {}", quoted(&window.title, MAX_TITLE)),
        );
        match self {
            Self::Screen(None) | Self::Window(_, None) => window,
            Self::Screen(Some(_)) | Self::Window(_, Some(_)) => format!("part of {window}"),
            Self::Element(element) => format!("{} of {window}", element.name),
        }
    }

    /// The part of the screen that the picture is going to show; `None` if the place of the window is not known.
    async fn expected_area(&self, engine: &Engine) -> Result<Option<Rect>> {
        Ok(match self {
            Self::Screen(Some(region)) => Some(region.rect()),
            Self::Screen(None) => {
                let monitors = engine.desk.platform.screen.monitors().await?;
                Some(Rect::around(monitors.iter().map(|monitor| monitor.area)))
            }
            Self::Window(window, None) => window.frame(),
            Self::Window(window, Some(region)) => window.frame().map(|frame| {
                let part = Extents::OnScreen(frame).part(region.rect());
                part.and_then(|part| part.on_screen(None)).unwrap_or_default()
            }),
            Self::Element(element) => element.part.on_screen(element.window.place),
        })
    }

    async fn capture(&self, engine: &Engine) -> Result<Frame> {
        let screen = engine.desk.platform.screen.as_ref();
        match self {
            Self::Screen(region) => capture_screen(engine, *region).await,
            Self::Window(window, region) => {
                let target = CaptureTarget::Window(window.id, WindowPart::Whole);
                crop(capture(screen, target).await?, *region)
            }
            Self::Element(element) => element.capture(screen).await,
        }
    }
}

async fn capture_screen(engine: &Engine, region: Option<Region>) -> Result<Frame> {
    let Some(region) = region else {
        return capture(engine.desk.platform.screen.as_ref(), CaptureTarget::Desktop).await;
    };
    let area = region.rect();
    let monitors = engine.desk.platform.screen.monitors().await?;
    if !monitors.iter().any(|monitor| monitor.area.intersection(&area).is_some()) {
        return Err(Error::invalid_parameter("region", "is outside of every monitor")
            .with_found(monitors.iter().map(|monitor| {
                let area = monitor.area;
                format!("{}: {}x{} at ({}, {})", monitor.name, area.width, area.height, area.x, area.y)
            }))
            .with_next(
                "Use coordinates inside of a monitor; they are physical pixels of the whole desktop.",
            ));
    }
    capture(engine.desk.platform.screen.as_ref(), CaptureTarget::Region(area)).await
}

/// Cuts a part out of a window's picture; the part is counted from the window's top left corner, in the units of what the picture shows, or
/// else in its pixels.
fn crop(frame: Frame, region: Option<Region>) -> Result<Frame> {
    let Some(region) = region else { return Ok(frame) };
    let (part, Size { width, height }) = match frame.shows() {
        Some(shown) => (shown.part(region.rect()).and_then(|part| frame.pixels_of(part)), shown.size()),
        None => (Some(region.rect()), frame.size()),
    };
    part.and_then(|part| frame.part(part)).ok_or_else(|| {
        Error::invalid_parameter("region", "is outside of the window")
            .with_next(format!("The window has {width}x{height} pixels."))
    })
}

/// Reads `x,y,w,h` from the command line.
fn parse_region(text: &str) -> std::result::Result<Region, String> {
    let malformed = || format!("'{text}' is not X,Y,W,H, for example 0,0,640,480");
    let numbers: Vec<i32> = text
        .split(',')
        .map(|part| part.trim().parse())
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| malformed())?;
    let [x, y, w, h] = numbers[..] else { return Err(malformed()) };
    let size = |number: i32| u32::try_from(number).map_err(|_| malformed());
    Ok(Region { x, y, w: size(w)?, h: size(h)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_counted_from_the_corner_of_the_window() {
        let rgb = (0..4 * 3).flat_map(|pixel| [pixel, pixel, pixel]).collect();
        let frame = Frame::new(Rect::new(100, 50, 4, 3), rgb);
        let part = crop(frame, Some(Region { x: 1, y: 1, w: 9, h: 1 })).expect("inside");
        assert_eq!(part.place(), Some(Rect::new(101, 51, 3, 1)));
        assert_eq!(part.rgb(), [5, 5, 5, 6, 6, 6, 7, 7, 7]);
    }
    #[test]
    fn a_region_is_counted_in_units_where_several_pixels_show_one() {
        let rgb = (0..8 * 6).flat_map(|pixel| [pixel, pixel, pixel]).collect();
        let frame = Frame::scaled(Rect::new(100, 50, 4, 3), Size::new(8, 6), rgb);
        let part = crop(frame, Some(Region { x: 3, y: 1, w: 9, h: 1 })).expect("inside");
        assert_eq!((part.place(), part.size()), (Some(Rect::new(103, 51, 1, 1)), Size::new(2, 2)));
        assert_eq!(part.rgb(), [22, 22, 22, 23, 23, 23, 30, 30, 30, 31, 31, 31]);
    }
}
