//! What applications notify the user of, as events of the application that sent it.

use crate::Resources;
use handeye_core::{Application, ConnectedApp, Notification, Result};
use std::sync::Arc;

impl Resources {
    /// Begins to look at the notifications of the desktop; the error says why that cannot be done.
    pub(super) async fn begin_notifications(&self) -> Result<()> {
        self.engine.desk.platform.notifications.begin().await
    }

    /// Writes the notifications of an application that are not in its log yet. Returns whether there were any.
    pub(super) async fn note_notifications(&self, app: &Arc<dyn ConnectedApp>) -> bool {
        let latest = self.engine.desk.platform.notifications.latest();
        let Some(noted) = self.kept.logs.notified_until(app.as_ref(), latest) else { return false };
        if noted >= latest {
            return false;
        }
        match self.sent_by(app.application(), noted, latest).await {
            Ok(own) => self.kept.logs.note_notifications(app.as_ref(), latest, &own),
            Err(error) => {
                // They are looked at again with the next one, or at the next reading.
                tracing::debug!(code = error.code.as_str(), "the senders of notifications are not known");
                false
            }
        }
    }

    /// The notifications from the one after `noted` to `latest` that an application sent.
    async fn sent_by(&self, application: &Application, noted: u64, latest: u64) -> Result<Vec<Notification>> {
        let platform = &self.engine.desk.platform;
        let mut seen = platform.notifications.seen_after(noted).await?;
        let running = platform.accessibility.applications().await?;
        seen.retain(|one| {
            one.number <= latest && one.senders(&running).any(|sender| sender.is_same(application))
        });
        Ok(seen)
    }
}
