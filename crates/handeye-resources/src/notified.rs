//! What applications notify the user of, as events of the application that sent it.

use crate::Resources;
use handeye_core::{Application, ConnectedApp, Notification};
use std::sync::Arc;

impl Resources {
    /// Begins to look at the notifications of the desktop; the error says why that cannot be done.
    pub(super) async fn begin_notifications(&self) -> handeye_core::Result<()> {
        self.engine.desk.platform.notifications.begin().await
    }

    /// Writes the notifications of an application that are not in its log yet. Returns whether there were any.
    pub(super) async fn note_notifications(&self, app: &Arc<dyn ConnectedApp>) -> bool {
        let seen = self.engine.desk.platform.notifications.seen();
        let latest = seen.last().map_or(0, |last| last.number);
        let Some(noted) = self.kept.logs.notified_until(app.as_ref(), latest) else { return false };
        let mut own = Vec::new();
        for notification in seen.into_iter().filter(|one| one.number > noted) {
            if self.is_of(&notification, app.application()).await {
                own.push(notification);
            }
        }
        self.kept.logs.note_notifications(app.as_ref(), latest, &own)
    }

    /// Whether an application sent a notification: its process did, or one that it started and that is no application of its own, or
    /// a service of the desktop on its behalf. What a notification itself claims of its sender does not count.
    async fn is_of(&self, notification: &Notification, application: &Application) -> bool {
        if let Some(name) = &notification.on_behalf_of {
            let sandbox = application.process.as_ref().and_then(|process| process.sandbox.as_deref());
            return sandbox.or(application.bundle_id.as_deref()) == Some(name.as_str());
        }
        let Some(pid) = application.pid() else { return false };
        let Some(at) = notification.processes.iter().position(|process| *process == pid) else {
            return false;
        };
        let nearer = &notification.processes[..at];
        if nearer.is_empty() {
            return true;
        }
        // A terminal starts applications, whose notifications are not those of the terminal.
        match self.engine.desk.platform.accessibility.applications().await {
            Ok(running) => {
                !running.iter().any(|other| other.pid().is_some_and(|other| nearer.contains(&other)))
            }
            Err(error) => {
                tracing::debug!(code = error.code.as_str(), "the sender of a notification is not known");
                false
            }
        }
    }
}
