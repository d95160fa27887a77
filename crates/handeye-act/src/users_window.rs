//! Where the user goes while a seat of an agent is there.

use handeye_core::{Platform, Result, WindowId};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time between two looks at which window is the active one.
const LOOKS: Duration = Duration::from_millis(200);

/// The window that the user is in, and whether its application takes no keys of the user as long as an agent has a keyboard.
pub(super) struct UsersWindow {
    platform: Platform,
    last: Option<WindowId>,
    is_deaf: bool,
}

impl UsersWindow {
    /// The one that the user is in now. That one is not deaf: where it would be, an agent acts in its application only.
    pub(super) async fn now(platform: Platform) -> Self {
        let mut window = Self { platform, last: None, is_deaf: false };
        window.look().await;
        window.is_deaf = false;
        window
    }

    /// Waits for this time, or until the user has gone to a deaf window. Returns whether the user is in one.
    pub(super) async fn goes_deaf_within(&mut self, time: Duration) -> bool {
        if self.is_deaf {
            sleep(time).await;
            self.look().await;
            return self.is_deaf;
        }
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return self.is_deaf;
            }
            sleep(left.min(LOOKS)).await;
            self.look().await;
            if self.is_deaf {
                return true;
            }
        }
    }

    async fn look(&mut self) {
        match self.found_deaf().await {
            Ok(Some(is_deaf)) => self.is_deaf = is_deaf,
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "the window that the user is in is not known"),
        }
    }

    /// Whether the active window is deaf; `None` if it is still the same one.
    async fn found_deaf(&mut self) -> Result<Option<bool>> {
        let active = self.platform.seats.user.state().await?.active_window.window();
        if active == self.last {
            return Ok(None);
        }
        self.last = active;
        let windows = self.platform.screen.windows().await?;
        let pid = windows.into_iter().find(|window| Some(window.id) == active).and_then(|window| window.pid);
        let Some(pid) = pid else { return Ok(Some(false)) };
        let effects = self.platform.accessibility.on_agent_seat(pid).await?;
        Ok(Some(effects.is_some_and(|effects| effects.deafens)))
    }
}
