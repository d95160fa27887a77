//! The X11 display server: monitors, windows and pixels; keyboard and pointer.

mod activate;
mod capture;
mod fault;
mod grab;
mod monitors;
mod ping;
mod pixels;
mod session;
mod shared_memory;
mod stream;
mod window_capture;
mod windows;
mod worker;

use async_trait::async_trait;
use handeye_core::platform::{CaptureTarget, Screen};
use handeye_core::window::SeatState;
use handeye_core::{Frame, Monitor, Result, Window, WindowId};
use std::time::Duration;
use worker::Worker;

/// How long a question to the X server may take, the connection included.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long a capture may take: a covered window may have to be painted by its application first.
const CAPTURE_DEADLINE: Duration = Duration::from_secs(4);

/// A desktop on an X server. Connects at the first call, and again after the server went away.
///
/// Looking and acting use a connection each, so that a long text being typed holds up no screenshot.
pub struct X11Desktop {
    eyes: Worker,
    hands: Worker,
}

impl X11Desktop {
    /// The desktop on `display` (such as `:0`), or on the one that `$DISPLAY` names at the time of the first call.
    /// Does not connect yet, so it cannot fail.
    pub fn new(display: Option<String>) -> Self {
        Self { eyes: Worker::new(display.clone(), "x11-eyes"), hands: Worker::new(display, "x11-hands") }
    }

    /// The mapped windows that bypass the window manager (menus, tooltips, drag icons), from the topmost down.
    /// They are not among [`windows`](Screen::windows), and each can be captured by its id.
    pub async fn popups(&self) -> Result<Vec<Window>> {
        self.eyes.call(DEADLINE, |session, _| windows::popups(session)).await
    }
}

#[async_trait]
impl Screen for X11Desktop {
    async fn monitors(&self) -> Result<Vec<Monitor>> {
        self.eyes.call(DEADLINE, |session, _| monitors::list(session)).await
    }

    async fn windows(&self) -> Result<Vec<Window>> {
        self.eyes.call(DEADLINE, |session, _| windows::list(session)).await
    }

    async fn seat(&self) -> Result<SeatState> {
        self.eyes.call(DEADLINE, |session, _| windows::seat(session)).await
    }

    async fn capture(&self, target: CaptureTarget) -> Result<Frame> {
        self.eyes.call(CAPTURE_DEADLINE, move |session, _| capture::capture(session, target)).await
    }

    async fn activate(&self, window: WindowId) -> Result<()> {
        self.eyes.call(DEADLINE, move |session, _| activate::activate(session, window)).await
    }
}
