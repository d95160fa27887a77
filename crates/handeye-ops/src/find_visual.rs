//! `ax_find_visual`: finds by sight what is not in the accessibility tree (axterminator, section 4.3).

use crate::element;
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use handeye_act::locate::Located;
use handeye_call::call::Call;
use handeye_call::outcome::{Outcome, Verdict};
use handeye_core::{
    Application, DetailKinds, Error, ErrorCode, Frame, InPicture, Invocation, Point, Rect, Result, Size,
    Text, Window, text,
};
use handeye_engine::{Engine, Meta, Operation, Toolset};
use handeye_picture::{self as picture, MAX_FILE_BYTES};
use handeye_shots::Subject;
use handeye_shots::delivery::{Capture, Delivered, Order};
use handeye_shots::marks::Mark;
use handeye_sight::visual::{self, Attempt, Effort, Hit, Picture, SearchIn, Sought, Step};
use handeye_tree::outline::{self, quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Finds by sight.
pub struct FindVisual;

/// What to look for and where.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    /// Text that it shows, in quotes if it is among other words, or its looks
    description: String,
    /// Base64 of a PNG or JPEG to look at instead
    #[arg(skip)]
    screenshot: Option<String>,
}

/// Where it is.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    found: bool,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<Step>,
    /// [x, y] on the screen
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[i32; 2]>,
    /// [width, height]
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vlm_backend: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element_ref: Option<String>,
    /// Its middle, in pixels of `screenshot`: for `ax_click_at`
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<[i32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    attempts: Vec<Attempt>,
}

#[async_trait]
impl Operation for FindVisual {
    type Input = Input;
    type Output = Output;
    const META: Meta = Meta {
        tool: "ax_find_visual",
        command: "find-visual",
        title: "Find element by sight",
        description: "By pixels: reads the window's text, then asks an AI model",
        toolset: Toolset::Vision,
        open_world: true,
        // Each step has a limit of its own and ends with a better error.
        deadline: Duration::from_secs(600),
        narrower: || "Describe one thing by the text that it shows.".into(),
        task: true,
        pictures: true,
        ..Meta::READ
    };

    fn application(input: &Input) -> Option<&str> {
        input.screenshot.is_none().then_some(&*input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<Output>> {
        let (source, application) = if let Some(base64) = input.screenshot {
            (SearchIn::Given(given(base64).await?), None)
        } else {
            let application = engine.desk.application_or_ask(call, &input.app).await?;
            (SearchIn::Window(topmost(engine, &application).await?), Some(application))
        };
        let sought = visual::search(engine.eyes(), call, &input.description, source, Effort::WHOLE).await?;
        let element = match (&sought.hit, &application) {
            (Some(hit), Some(application)) => element(engine, call, application, &sought.picture, hit).await,
            _ => None,
        };
        answer(engine, call, sought, element.as_ref()).await
    }
}

/// The picture that came with the call.
async fn given(base64: String) -> Result<Frame> {
    let invalid =
        |why: &str| Error::invalid_parameter("screenshot", why).with_next("Omit it to capture the window.");
    if base64.len() > MAX_FILE_BYTES / 3 * 4 {
        return Err(Error::new(
            ErrorCode::TooLarge,
            format!("parameter 'screenshot': at most {MAX_FILE_BYTES} bytes are read"),
        )
        .with_next("Omit it to capture the window."));
    }
    picture::away(move || {
        // Clients like to pass on what they have.
        let data = base64.trim().split_once(";base64,").map_or(base64.trim(), |(_, data)| data);
        let bytes = STANDARD.decode(data).map_err(|_| invalid("is not base64 of a PNG or JPEG"))?;
        picture::decode(&bytes)
    })
    .await
}

/// The topmost window of an application that has pixels.
pub(crate) async fn topmost(engine: &Engine, application: &Application) -> Result<Window> {
    let windows = engine.desk.windows_of(application).await?;
    let any = windows.first().cloned();
    windows.into_iter().find(|window| !window.minimized).or(any).ok_or_else(|| {
        Error::new(ErrorCode::WindowNotFound, format!("'{}' has no window on this desktop", application.name))
            .with_next(text![Invocation::of("ax_list_windows"), " lists windows."])
    })
}

/// The element behind the place, if the application reports one. Without it the place is still useful.
pub(crate) async fn element(
    engine: &Engine,
    call: &Call,
    application: &Application,
    picture: &Picture,
    hit: &Hit,
) -> Option<Located> {
    if !hit.others.is_empty() {
        return None;
    }
    let found = async {
        let app = engine.desk.connect_application(application).await?;
        element::under(
            engine,
            engine.desk.handles(call),
            &app,
            picture,
            hit.area,
            DetailKinds::EXTENTS | DetailKinds::VALUE | DetailKinds::TEXT,
        )
        .await
    };
    found.await.unwrap_or_else(|error| {
        tracing::debug!(code = error.code.as_str(), "no element is known at the place");
        None
    })
}

/// What was seen, as answers have it.
pub(crate) struct Presented {
    /// For a reader.
    pub(crate) text: Text,
    /// Where it is on the screen.
    pub(crate) position: Option<[i32; 2]>,
    /// How large it is.
    pub(crate) size: Option<[u32; 2]>,
    /// Its middle, in pixels of the picture.
    pub(crate) point: Option<[i32; 2]>,
    /// The id of the picture, where a later call can use it.
    pub(crate) screenshot: Option<String>,
    /// The file of the picture.
    pub(crate) path: Option<String>,
    /// What could not be done with the picture.
    pub(crate) notes: Vec<Text>,
    /// The picture with what was found marked on it.
    pub(crate) pictures: Vec<handeye_call::outcome::Picture>,
}

/// Delivers the picture of a search and says what was found where.
pub(crate) async fn present(
    engine: &Engine,
    call: &Call,
    sought: &Sought,
    element: Option<&Located>,
) -> Result<Presented> {
    let hit = sought.hit.as_ref();
    let mut delivered = deliver(engine, call, &sought.picture, hit, element).await?;
    let mut notes = Vec::new();
    let file = match delivered.as_mut().map(Delivered::file).transpose() {
        Ok(file) => file.flatten(),
        // What was found counts, the picture of it is for the eye.
        Err(error) => {
            notes.push(format!("Not saved: {}", error.message).into());
            None
        }
    };
    let frame = &sought.picture.frame;
    let seen_at = |size: Size| hit.map(|hit| pixel(hit.area.center(), frame.size(), size));
    let (point, screenshot) = match delivered.as_ref() {
        Some(delivered) if call.reader.remembered => {
            (seen_at(delivered.size), Some(delivered.id.to_string()))
        }
        _ => (None, None),
    };
    // In the picture that the call brought, by the pixels of that picture.
    let given = hit.filter(|_| sought.picture.window.is_none()).map(|hit| [hit.area.x, hit.area.y]);
    let place = hit.and_then(|hit| frame.place_of(hit.area));
    let mut text = sentence(sought, element, point.filter(|_| place.is_some()), screenshot.as_deref());
    let shown = file.as_ref().and_then(|file| file.shown.as_ref());
    if let Some(shown) = shown {
        text.push_str(&format!("\nScreenshot saved to {shown}"));
    }
    let path = file.as_ref().filter(|_| shown.is_some()).map(|file| file.path.display().to_string());
    let size = hit
        .map(|hit| place.map_or_else(|| hit.area.size(), |place| place.size()))
        .map(|size| [size.width, size.height]);
    Ok(Presented {
        text,
        position: place.map(|place| [place.x, place.y]).or(given),
        size,
        point: point.map(|point| [point.x, point.y]),
        screenshot,
        path,
        notes,
        pictures: delivered.and_then(|delivered| delivered.picture).into_iter().collect(),
    })
}

async fn answer(
    engine: &Engine,
    call: &Call,
    sought: Sought,
    element: Option<&Located>,
) -> Result<Outcome<Output>> {
    let seen = present(engine, call, &sought, element).await?;
    let failure = (!sought.was_looked()).then(|| {
        Error::new(
            ErrorCode::AnalysisUnavailable,
            "no reader of text and no model is available for the picture",
        )
        .with_found(sought.failures())
        .with_next(text![
            "Install tesseract-ocr or set HANDEYE_AI_PROVIDERS; ",
            Invocation::of("ax_screenshot"),
            " shows you the window."
        ])
    });
    let hit = sought.hit.as_ref();
    let fields = Output {
        found: hit.is_some(),
        method: "visual",
        strategy: hit.map(|hit| hit.step),
        position: seen.position,
        size: seen.size,
        confidence: hit.and_then(|hit| hit.confidence).map(|sure| (sure * 100.0).round() / 100.0),
        vlm_backend: hit.map(|hit| hit.backend.clone()),
        element_ref: element.and_then(Located::shown_reference).map(str::to_owned),
        point: seen.point,
        screenshot: seen.screenshot,
        path: seen.path,
        attempts: sought.attempts,
    };
    let verdict = Verdict::of(fields.found, ErrorCode::ElementNotFound);
    let (notes, pictures) = (seen.notes, seen.pictures);
    Ok(Outcome { pictures, notes, failure, verdict, ..Outcome::new(seen.text, fields) })
}

/// Delivers the picture with what was found marked on it; a picture that came with the call is not sent back.
async fn deliver(
    engine: &Engine,
    call: &Call,
    picture: &Picture,
    hit: Option<&Hit>,
    element: Option<&Located>,
) -> Result<Option<Delivered>> {
    let Some(window) = &picture.window else { return Ok(None) };
    let areas = hit.into_iter().flat_map(|hit| std::iter::once(hit.area).chain(hit.others.iter().copied()));
    let marks = areas.enumerate().filter_map(|(number, area)| {
        Some(Mark {
            reference: element.map_or_else(|| (number + 1).to_string(), |element| element.reference.clone()),
            line: String::new(),
            area: picture.frame.shown_by(area)?,
        })
    });
    let order = Order { marks: marks.collect(), ..Order::configured() };
    let frame = Frame::clone(&picture.frame);
    let capture = Capture { frame, subject: Subject::Window(window.id), scale: picture.scale };
    engine.deliver_seen(call, capture, Arc::clone(&picture.windows), order).await.map(Some)
}

/// The pixel of a picture, delivered at `size`, that shows what the pixel `at` of all `captured` ones does.
fn pixel(at: Point<InPicture>, captured: Size, size: Size) -> Point<InPicture> {
    let scaled = |at: i32, captured: u32, delivered: u32| {
        let inside = u64::from(at.max(0).cast_unsigned());
        let scaled = inside * u64::from(delivered) / u64::from(captured.max(1));
        scaled.min(u64::from(delivered.saturating_sub(1))) as i32
    };
    Point::new(scaled(at.x, captured.width, size.width), scaled(at.y, captured.height, size.height))
}

fn sentence(
    sought: &Sought,
    element: Option<&Located>,
    point: Option<Point<InPicture>>,
    screenshot: Option<&str>,
) -> Text {
    let Some(hit) = &sought.hit else {
        let mut text = Text::from(if sought.was_looked() {
            "Not found."
        } else {
            "No reader of text and no model is available."
        });
        for failure in sought.failures() {
            text.push_str(&format!("\n{failure}"));
        }
        if let Some(id) = screenshot {
            let call = Invocation::of("ax_click_at").with("screenshot", id);
            text.push(text!["\nLook yourself: ", call, " takes its pixels."]);
        }
        return text;
    };
    let sure = hit.confidence.map_or_else(String::new, |sure| format!(", confidence {sure:.2}"));
    let mut text = Text::from(format!("Found by {} ({}{sure})", hit.step.as_str(), hit.backend));
    if let Some(read) = &hit.text {
        text.push_str(&format!(", it reads {}", quoted(read, 120)));
    }
    text.push_str(&format!(": {}", place(&sought.picture, hit.area)));
    if !hit.others.is_empty() {
        let others: Vec<String> = hit.others.iter().map(|other| place(&sought.picture, *other)).collect();
        text.push_str(&format!(
            "\n{} places fit equally well; this is the first. The others: {}.",
            others.len() + 1,
            others.join("; ")
        ));
    }
    match (element, point, screenshot) {
        (Some(element), ..) => {
            text.push(text!["\n", outline::line(&element.node, element.shown_reference()).as_str()]);
        }
        (None, Some(point), Some(id)) => {
            text.push(text!["\nNo element is known there. To click: ", click(point, id), "."]);
        }
        _ => {}
    }
    text
}

/// Where that is: on the screen, in the window where its place is not known, or else in the picture.
fn place(picture: &Picture, area: Rect<InPicture>) -> String {
    match picture.frame.shown_by(area) {
        Some(extents) => extents.to_string(),
        None => format!("{}x{} at ({}, {}) of the picture", area.width, area.height, area.x, area.y),
    }
}

/// The call that clicks a point that no element of a tree covers.
fn click(Point { x, y, .. }: Point<InPicture>, screenshot: &str) -> Invocation {
    Invocation::of("ax_click_at")
        .with("x", x)
        .with("y", y)
        .with("screenshot", screenshot)
        .with("mode", "focus")
}

/// The error of something that was seen where no element is known: how it is clicked anyway. Gives the picture an id.
pub(crate) fn without_element(engine: &Engine, picture: &Picture, hit: &Hit) -> Error {
    let error = Error::new(
        ErrorCode::ElementNotFound,
        format!("it is seen, {}, but the application reports no element there", place(picture, hit.area)),
    );
    let Some(shot) = picture.shot().filter(|shot| shot.area.is_some()) else { return error };
    let point = pixel(hit.area.center(), picture.frame.size(), shot.size);
    let id = engine.memory.shots.remember(shot);
    error.with_next(text![click(point, &id.to_string()), " clicks it."])
}

/// The error of something that is seen in several places.
pub(crate) fn several(picture: &Picture, hit: &Hit) -> Error {
    let areas = std::iter::once(hit.area).chain(hit.others.iter().copied());
    Error::new(ErrorCode::ElementAmbiguous, "nothing was done: it is seen in several places")
        .with_found(areas.map(|area| place(picture, area)))
        .with_next(text![Invocation::of("ax_find_visual"), " with a closer description tells them apart."])
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::OnScreen;
    use handeye_shots::Shot;

    #[test]
    fn a_point_and_the_pixel_that_shows_it_are_one_place() {
        let area = Rect::new(100, 50, 2_000, 1_000);
        let size = Size::new(1_000, 500);
        let shot = Shot {
            subject: Subject::Screen,
            area: Some(area),
            size,
            scale: 1.0,
            windows: Arc::default(),
            file: None,
        };
        for point in [Point::<OnScreen>::new(100, 50), Point::new(1_111, 777), Point::new(2_099, 1_049)] {
            let Point { x, y, .. } = pixel(Point::new(point.x - 100, point.y - 50), area.size(), size);
            let back = shot.on_screen(Point::new(x, y)).expect("inside");
            assert!(back.x.abs_diff(point.x) <= 2 && back.y.abs_diff(point.y) <= 2, "{point:?} {back:?}");
        }
    }
}
