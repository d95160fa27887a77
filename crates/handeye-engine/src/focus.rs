//! `mode: focus`: the seat's own pointer and keyboard, taken by one action at a time.

use crate::act::{Turn, named};
use crate::effect::{describe, quote};
use crate::engine::Engine;
use crate::locate::Located;
use crate::targets::belongs;
use handeye_core::{
    ConnectedApp, DetailKinds, Error, ErrorCode, NodeAction, NodeId, Point, Rect, Result, Role, Tree, Window,
};
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

/// The seat, while an action holds it.
pub struct Seat<'a> {
    turn: &'a Turn<'a>,
    /// The window that was activated.
    pub window: Window,
    _held: OwnedMutexGuard<()>,
}

impl<'a> Seat<'a> {
    /// Takes pointer and keyboard and activates the window that shows `node`, or the application's topmost one.
    pub async fn take(turn: &'a Turn<'a>, node: Option<NodeId>) -> Result<Self> {
        let held = turn.engine.memory.lock_seat().await;
        let window = window_for(turn.engine, turn.app.as_ref(), node).await?;
        turn.engine.platform.screen.activate(window.id).await?;
        // Its place may have changed with the activation.
        let window = window_for(turn.engine, turn.app.as_ref(), node).await?;
        Ok(Self { turn, window, _held: held })
    }

    /// Takes pointer and keyboard and activates this window.
    pub async fn on(turn: &'a Turn<'a>, window: Window) -> Result<Self> {
        let held = turn.engine.memory.lock_seat().await;
        turn.engine.platform.screen.activate(window.id).await?;
        Ok(Self { turn, window, _held: held })
    }

    /// Brings an element into view and returns the point in its middle, once it is sure that a click there reaches it.
    pub async fn point_of(&self, target: &Located) -> Result<Point> {
        let app = self.turn.app.as_ref();
        let id = target.node.id;
        let mut extents = self.visible_extents(id).await?;
        if extents.is_none() {
            // Scrolling is a means here: whether it worked shows in the place that is read next.
            if let Err(error) = app.perform(id, &NodeAction::ScrollIntoView).await {
                tracing::debug!(code = error.code.as_str(), "could not scroll into view");
            }
            extents = self.visible_extents(id).await?;
        }
        let Some(extents) = extents else {
            return Err(Error::new(
                ErrorCode::Refused,
                format!(
                    "{} is outside of the visible part of window \"{}\"",
                    named(target),
                    quote(&self.window.title)
                ),
            )
            .with_next("Scroll it into view with ax_scroll, then call again."));
        };
        let point = extents.center();
        self.check_uncovered(point, target).await?;
        let tree = app.mirror().snapshot();
        if let Some(hit) = app.element_at(point, None).await?
            && !is_related(&tree, hit, id)
        {
            let other = tree.get(hit).map_or_else(|| "another element".to_owned(), |node| describe(node));
            return Err(Error::new(
                ErrorCode::Refused,
                format!("{} is covered by {other} at ({}, {})", named(target), point.x, point.y),
            )
            .with_next("Close or move what covers it, then call again."));
        }
        Ok(point)
    }

    /// The part of the element that lies inside of the window, `None` if no pixel of it does.
    async fn visible_extents(&self, id: NodeId) -> Result<Option<Rect>> {
        let tree = self.turn.app.reread(&[id], DetailKinds::EXTENTS).await?;
        let extents = tree.get(id).and_then(|node| node.details.extents.known().copied());
        // An open menu is a window of its own and may reach beyond the one that it belongs to.
        if tree.ancestors(id).any(|node| node.role == Role::Menu) {
            return Ok(extents.filter(|extents| !extents.is_empty()));
        }
        Ok(extents.and_then(|extents| extents.intersection(&self.window.frame)))
    }

    /// Makes sure that no window of another application lies over the point.
    async fn check_uncovered(&self, point: Point, target: &Located) -> Result<()> {
        let windows = self.turn.engine.platform.screen.windows().await?;
        let Some(top) = topmost_at(&windows, point) else { return Ok(()) };
        if top.id == self.window.id || belongs(top, self.turn.app.application()) {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Refused,
            format!("{} is covered by window \"{}\"", named(target), quote(&top.title)),
        )
        .with_next("Move or close that window, then call again."))
    }
}

/// The topmost window at a point, `None` where the bare desktop is.
pub fn topmost_at(windows: &[Window], point: Point) -> Option<&Window> {
    windows
        .iter()
        .filter(|window| !window.minimized && window.frame.contains(point))
        .min_by_key(|window| window.stacking)
}

/// Fails if a point lies on no monitor.
pub async fn check_on_screen(engine: &Engine, point: Point) -> Result<()> {
    let monitors = engine.platform.screen.monitors().await?;
    if monitors.iter().any(|monitor| monitor.area.contains(point)) {
        return Ok(());
    }
    let areas = monitors.iter().map(|monitor| {
        let area = monitor.area;
        format!("{}: x {}..{}, y {}..{}", monitor.name, area.x, area.right(), area.y, area.bottom())
    });
    Err(Error::new(ErrorCode::InvalidParameter, format!("({}, {}) lies on no monitor", point.x, point.y))
        .with_found(areas)
        .with_next("Use coordinates inside of a monitor; they are physical pixels of the whole desktop."))
}

/// The window that shows `node`, or the topmost window of the application.
pub async fn window_for(engine: &Engine, app: &dyn ConnectedApp, node: Option<NodeId>) -> Result<Window> {
    if let Some(node) = node
        && let Some(window) = app.window_of(node).await?
    {
        return Ok(window);
    }
    let application = app.application();
    let windows = engine.windows_of(application).await?;
    windows.into_iter().min_by_key(|window| (window.minimized, !window.active, window.stacking)).ok_or_else(
        || {
            Error::new(
                ErrorCode::WindowNotFound,
                format!("'{}' has no window on this desktop", application.name),
            )
            .with_next("ax_list_windows lists its windows; background actions need none.")
        },
    )
}

/// Whether one of the two elements holds the other: toolkits answer a hit test more or less deeply.
fn is_related(tree: &Arc<Tree>, hit: NodeId, target: NodeId) -> bool {
    hit == target
        || tree.ancestors(hit).any(|node| node.id == target)
        || tree.ancestors(target).any(|node| node.id == hit)
}
