//! `ax_drag`: drags with the pointer.

use crate::answer::acted;
use crate::shared::{ActionOutput, Mode};
use crate::target::target;
use async_trait::async_trait;
use clap::Args;
use handeye_act::locate::Located;
use handeye_act::targets::FRONTMOST;
use handeye_act::{Actor, End, PointerDrag, SeatOf, ShownBy, named, refused};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{Argument, Error, Invocation, Means, Point, Result, Role, Support, text};
use handeye_engine::{Engine, Meta, Operation};
use handeye_shots::on_screen::check_on_screen;
use handeye_shots::{NamedPoint, Spot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Drags with the pointer.
pub struct Drag;

/// Longest time that one drag takes.
const MAX_DURATION_MS: u32 = 30_000;

/// From where to where.
#[derive(Serialize, Deserialize, JsonSchema, Args)]
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

/// One end of a drag, before its element is looked up.
enum Found<'a> {
    Query(&'a str),
    Screen(Point),
    Picture(Box<Spot>),
}

#[async_trait]
impl Operation for Drag {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_drag",
        command: "drag",
        title: "Drag element or between positions",
        description: "Each end: a query, or x and y",
        elements: &["from_query", "to_query"],
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
        let actor =
            Actor::begin(&engine.desk, call, &application(&input.app, &from), ShownBy::AnyChange).await?;
        let from = locate(engine, &actor, from).await?;
        let to = locate(engine, &actor, to).await?;
        let seat = match input.mode {
            Mode::Focus => SeatOf::User,
            Mode::Background => match actor.agent_seat(&[Means::Drag]).await {
                Support::Yes => SeatOf::Agent,
                Support::No(missing) => return Err(refuse(from.element(), &missing.reason)),
            },
        };
        let drag = PointerDrag { from, to, duration_ms: u64::from(input.duration_ms), seat };
        let report = actor.act(&drag).await?;
        let element = drag.from.element();
        let what = element.map(|target| format!(" {}", named(target))).unwrap_or_default();
        let did = format!("Dragged{what} from {} to {}", report.aim.start.words, report.aim.stop.words);
        Ok(acted(
            &actor,
            &did,
            element,
            &report,
            Some(text![Invocation::of("ax_screenshot"), " shows the result."]),
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
    Point(i32, i32),
}

impl<'a> Asked<'a> {
    fn check(&self) -> Result<Named<'a>> {
        let which = self.which;
        match (self.query, self.x, self.y) {
            (Some(query), None, None) => Ok(Named::Query(query)),
            (None, Some(x), Some(y)) => Ok(Named::Point(x, y)),
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
    async fn find(self, engine: &Engine, screenshot: Option<&str>) -> Result<Found<'a>> {
        let screen = engine.desk.platform.screen.as_ref();
        let (x, y) = match self {
            Self::Query(query) => return Ok(Found::Query(query)),
            Self::Point(x, y) => (x, y),
        };
        match NamedPoint::new(x, y, screenshot) {
            NamedPoint::InPicture(picture, pixel) => {
                let spot = Spot::find(&engine.memory.shots, screen, picture, pixel).await?;
                Ok(Found::Picture(Box::new(spot)))
            }
            NamedPoint::OnScreen(point) => {
                check_on_screen(screen, point).await?;
                Ok(Found::Screen(point))
            }
        }
    }
}

/// Whose changes show what came of the drag: the application that the picture shows at its start, unless another is named.
fn application(named: &str, from: &Found<'_>) -> String {
    match from {
        Found::Picture(spot) if named.eq_ignore_ascii_case(FRONTMOST) => {
            spot.window.as_ref().and_then(|window| window.pid).map(|pid| pid.to_string())
        }
        _ => None,
    }
    .unwrap_or_else(|| named.to_owned())
}

async fn locate(engine: &Engine, actor: &Actor<'_>, end: Found<'_>) -> Result<End> {
    Ok(match end {
        Found::Query(query) => End::Element(Box::new(target(engine, actor, query).await?)),
        Found::Screen(point) => End::Screen(point),
        Found::Picture(spot) => End::Picture(spot),
    })
}

fn refuse(from: Option<&Located>, why: &str) -> Error {
    let next = match from {
        Some(slider) if matches!(slider.node.role, Role::Slider | Role::ScrollBar | Role::SpinButton) => {
            text![
                Invocation::of("ax_set_value").with("query", &*slider.handle),
                " moves it in the background; the same call with ",
                Argument::new("mode", "focus"),
                " uses the real pointer."
            ]
        }
        _ => text!["The same call with ", Argument::new("mode", "focus"), " uses the real pointer."],
    };
    let why = format!("a drag needs a pointer, the background mode leaves the user's alone, and {why}");
    refused("the drag", &why, next)
}
