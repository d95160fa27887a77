//! `ax_click_at`: clicks a point of the screen, or of a picture of it.

use crate::act::{ShownBy, Turn, refused};
use crate::call::Call;
use crate::confirm;
use crate::effect::{Effect, quote};
use crate::engine::Engine;
use crate::expectation::Expected;
use crate::focus::{check_on_screen, topmost_at};
use crate::locate;
use crate::operation::{Meta, Operation, Outcome};
use crate::ops::click::{before_click, buttons, in_background};
use crate::ops::press::can_invoke;
use crate::ops::shared::{ActionOutput, ClickType, Mode};
use crate::shots::Spot;
use async_trait::async_trait;
use clap::Args;
use handeye_core::{
    ConnectedApp, DetailKinds, Error, Node, NodeId, Point, Result, Role, Scope, States, Tree, Window,
    WindowId,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Clicks a point of the screen, or of a picture of it.
pub struct ClickAt;

/// Where to click and how.
#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub struct Input {
    #[arg(allow_negative_numbers = true, help = "Pixels from the left edge of the desktop")]
    x: i32,
    #[arg(allow_negative_numbers = true, help = "Pixels from the top edge of the desktop")]
    y: i32,
    /// Picture id (s7); x and y are its pixels
    #[arg(long, value_name = "ID")]
    screenshot: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    click_type: ClickType,
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    mode: Mode,
}

/// What is clicked.
struct Target {
    point: Point,
    /// The window there; `None` for the bare desktop.
    window: Option<Window>,
    /// The point of the picture, where one was named.
    spot: Option<Spot>,
}

#[async_trait]
impl Operation for ClickAt {
    type Input = Input;
    type Output = ActionOutput;
    const META: Meta = Meta {
        tool: "ax_click_at",
        command: "click-at",
        title: "Click at screen coordinates",
        description: "In the background it acts on the element there",
        ..Meta::ACT
    };

    async fn run(engine: &Engine, call: &Call, input: Input) -> Result<Outcome<ActionOutput>> {
        let target = Target::find(engine, &input).await?;
        let app = match target.window.as_ref().and_then(|window| window.pid) {
            Some(pid) => Some(engine.connect(&pid.to_string()).await),
            None => None,
        };
        match input.mode {
            Mode::Background => {
                let window = target
                    .window
                    .as_ref()
                    .ok_or_else(|| no_element(&target, "only the bare desktop is there", &input))?;
                let app = app.ok_or_else(|| no_element(&target, "its window names no process", &input))??;
                element_at(engine, call, &app, window, &target, &input).await
            }
            // Pixels can be clicked without a tree; then only the windows tell what came of it.
            Mode::Focus => match app {
                Some(Ok(app)) => with_pointer(engine, call, app, target, &input).await,
                _ => blind(engine, call, target, &input).await,
            },
        }
    }
}

impl Target {
    async fn find(engine: &Engine, input: &Input) -> Result<Self> {
        let point = Point::new(input.x, input.y);
        if let Some(screenshot) = &input.screenshot {
            let spot = Spot::find(engine, screenshot, point).await?;
            return Ok(Self { point: spot.point, window: spot.window.clone(), spot: Some(spot) });
        }
        check_on_screen(engine, point).await?;
        let shown = engine.platform.screen.shown().await?;
        Ok(Self { point, window: topmost_at(&shown, point).cloned(), spot: None })
    }

    /// Makes sure that the pointer reaches it. The seat has to be held.
    async fn bring_up(self, engine: &Engine) -> Result<Self> {
        let Some(spot) = self.spot else { return Ok(self) };
        let spot = spot.bring_up(engine).await?;
        Ok(Self { point: spot.point, window: spot.window.clone(), spot: Some(spot) })
    }

    fn window_id(&self) -> Option<WindowId> {
        self.window.as_ref().map(|window| window.id)
    }

    fn place(&self) -> String {
        self.spot.as_ref().map_or_else(|| format!("({}, {})", self.point.x, self.point.y), Spot::place)
    }
}

fn no_element(target: &Target, why: &str, input: &Input) -> Error {
    let picture =
        input.screenshot.as_ref().map_or_else(String::new, |id| format!(", screenshot: \"{}\"", quote(id)));
    refused(
        "the click",
        &format!("at {} {why}", target.place()),
        format!(
            "ax_click_at with x: {}, y: {}{picture}, mode: \"focus\" uses the real pointer.",
            input.x, input.y
        ),
    )
}

async fn element_at(
    engine: &Engine,
    call: &Call,
    app: &Arc<dyn ConnectedApp>,
    window: &Window,
    target: &Target,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let turn = Turn::on(engine, call, Arc::clone(app), ShownBy::AnyChange).await;
    app.refresh(Scope::SHOWING).await?;
    let missing = || {
        no_element(
            target,
            &format!("window \"{}\" reports no element to act on", quote(&window.title)),
            input,
        )
    };
    let hit = element_under(app.as_ref(), window, target.point).await?.ok_or_else(missing)?;
    let tree = app.reread(&[hit], DetailKinds::ACTIONS).await?;
    let path: Vec<Arc<Node>> = tree.get(hit).into_iter().chain(tree.ancestors(hit)).cloned().collect();
    let node = path
        .iter()
        .take_while(|node| !node.role.is_window())
        .find(|node| {
            node.role.is_interactive() && (can_invoke(node) || node.states.contains(States::SELECTABLE))
        })
        .ok_or_else(missing)?;
    let element = locate::known(engine, app, node.id, DetailKinds::ACTIONS).await?;
    before_click(&turn, element.node.id, input.click_type).await?;
    let mut outcome = in_background(&turn, &element, input.click_type).await?;
    if target.spot.is_some() {
        outcome.notes.push(format!("At {}.", target.place()));
    }
    Ok(outcome)
}

/// The element at a point of a window.
async fn element_under(app: &dyn ConnectedApp, window: &Window, point: Point) -> Result<Option<NodeId>> {
    match app.element_at(point, Some(window.id)).await? {
        Some(hit) => Ok(Some(hit)),
        None => in_popup(app, window, point).await,
    }
}

/// The element of a menu or another popup at a point. Toolkits find it by its place only: it is below the element that opened the
/// popup, not below a window of its own.
async fn in_popup(app: &dyn ConnectedApp, popup: &Window, point: Point) -> Result<Option<NodeId>> {
    let tree = app.refresh(Scope { details: DetailKinds::EXTENTS, ..Scope::SHOWING }).await?;
    let at_point = tree.nodes().filter_map(|node| {
        let extents = *node.details.extents.known()?;
        let fits = extents.contains(point) && extents.intersection(&popup.frame) == Some(extents);
        (node.is_showing() && fits && is_in_popup(&tree, node, popup)).then_some((extents, node.id))
    });
    // The smallest is the innermost; between equals the later one, which is the child.
    let area =
        |(extents, _): &(handeye_core::Rect, NodeId)| u64::from(extents.width) * u64::from(extents.height);
    Ok(at_point.min_by_key(|hit| (area(hit), std::cmp::Reverse(hit.1))).map(|(_, id)| id))
}

fn is_in_popup(tree: &Tree, node: &Node, popup: &Window) -> bool {
    tree.ancestors(node.id).any(|above| above.role == Role::Menu)
        || tree
            .window_of(node.id)
            .and_then(|window| window.details.extents.known())
            .is_some_and(|extents| *extents == popup.content)
}

/// Asks before a click on a point that may destroy something. What is there is looked up as a click in the background does.
async fn before_pixels(turn: &Turn<'_>, target: &Target, click: ClickType) -> Result<()> {
    turn.app.refresh(Scope::SHOWING).await?;
    let hit = match &target.window {
        Some(window) => element_under(turn.app.as_ref(), window, target.point).await?,
        None => None,
    };
    let Some(hit) = hit else {
        let deed = format!("click at {}", target.place());
        return confirm::before_unseen(turn.engine, turn.call, Some(&turn.app), deed, &target.place()).await;
    };
    turn.app.reread(&[hit], DetailKinds::empty()).await?;
    before_click(turn, hit, click).await
}

async fn with_pointer(
    engine: &Engine,
    call: &Call,
    app: Arc<dyn ConnectedApp>,
    target: Target,
    input: &Input,
) -> Result<Outcome<ActionOutput>> {
    let turn = Turn::on(engine, call, app, ShownBy::AnyChange).await;
    before_pixels(&turn, &target, input.click_type).await?;
    let _seat = engine.memory.lock_seat().await;
    let target = target.bring_up(engine).await?;
    let baseline = turn.baseline(None, Expected::Press).await?;
    let (button, count) = buttons(input.click_type);
    let clicking = engine.platform.input.click(target.point, button, count, target.window_id());
    let observation = baseline.observe_input(call, clicking).await?;
    let effect = Effect::of(&observation);
    let did = format!("{} at {}", input.click_type.done(), target.place());
    Ok(turn.answer(&did, None, Some(&observation), effect, None))
}

async fn blind(engine: &Engine, call: &Call, target: Target, input: &Input) -> Result<Outcome<ActionOutput>> {
    let deed = format!("click at {}", target.place());
    confirm::before_unseen(engine, call, None, deed, &target.place()).await?;
    let _seat = engine.memory.lock_seat().await;
    let target = target.bring_up(engine).await?;
    let (button, count) = buttons(input.click_type);
    engine.platform.input.click(target.point, button, count, target.window_id()).await?;
    let place = target
        .window
        .as_ref()
        .map_or_else(|| "the desktop".to_owned(), |window| format!("window \"{}\"", quote(&window.title)));
    let effect =
        Effect::unconfirmed(format!("{place} shows no accessibility tree, so nothing can be observed"));
    let text = format!(
        "{} at {}. Unconfirmed: {}. ax_screenshot shows what it looks like now.",
        input.click_type.done(),
        target.place(),
        effect.evidence
    );
    Ok(Outcome::new(text, ActionOutput { effect, element_ref: None, healed: None }))
}
