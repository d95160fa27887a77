//! `handeye://app/{name}/screenshot`

use crate::Resources;
use handeye_call::call::Call;
use handeye_call::outcome::Picture;
use handeye_core::platform::{CaptureTarget, WindowPart};
use handeye_core::{Error, ErrorCode, Invocation, Result, text};
use handeye_shots::Subject;
use handeye_shots::delivery::{Capture, Destination, Inline, Order};
use handeye_shots::on_screen::{capture, check_captures};
use handeye_shots::scale_of;
use serde_json::json;

/// The topmost window of an application, as a PNG of the size that models take. Its id names it for `ax_click_at`.
pub(super) async fn read(resources: &Resources, call: &Call, name: &str) -> Result<Picture> {
    let screen = resources.engine.desk.platform.screen.as_ref();
    check_captures(screen).await?;
    let application = resources.engine.desk.application(name).await?;
    let windows = resources.engine.desk.windows_of(&application).await?;
    let window = windows.iter().find(|window| !window.minimized).ok_or_else(|| {
        let why = if windows.is_empty() { "has no window" } else { "has no window that is not minimized" };
        Error::new(ErrorCode::WindowNotFound, format!("'{}' {why}", application.name))
            .with_next("Open or show a window of it, then read again.")
    })?;
    let frame = capture(screen, CaptureTarget::Window(window.id, WindowPart::Whole)).await?;
    let scale = scale_of(&screen.monitors().await?, frame.place().as_ref());
    let order = Order { destination: Destination::Nowhere, inline: Inline::Png, ..Order::configured() };
    let place = frame.place();
    let capture = Capture { frame, subject: Subject::Window(window.id), scale };
    let delivered = resources.engine.deliver(call, capture, order).await?;
    let picture = delivered.picture.ok_or_else(|| {
        Error::new(ErrorCode::Refused, "this server is configured to put no pictures into answers")
            .with_next(text![Invocation::of("ax_screenshot"), " saves it to a file."])
    })?;
    let mut about = json!({
        "id": delivered.id.to_string(),
        "window": window.title,
        "size": [delivered.size.width, delivered.size.height],
        "scale": scale,
    });
    if let Some(place) = place {
        about["position"] = json!([place.x, place.y]);
    }
    Ok(Picture { about: Some(about), ..picture })
}
