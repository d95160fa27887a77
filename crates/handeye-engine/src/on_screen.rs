//! What is where on the screen: windows at a point, points on monitors, the window of an element.

use crate::engine::Engine;
use handeye_core::{ConnectedApp, Error, ErrorCode, NodeId, Point, Result, Window};

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
    Err(Error::new(ErrorCode::InvalidParameter, format!("({}, {}) is on no monitor", point.x, point.y))
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
