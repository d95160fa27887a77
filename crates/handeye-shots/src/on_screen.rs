//! What is where on the screen, and what of it a port lets be known: windows at a point, points on monitors, pictures.

use handeye_core::platform::CaptureTarget;
use handeye_core::{Error, ErrorCode, Frame, Invocation, Point, Result, Screen, Window, text};

/// Captures pixels, where the screen can.
///
/// # Errors
/// As [`check_captures`] and [`Screen::capture`].
pub async fn capture(screen: &dyn Screen, target: CaptureTarget) -> Result<Frame> {
    check_captures(screen).await?;
    screen.capture(target).await
}

/// Fails where the screen gives no pixels. Whatever does something else before it captures asks first.
///
/// # Errors
/// [`ErrorCode::Refused`] with the reason.
pub async fn check_captures(screen: &dyn Screen) -> Result<()> {
    screen.capabilities().await?.captures.require("no picture can be taken")
}

/// The topmost one of the `windows` of this screen at a point, `None` where the bare desktop is.
///
/// # Errors
/// [`ErrorCode::Refused`] where the screen does not know where windows are, or which lies over which: then nobody knows what a click there
/// reaches.
pub async fn topmost_at<'a>(
    screen: &dyn Screen,
    windows: &'a [Window],
    point: Point,
) -> Result<Option<&'a Window>> {
    let unknown = format!("what lies at ({}, {}) is not known", point.x, point.y);
    check_places(screen, &unknown).await?;
    screen.capabilities().await?.stacking.require(&unknown).map_err(advised)?;
    let there =
        |window: &&Window| !window.minimized && window.frame().is_some_and(|frame| frame.contains(point));
    Ok(windows.iter().filter(there).min_by_key(|window| window.stacking))
}

/// Fails where the screen does not know where windows are. `what` is what cannot be done or known then.
///
/// # Errors
/// [`ErrorCode::Refused`] with the reason.
pub async fn check_places(screen: &dyn Screen, what: &str) -> Result<()> {
    screen.capabilities().await?.places.require(what).map_err(advised)
}

/// The refusal of what needs the place of a window that has none, by the screen's reason.
pub async fn unplaced(screen: &dyn Screen, what: &str) -> Error {
    let Err(error) = check_places(screen, what).await else {
        return advised(Error::new(
            ErrorCode::Refused,
            format!("{what}: the place of its window is not known"),
        ));
    };
    error
}

/// With what works without a place, unless there is another advice.
fn advised(error: Error) -> Error {
    if error.next.is_some() {
        return error;
    }
    error.with_next(text![
        "What acts on an element in the background needs no place: ",
        Invocation::of("ax_click"),
        " takes a query."
    ])
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
