//! The user of a desktop in memory, who does what a test says.

use super::desktop::{FakeDesktop, GRANT, lock};
use async_trait::async_trait;
use handeye_core::{Button, Consent, Permit, Point, Result, Support, UserAction, UserEvents, UserInput};

impl FakeDesktop {
    /// The user does something, and every watcher sees it.
    pub fn user_does(&self, action: &UserAction) {
        lock(&self.watchers).iter().for_each(|watcher| watcher.send(action.clone()));
    }

    /// The user clicks.
    pub fn user_clicks(&self, at: Point) {
        self.user_does(&UserAction::Press(Button::Left, at));
        self.user_does(&UserAction::Release(Button::Left, at));
    }

    /// Whether somebody watches the user.
    pub fn is_user_watched(&self) -> bool {
        lock(&self.watchers).iter().any(|watcher| !watcher.is_closed())
    }
}

#[async_trait]
impl UserInput for FakeDesktop {
    fn watching(&self) -> Support {
        Support::Yes
    }

    fn consents(&self) -> Vec<Consent> {
        vec![GRANT]
    }

    async fn watch(&self, _: &Permit) -> Result<UserEvents> {
        let (sender, events) = UserEvents::channel();
        lock(&self.watchers).push(sender);
        Ok(events)
    }
}
