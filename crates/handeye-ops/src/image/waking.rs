//! Windows that were minimized until the foreground was asked for: it takes a moment until they are mapped and drawn.

use handeye_core::platform::CaptureTarget;
use handeye_core::{ErrorCode, Frame, Result, WindowId};
use handeye_engine::Engine;
use handeye_shots::on_screen::capture;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a window has to be mapped, and then to be drawn.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long to wait before looking again. No event announces that an application has drawn all that it is going to draw.
const PAUSE: Duration = Duration::from_millis(60);

/// Waits until a window is no longer minimized.
pub(super) async fn mapped(engine: &Engine, window: WindowId) -> Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        let windows = engine.desk.platform.screen.windows().await?;
        let minimized = windows.iter().any(|other| other.id == window && other.minimized);
        if !minimized || Instant::now() >= until {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}

/// Captures a window once two pictures in a row are the same.
pub(super) async fn drawn(engine: &Engine, target: CaptureTarget) -> Result<Frame> {
    let until = Instant::now() + PATIENCE;
    let mut before = None;
    loop {
        let captured = capture(engine.desk.platform.screen.as_ref(), target).await;
        let late = Instant::now() >= until;
        match captured {
            Ok(frame) if late || before.as_ref() == Some(&frame) => return Ok(frame),
            Ok(frame) => before = Some(frame),
            Err(error) if late || error.code != ErrorCode::WindowMinimized => return Err(error),
            Err(_not_yet) => {}
        }
        sleep(PAUSE).await;
    }
}
