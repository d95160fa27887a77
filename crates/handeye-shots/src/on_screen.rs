//! What is where on the screen: windows at a point, points on monitors.

use handeye_core::{Error, ErrorCode, Point, Result, Screen, Window};

/// The topmost window at a point, `None` where the bare desktop is.
pub fn topmost_at(windows: &[Window], point: Point) -> Option<&Window> {
    windows
        .iter()
        .filter(|window| !window.minimized && window.frame.contains(point))
        .min_by_key(|window| window.stacking)
}

/// Fails if a point lies on no monitor.
pub async fn check_on_screen(screen: &dyn Screen, point: Point) -> Result<()> {
    let monitors = screen.monitors().await?;
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
