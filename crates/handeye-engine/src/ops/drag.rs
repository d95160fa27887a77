//! `ax_drag`: drags with the pointer.

use crate::act::{ShownBy, Turn, named, refused};
use crate::call::Call;
use crate::confirm::{self, Gesture};
use crate::effect::Effect;
use crate::engine::Engine;
use crate::expectation::Expected;
use crate::focus::{Seat, check_on_screen, check_reachable};
use crate::locate::Located;
use crate::operation::{Meta, Operation, Outcome};
use crate::ops::shared::{ActionOutput, Mode};
use crate::shots::Spot;
use crate::targets::FRONTMOST;
use async_trait::async_trait;
use clap::Args;
use handeye_core::{Error, NodeId, Point, Result, Role, WindowId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use tokio::sync::OwnedMutexGuard;

/// Drags with the pointer.
pub struct Drag;

/// Longest time that one drag takes.
const MAX_DURATION_MS: u32 = 30_000;

/// From where to where.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    #[arg(long = "from", value_name = "QUERY", help = "Element to drag")]
    from_query: Option<String>,
    #[arg(long = "to", value_name = "QUERY", help = "Element to drop on")]
    to_query: Option<String>,
    #[arg(long, allow_negative_numbers = true, help = "Start, in pixels of the desktop")]
    from_x: Option<i32>,
    #[arg(long, allow_negative_numbers = true, help = "Start, in pixels of the desktop")]
    from_y: Option<i32>,
    #[arg(long, allow_negative_numbers = true, help = "End, in pixels of the desktop")]
    to_x: Option<i32>,
    #[arg(long, allow_negative_numbers = true, help = "End, in pixels of the desktop")]
    to_y: Option<i32>,
    /// Picture id of the positions
    #[arg(long, value_name = "ID")]
    screenshot: Option<String>,
    #[arg(long, default_value_t = default_duration(), help = "Milliseconds, 30000 at most")]
    #[serde(default = "default_duration")]
    duration_ms: u32,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    mode: Mode,
}

const fn default_duration() -> u32 {
    500
}

/// One end of a drag.
enum End<'a> {
    Query(&'a str),
    Screen(Point),
    Picture(Box<Spot>),
}

/// Where an end is, and how the answer says that.
struct Place {
    point: Point,
    /// The window that is there, where that matters.
    window: Option<WindowId>,
    words: String,
}

#[async_trait]
impl Operation for Drag {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_drag",
        command: "drag",
        title: "Drag element or between positions",
        description: "Needs mode focus. Each end: a query, or x and y",
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    fn waiting(input: &Input) -> Duration {
        Duration::from_millis(u64::from(input.duration_ms.min(MAX_DURATION_MS)))
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        if input.duration_ms > MAX_DURATION_MS {
            return Err(Error::invalid_parameter(
                "duration_ms",
                format!("must not be more than {MAX_DURATION_MS}"),
            ));
        }
        if input.screenshot.is_some() && input.from_query.is_some() && input.to_query.is_some() {
            return Err(Error::invalid_parameter("screenshot", "has no point: both ends are queries"));
        }
        let from =
            Asked { which: "from", query: input.from_query.as_deref(), x: input.from_x, y: input.from_y };
        let to = Asked { which: "to", query: input.to_query.as_deref(), x: input.to_x, y: input.to_y };
        let (from, to) = (from.check()?, to.check()?);
        let from = from.find(engine, input.screenshot.as_deref()).await?;
        let to = to.find(engine, input.screenshot.as_deref()).await?;
        let turn = Turn::begin(engine, call, &application(&input.app, &from), ShownBy::AnyChange).await?;
        let from_target = locate(&turn, &from).await?;
        let to_target = locate(&turn, &to).await?;
        if input.mode == Mode::Background {
            return Err(refuse(from_target.as_ref()));
        }
        before_drop(&turn, &to, to_target.as_ref()).await?;
        let first = from_target.as_ref().map(|target| target.node.id);
        let shown_by = first.or(to_target.as_ref().map(|target| target.node.id));
        for target in [&from_target, &to_target].into_iter().flatten() {
            check_reachable(&turn, target).await?;
        }
        let held = take_seat(&turn, &from, shown_by).await?;
        let start = place(&turn, &held, from, from_target.as_ref()).await?;
        let stop = place(&turn, &held, to, to_target.as_ref()).await?;
        let baseline = turn.baseline(first, Expected::Drag).await?;
        let duration = u64::from(input.duration_ms);
        let dragging = async {
            let dragged = engine.platform.input.drag(start.point, stop.point, duration, start.window).await;
            match &held {
                Held::Window(seat) => seat.kept(dragged).await,
                Held::Pointer { .. } => dragged,
            }
        };
        let observation = baseline.observe_input(call, dragging).await?;
        let effect = Effect::of(&observation);
        let what = from_target.as_ref().map(|target| format!(" {}", named(target))).unwrap_or_default();
        let did = format!("Dragged{what} from {} to {}", start.words, stop.words);
        Ok(turn.answer(
            &did,
            from_target.as_ref(),
            Some(&observation),
            effect,
            Some("ax_screenshot shows the result."),
        ))
    }
}

/// One end of a drag, as it was asked for.
struct Asked<'a> {
    which: &'static str,
    query: Option<&'a str>,
    x: Option<i32>,
    y: Option<i32>,
}

/// One end of a drag, named in one way.
enum Named<'a> {
    Query(&'a str),
    Point(Point),
}

impl<'a> Asked<'a> {
    fn check(&self) -> Result<Named<'a>> {
        let which = self.which;
        match (self.query, self.x, self.y) {
            (Some(query), None, None) => Ok(Named::Query(query)),
            (None, Some(x), Some(y)) => Ok(Named::Point(Point::new(x, y))),
            (Some(_), _, _) => Err(Error::invalid_parameter(
                &format!("{which}_query"),
                format!("cannot be combined with {which}_x or {which}_y"),
            )),
            (None, None, None) => Err(Error::invalid_parameter(&format!("{which}_query"), "is missing")
                .with_next(format!("Give {which}_query, or {which}_x and {which}_y."))),
            (None, x, _) => {
                let missing = if x.is_none() { "x" } else { "y" };
                let name = format!("{which}_{missing}");
                Err(Error::invalid_parameter(&name, "is missing: a point needs x and y"))
            }
        }
    }
}

impl<'a> Named<'a> {
    async fn find(self, engine: &Engine, screenshot: Option<&str>) -> Result<End<'a>> {
        Ok(match (self, screenshot) {
            (Self::Query(query), _) => End::Query(query),
            (Self::Point(point), Some(screenshot)) => {
                End::Picture(Box::new(Spot::find(engine, screenshot, point).await?))
            }
            (Self::Point(point), None) => {
                check_on_screen(engine, point).await?;
                End::Screen(point)
            }
        })
    }
}

/// Whose changes tell what came of the drag: the application that the picture shows at its start, unless another is named.
fn application(named: &str, from: &End<'_>) -> String {
    match from {
        End::Picture(spot) if named.eq_ignore_ascii_case(FRONTMOST) => {
            spot.window.as_ref().and_then(|window| window.pid).map(|pid| pid.to_string())
        }
        _ => None,
    }
    .unwrap_or_else(|| named.to_owned())
}

/// Asks before something is dropped where it is thrown away.
async fn before_drop(turn: &Turn<'_>, to: &End<'_>, target: Option<&Located>) -> Result<()> {
    let on = match (target, to) {
        (Some(target), _) => Some(target.node.id),
        (None, End::Screen(point)) => turn.app.element_at(*point, None).await?,
        (None, End::Picture(spot)) => turn.app.element_at(spot.point, None).await?,
        (None, End::Query(_)) => None,
    };
    match on {
        Some(on) => confirm::before(turn, on, Gesture::Drop).await,
        None => Ok(()),
    }
}

async fn locate(turn: &Turn<'_>, end: &End<'_>) -> Result<Option<Located>> {
    match end {
        End::Query(query) => turn.target(query).await.map(Some),
        End::Screen(_) | End::Picture(_) => Ok(None),
    }
}

/// The pointer, while the drag holds it.
enum Held<'a> {
    /// With the window that is dragged in, which was activated.
    Window(Box<Seat<'a>>),
    /// By itself, and the lock that holds it.
    Pointer { _held: OwnedMutexGuard<()> },
}

/// Takes the pointer and activates the window that is dragged in. Between two points of a picture of the screen, nothing
/// is activated: the picture showed what lies on top, and that is what is dragged.
async fn take_seat<'a>(turn: &'a Turn<'a>, from: &End<'_>, node: Option<NodeId>) -> Result<Held<'a>> {
    let seat = match from {
        End::Picture(spot) if node.is_none() => match &spot.window {
            Some(window) if spot.is_of_window() => Seat::on(turn, window.clone()).await?,
            _ => return Ok(Held::Pointer { _held: turn.engine.memory.lock_seat().await }),
        },
        _ => Seat::take(turn, node).await?,
    };
    Ok(Held::Window(Box::new(seat)))
}

/// Where an end is, once it is sure that the pointer reaches it there.
async fn place(turn: &Turn<'_>, held: &Held<'_>, end: End<'_>, target: Option<&Located>) -> Result<Place> {
    let (point, window) = match (end, target, held) {
        (End::Screen(point), ..) => (point, None),
        (End::Picture(spot), ..) => {
            let spot = spot.uncovered(turn.engine).await?;
            let window = spot.window.as_ref().map(|window| window.id);
            return Ok(Place { point: spot.point, window, words: spot.place() });
        }
        (End::Query(_), Some(target), Held::Window(seat)) => {
            let aimed = seat.point_of(target).await?;
            (aimed.point, Some(aimed.window))
        }
        (End::Query(query), ..) => return Err(Error::internal(format!("'{query}' was not looked up"))),
    };
    Ok(Place { point, window, words: format!("({}, {})", point.x, point.y) })
}

fn refuse(from: Option<&Located>) -> Error {
    let next = match from {
        Some(slider) if matches!(slider.node.role, Role::Slider | Role::ScrollBar | Role::SpinButton) => {
            format!(
                "ax_set_value with query: \"{}\" moves it in the background; the same call with mode: \"focus\" uses the real pointer.",
                slider.handle
            )
        }
        _ => "The same call with mode: \"focus\" uses the real pointer.".to_owned(),
    };
    refused("the drag", "a drag needs the pointer, which the background mode leaves alone", next)
}
