//! Where the user goes while a seat of an agent is there.

use handeye_core::{Platform, Result, WindowId};

/// The window that the user is in, and whether it is deaf: its application takes no keys of the user as long as an agent has a keyboard.
pub(super) struct UsersWindow {
    platform: Platform,
    last: Option<WindowId>,
    is_deaf: bool,
}

impl UsersWindow {
    /// The one that the user is in now, which counts as one that is not deaf: where it would be, an agent acts in its application only.
    pub(super) async fn now(platform: Platform) -> Self {
        let mut window = Self { platform, last: None, is_deaf: false };
        match window.active().await {
            Ok(active) => window.last = active,
            Err(error) => tracing::debug!(%error, "the window that the user is in is not known"),
        }
        window
    }

    /// Whether the window in which the user was found last is deaf.
    pub(super) const fn is_deaf(&self) -> bool {
        self.is_deaf
    }

    /// Looks where the user is; returns whether the user has gone to a deaf window since the last look.
    pub(super) async fn has_gone_deaf(&mut self) -> bool {
        self.look().await.unwrap_or_else(|error| {
            tracing::debug!(%error, "where the user has gone is not known");
            false
        })
    }

    async fn look(&mut self) -> Result<bool> {
        let active = self.active().await?;
        if active == self.last {
            return Ok(false);
        }
        self.is_deaf = self.finds_deaf(active).await?;
        self.last = active;
        Ok(self.is_deaf)
    }

    async fn active(&self) -> Result<Option<WindowId>> {
        Ok(self.platform.seats.user.state().await?.active_window.window())
    }

    async fn finds_deaf(&self, active: Option<WindowId>) -> Result<bool> {
        let windows = self.platform.screen.windows().await?;
        let pid = windows.into_iter().find(|window| Some(window.id) == active).and_then(|window| window.pid);
        let Some(pid) = pid else { return Ok(false) };
        let effects = self.platform.accessibility.on_agent_seat(pid).await?;
        Ok(effects.is_some_and(|effects| effects.deafens))
    }
}
