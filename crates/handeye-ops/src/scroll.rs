//! `ax_scroll`: scrolls by moving the scroll bar, or with the wheel in `mode: focus`.

use crate::answer::{acted, undone};
use crate::shared::{ActionOutput, Mode};
use crate::target::target;
use async_trait::async_trait;
use clap::{Args, ValueEnum};
use handeye_act::effect::Effect;
use handeye_act::locate::{self, Located};
use handeye_act::{Actor, Goal, Request, SeatOf, ShownBy, Wheel, named, refused, rounded};
use handeye_call::call::Call;
use handeye_call::outcome::Outcome;
use handeye_core::{
    Abilities, Argument, DetailKinds, Extents, Invocation, Means, Node, NodeAction, NodeId, NumericValue,
    Result, Role, Scope, Size, States, Support, Text, Tree, text,
};
use handeye_engine::{Engine, Meta, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scrolls.
pub struct Scroll;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
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
#[derive(Serialize, Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(value_enum)]
    direction: Direction,
    #[arg(long, default_value = "frontmost", help = "Application: name, alias or pid")]
    app: String,
    /// Element to scroll, or one inside it; default: the largest
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
        description: "By scroll bar or wheel",
        elements: &["query"],
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
        let actor = Actor::begin(&engine.desk, call, &input.app, shown_by).await?;
        let target = match &input.query {
            Some(query) => Some(target(engine, &actor, query).await?),
            None => None,
        };
        match input.mode {
            Mode::Background => by_scroll_bar(&actor, target.as_ref(), &input).await,
            Mode::Focus => by_wheel(&actor, target.as_ref(), &input, SeatOf::User).await,
        }
    }
}

async fn by_scroll_bar(
    actor: &Actor<'_>,
    target: Option<&Located>,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let details = DetailKinds::VALUE | DetailKinds::EXTENTS;
    let tree = actor.app.refresh(Scope { details, ..Scope::SHOWING }).await?;
    let Some(bar) = scroll_bar(&tree, target.map(|target| target.node.id), input.direction.is_vertical())
    else {
        let missing = match actor.agent_seat(&[Means::Wheel]).await {
            Support::Yes => return by_wheel(actor, target, input, SeatOf::Agent).await,
            Support::No(missing) => missing.reason,
        };
        let what = target.map_or_else(|| format!("'{}'", actor.app.application().name), named);
        return Err(refused(
            "scrolling",
            &format!("{what} has no scroll bar that can be moved in the background; {missing}"),
            text![
                Invocation::of("ax_scroll")
                    .with_some("query", target.map(|target| &*target.handle))
                    .with("direction", input.direction.as_str())
                    .with("mode", "focus"),
                " turns the real wheel."
            ],
        ));
    };
    let shows_alone = actor.app.only_shows(bar, &NodeAction::SetValue(0.0));
    if shows_alone && actor.agent_seat(&[Means::Wheel]).await.is_there() {
        return by_wheel(actor, target, input, SeatOf::Agent).await;
    }
    let bar = locate::known(actor.handles(), &actor.app, bar, details).await?;
    let Some(value) = bar.node.details.value.known().copied() else {
        return Err(refused("scrolling", "the scroll bar does not report its value", with_wheel()));
    };
    let did = format!("Scrolled {} {}", target.map_or_else(|| named(&bar), named), input.direction.as_str());
    let wanted = destination(&value, bar.node.details.extents.known().map(Extents::size), input);
    if (wanted - value.current).abs() < f64::EPSILON {
        let effect = Effect::unconfirmed(if value.maximum > value.minimum {
            format!("it is at this end already ({} of {})", rounded(value.current), rounded(value.maximum))
        } else {
            "there is nothing to scroll, all of it is visible".to_owned()
        });
        return Ok(undone(&did, target, effect));
    }
    let request = Request {
        node: &bar.node,
        ..Request::to(target.unwrap_or(&bar), NodeAction::SetValue(wanted), Goal::Moved(value))
    };
    let report = actor.act(&request).await?;
    Ok(acted(actor, &did, target, &report, Some(with_wheel())))
}

fn with_wheel() -> Text {
    text!["The same call with ", Argument::new("mode", "focus"), " turns the real wheel."]
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
                (
                    active,
                    node.details
                        .extents
                        .known()
                        .map(Extents::size)
                        .map_or(0, |size| size.width.max(size.height)),
                    node.id,
                )
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

/// Whether a bar runs from top to bottom; its shape decides where its states do not.
fn is_vertical(node: &Node) -> bool {
    let tall = |size: Size| size.height > size.width;
    node.states.contains(States::VERTICAL)
        || node.details.extents.known().map(Extents::size).is_some_and(tall)
}

/// The value to set: a pixel is a unit where the bar counts pixels; a bar that counts lines or per cent has a small
/// range, of which a pixel of its track is the same part as of the content. At least one step is taken.
fn destination(value: &NumericValue, size: Option<Size>, input: &Input) -> f64 {
    let range = value.maximum - value.minimum;
    let track = size.map_or(1.0, |size| f64::from(size.width.max(size.height).max(1)));
    let amount = f64::from(input.amount);
    let units =
        if range >= track { amount } else { (amount * range / track).max(value.step).max(range / 100.0) };
    let signed = if input.direction.is_forward() { units } else { -units };
    (value.current + signed).clamp(value.minimum, value.maximum)
}

/// How many pixels one notch of the wheel scrolls, about.
const NOTCH: u32 = 50;
/// Most notches in one call.
const MAX_NOTCHES: u32 = 200;

async fn by_wheel(
    actor: &Actor<'_>,
    target: Option<&Located>,
    input: &Input,
    seat: SeatOf,
) -> Result<Outcome<ActionOutput>> {
    let notches = i32::try_from(input.amount.div_ceil(NOTCH).clamp(1, MAX_NOTCHES)).unwrap_or(1);
    let signed = if input.direction.is_forward() { notches } else { -notches };
    let (dx, dy) = if input.direction.is_vertical() { (0, signed) } else { (signed, 0) };
    let report = actor.act(&Wheel { target, dx, dy, seat }).await?;
    let point = report.aim.point;
    let did = format!(
        "Turned the wheel {} by {notches} notches at ({}, {})",
        input.direction.as_str(),
        point.x,
        point.y
    );
    Ok(acted(
        actor,
        &did,
        target,
        &report,
        Some(text![Invocation::of("ax_screenshot"), " shows its position."]),
    ))
}
