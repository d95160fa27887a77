//! `ax_drag`: drags with the pointer.

use crate::act::{Turn, named, refused};
use crate::call::Call;
use crate::effect::Effect;
use crate::engine::Engine;
use crate::focus::{Seat, check_on_screen};
use crate::locate::Located;
use crate::operation::{Meta, Operation, Outcome};
use crate::ops::shared::{ActionOutput, Mode};
use async_trait::async_trait;
use clap::Args;
use handeye_core::{Error, Point, Result, Role};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

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
    Point(Point),
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
        let from = end("from", input.from_query.as_deref(), input.from_x, input.from_y)?;
        let to = end("to", input.to_query.as_deref(), input.to_x, input.to_y)?;
        for end in [&from, &to] {
            if let End::Point(point) = end {
                check_on_screen(engine, *point).await?;
            }
        }
        let turn = Turn::begin(engine, call, &input.app).await?;
        let from_target = locate(&turn, &from).await?;
        let to_target = locate(&turn, &to).await?;
        if input.mode == Mode::Background {
            return Err(refuse(from_target.as_ref()));
        }
        let first = from_target.as_ref().map(|target| target.node.id);
        let seat = Seat::take(&turn, first).await?;
        let start = place(&seat, &from, from_target.as_ref()).await?;
        let stop = place(&seat, &to, to_target.as_ref()).await?;
        let baseline = turn.baseline(first).await?;
        let dragging = engine.platform.input.drag(start, stop, u64::from(input.duration_ms));
        let observation = baseline.observe_input(call, dragging).await?;
        let effect = Effect::of_any_change(&observation, first);
        let what = from_target.as_ref().map(|target| format!(" {}", named(target))).unwrap_or_default();
        let did = format!("Dragged{what} from ({}, {}) to ({}, {})", start.x, start.y, stop.x, stop.y);
        Ok(turn.answer(
            &did,
            from_target.as_ref(),
            Some(&observation),
            effect,
            Some("ax_screenshot shows the result."),
        ))
    }
}

fn end<'a>(which: &str, query: Option<&'a str>, x: Option<i32>, y: Option<i32>) -> Result<End<'a>> {
    match (query, x, y) {
        (Some(query), None, None) => Ok(End::Query(query)),
        (None, Some(x), Some(y)) => Ok(End::Point(Point::new(x, y))),
        (Some(_), _, _) => Err(Error::invalid_parameter(
            &format!("{which}_query"),
            format!("cannot stand beside {which}_x or {which}_y"),
        )),
        (None, None, None) => Err(Error::invalid_parameter(&format!("{which}_query"), "is missing")
            .with_next(format!("Give {which}_query, or {which}_x and {which}_y."))),
        (None, x, _) => {
            let missing = if x.is_none() { "x" } else { "y" };
            Err(Error::invalid_parameter(&format!("{which}_{missing}"), "is missing: a point needs x and y"))
        }
    }
}

async fn locate(turn: &Turn<'_>, end: &End<'_>) -> Result<Option<Located>> {
    match end {
        End::Query(query) => turn.target(query).await.map(Some),
        End::Point(_) => Ok(None),
    }
}

async fn place(seat: &Seat<'_>, end: &End<'_>, target: Option<&Located>) -> Result<Point> {
    match (end, target) {
        (End::Point(point), _) => Ok(*point),
        (End::Query(_), Some(target)) => seat.point_of(target).await,
        (End::Query(query), None) => Err(Error::internal(format!("'{query}' was not looked up"))),
    }
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
