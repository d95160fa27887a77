//! `ax_scroll`: scrolls by moving the scroll bar, or with the wheel in `mode: focus`.

use crate::act::{ShownBy, Turn, named, refused};
use crate::call::Call;
use crate::effect::Effect;
use crate::engine::Engine;
use crate::expectation::Expected;
use crate::focus::{Aimed, Seat, check_reachable};
use crate::locate::{self, Located};
use crate::operation::{Meta, Operation, Outcome};
use crate::ops::shared::{ActionOutput, Mode};
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_core::{
    Abilities, DetailKinds, ErrorCode, Node, NodeAction, NodeId, NumericValue, Rect, Result, Role, Scope,
    States, Tree,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;

/// Scrolls.
pub struct Scroll;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Direction {
    /// Towards the top.
    Up,
    /// Towards the bottom.
    Down,
    /// Towards the left edge.
    Left,
    /// Towards the right edge.
    Right,
}

impl Direction {
    const fn is_vertical(self) -> bool {
        matches!(self, Self::Up | Self::Down)
    }

    const fn is_forward(self) -> bool {
        matches!(self, Self::Down | Self::Right)
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// Where to scroll, which way and how far.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(value_enum)]
    direction: Direction,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    /// Element to scroll, or one inside of it; default: the largest
    #[arg(long = "element", value_name = "QUERY")]
    query: Option<String>,
    /// Pixels
    #[arg(long, default_value_t = default_amount())]
    #[serde(default = "default_amount")]
    amount: u32,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    mode: Mode,
}

const fn default_amount() -> u32 {
    100
}

#[async_trait]
impl Operation for Scroll {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_scroll",
        command: "scroll",
        title: "Scroll within element",
        description: "By the scroll bar; mode focus: by the wheel",
        destructive: false,
        ..Meta::ACT
    };

    fn application(input: &Input) -> Option<&str> {
        Some(&input.app)
    }

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let shown_by = match input.mode {
            Mode::Background => ShownBy::Target,
            Mode::Focus => ShownBy::AnyChange,
        };
        let turn = Turn::begin(engine, call, &input.app, shown_by).await?;
        let target = match &input.query {
            Some(query) => Some(turn.target(query).await?),
            None => None,
        };
        match input.mode {
            Mode::Background => by_scroll_bar(&turn, target.as_ref(), &input).await,
            Mode::Focus => by_wheel(&turn, target.as_ref(), &input).await,
        }
    }
}

async fn by_scroll_bar(
    turn: &Turn<'_>,
    target: Option<&Located>,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let details = DetailKinds::VALUE | DetailKinds::EXTENTS;
    let tree = turn.app.refresh(Scope { details, ..Scope::SHOWING }).await?;
    let Some(bar) = scroll_bar(&tree, target.map(|target| target.node.id), input.direction.is_vertical())
    else {
        let what = target.map_or_else(|| format!("'{}'", turn.app.application().name), named);
        let query = target.map(|target| format!("query: \"{}\", ", target.handle)).unwrap_or_default();
        return Err(refused(
            "scrolling",
            &format!("{what} has no scroll bar that can be moved in the background"),
            format!(
                "ax_scroll with {query}direction: \"{}\", mode: \"focus\" turns the real wheel.",
                input.direction.as_str()
            ),
        ));
    };
    let bar = locate::known(turn.engine, &turn.app, bar, details).await?;
    let Some(value) = bar.node.details.value.known().copied() else {
        return Err(refused(
            "scrolling",
            "the scroll bar does not report its value",
            "The same call with mode: \"focus\" turns the real wheel.",
        ));
    };
    let did = format!("Scrolled {} {}", target.map_or_else(|| named(&bar), named), input.direction.as_str());
    let wanted = destination(&value, bar.node.details.extents.known(), input);
    if (wanted - value.current).abs() < f64::EPSILON {
        let effect = Effect::unconfirmed(if value.maximum > value.minimum {
            format!("it is at this end already ({} of {})", rounded(value.current), rounded(value.maximum))
        } else {
            "there is nothing to scroll, all of it is visible".to_owned()
        });
        return Ok(turn.answer(&did, target, None, effect, None));
    }
    let observation = turn.perform(bar.node.id, &NodeAction::SetValue(wanted), Expected::Proof).await?;
    let now = observation.now(bar.node.id).and_then(|node| node.details.value.known().copied());
    let effect = match now {
        Some(now) if (now.current - value.current).abs() > f64::EPSILON => Effect::confirmed(format!(
            "the scroll bar moved from {} to {} of {}",
            rounded(value.current),
            rounded(now.current),
            rounded(now.maximum)
        )),
        Some(_) => Effect::unconfirmed("the scroll bar did not move"),
        None => Effect::unconfirmed("the scroll bar cannot be read back"),
    };
    let hint = "The same call with mode: \"focus\" turns the real wheel.";
    Ok(turn.answer(&did, target, Some(&observation), effect, Some(hint)))
}

/// How far above an element its scroll bar is looked for.
const LEVELS: usize = 6;

/// The scroll bar that moves `target`, or the largest one on view.
fn scroll_bar(tree: &Tree, target: Option<NodeId>, vertical: bool) -> Option<NodeId> {
    let fits = |node: &Node| {
        node.role == Role::ScrollBar
            && node.abilities.contains(Abilities::VALUE)
            && is_vertical(node) == vertical
            && node.details.value.known().is_none_or(|value| value.maximum > value.minimum)
    };
    let Some(target) = target else {
        return tree
            .nodes()
            .filter(|node| node.is_showing() && fits(node))
            .max_by_key(|node| {
                let active =
                    tree.window_of(node.id).is_some_and(|window| window.states.contains(States::ACTIVE));
                (active, node.details.extents.known().map_or(0, |area| area.width.max(area.height)), node.id)
            })
            .map(|node| node.id);
    };
    // The bar is a child of the element that scrolls, or of a pane around it.
    std::iter::once(target)
        .chain(
            tree.ancestors(target).take(LEVELS).take_while(|node| !node.role.is_window()).map(|node| node.id),
        )
        .find_map(|id| {
            let own = tree.get(id).filter(|node| fits(node));
            let child = || {
                tree.children(id)
                    .flat_map(|child| {
                        std::iter::once(child)
                            .chain(tree.children(child.id).filter(|_| child.role.is_structural()))
                    })
                    .find(|node| fits(node))
            };
            own.or_else(child).map(|node| node.id)
        })
}

/// Whether a bar runs from top to bottom; its shape tells where its states do not.
fn is_vertical(node: &Node) -> bool {
    let tall = |area: &Rect| area.height > area.width;
    node.states.contains(States::VERTICAL) || node.details.extents.known().is_some_and(tall)
}

/// The value to set: a pixel is a unit where the bar counts pixels; a bar that counts lines or per cent has a small
/// range, of which a pixel of its track is the same part as of the content. At least one step is taken.
fn destination(value: &NumericValue, area: Option<&Rect>, input: &Input) -> f64 {
    let range = value.maximum - value.minimum;
    let track = area.map_or(1.0, |area| f64::from(area.width.max(area.height).max(1)));
    let amount = f64::from(input.amount);
    let units =
        if range >= track { amount } else { (amount * range / track).max(value.step).max(range / 100.0) };
    let signed = if input.direction.is_forward() { units } else { -units };
    (value.current + signed).clamp(value.minimum, value.maximum)
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// How many pixels one notch of the wheel scrolls, about.
const NOTCH: u32 = 50;
/// Most notches in one call.
const MAX_NOTCHES: u32 = 200;

async fn by_wheel(turn: &Turn<'_>, target: Option<&Located>, input: &Input) -> Result<Outcome<ActionOutput>> {
    if let Some(target) = target {
        check_reachable(turn, target).await?;
    }
    let seat = Seat::take(turn, target.map(|target| target.node.id)).await?;
    let Aimed { point, window } = match target {
        Some(target) => seat.wheel_point_of(target).await?,
        None => Aimed { point: seat.window.content.center(), window: seat.window.id },
    };
    let baseline = turn.baseline(target.map(|target| target.node.id), Expected::Wheel).await?;
    let content =
        target.map(|target| sample(&turn.app.mirror().snapshot(), target.node.id)).unwrap_or_default();
    let before = places(turn, &content).await?;
    let notches = i32::try_from(input.amount.div_ceil(NOTCH).clamp(1, MAX_NOTCHES)).unwrap_or(1);
    let signed = if input.direction.is_forward() { notches } else { -notches };
    let (dx, dy) = if input.direction.is_vertical() { (0, signed) } else { (signed, 0) };
    let turning =
        async { seat.kept(turn.engine.platform.input.wheel(point, dx, dy, Some(window)).await).await };
    let observation = baseline.observe_input(turn.call, turning).await?;
    let mut effect = Effect::of(&observation);
    if !effect.is_confirmed() && !observation.ended && !observation.unresponsive {
        // A list may tell of nothing but where its items are (GTK 4).
        let after = places(turn, &content).await?;
        if let Some(pixels) = moved(&before, &after, input.direction) {
            effect = Effect::confirmed(format!("what is in it moved by {pixels} pixels"));
        }
    }
    let did = format!(
        "Turned the wheel {} by {notches} notches at ({}, {})",
        input.direction.as_str(),
        point.x,
        point.y
    );
    Ok(turn.answer(&did, target, Some(&observation), effect, Some("ax_screenshot shows its position.")))
}

/// How many elements tell whether the content moved.
const SAMPLE: usize = 5;

/// Elements inside of `target` whose places show how far it is scrolled.
fn sample(tree: &Tree, target: NodeId) -> Vec<NodeId> {
    let inside = tree.descendants(target).skip(1);
    let told = inside.filter(|node| {
        node.is_showing() && node.abilities.contains(Abilities::COMPONENT) && node.role != Role::ScrollBar
    });
    told.map(|node| node.id).take(SAMPLE).collect()
}

/// Where these are now; without those that are gone or have no place.
async fn places(turn: &Turn<'_>, ids: &[NodeId]) -> Result<HashMap<NodeId, Rect>> {
    let present: Vec<NodeId> = {
        let tree = turn.app.mirror().snapshot();
        ids.iter().copied().filter(|id| tree.contains(*id)).collect()
    };
    if present.is_empty() {
        return Ok(HashMap::new());
    }
    let tree = match turn.app.reread(&present, DetailKinds::EXTENTS).await {
        Err(error) if error.code == ErrorCode::StaleReference => return Ok(HashMap::new()),
        other => other?,
    };
    let place = |id: &NodeId| Some((*id, *tree.get(*id)?.details.extents.known()?));
    Ok(present.iter().filter_map(place).filter(|(_, area)| !area.is_empty()).collect())
}

/// By how many pixels the content has moved, if all of it moved by the same and the way that was asked for.
fn moved(before: &HashMap<NodeId, Rect>, after: &HashMap<NodeId, Rect>, direction: Direction) -> Option<u32> {
    let shift = |id: &NodeId, now: &Rect| {
        let then = before.get(id)?;
        let along = if direction.is_vertical() { now.y - then.y } else { now.x - then.x };
        let across = if direction.is_vertical() { now.x - then.x } else { now.y - then.y };
        Some((along, across))
    };
    let mut shifts = after.iter().filter_map(|(id, now)| shift(id, now));
    let first = shifts.next()?;
    // To scroll forward moves the content back.
    let is_meant = first.1 == 0 && if direction.is_forward() { first.0 < 0 } else { first.0 > 0 };
    (is_meant && shifts.all(|shift| shift == first)).then(|| first.0.unsigned_abs())
}
