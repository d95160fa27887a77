//! Looks that follow a look while nobody waits: what an application had not completed or laid out yet is read once more, so that the next look
//! finds it done.
//!
//! A browser sends texts and places of a page after the page, and GTK 3 lays out what has changed when it draws. Whoever looks again would wait
//! for what that takes; a model does not look again for a second.

use super::connected::ConnectedApplication;
use handeye_core::Scope;
use std::sync::Weak;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How long after a look it is followed, and how long after that once more. Elements are doubted for 100 ms after they have come, and what was
/// drawn is in the tree of a browser a second later.
const PAUSES: [Duration; 2] = [Duration::from_millis(105), Duration::from_millis(1000)];

impl ConnectedApplication {
    /// Follows a look with this scope that somebody has asked for, where it has left something open.
    pub(super) fn follow_up(&self, scope: Scope) {
        let look = self.looks.fetch_add(1, Ordering::Relaxed) + 1;
        if scope.root.is_some() || scope.hidden || !(self.is_open() || self.may_settle()) {
            return;
        }
        let me = Weak::clone(&self.me);
        tokio::spawn(async move {
            for pause in PAUSES {
                sleep(pause).await;
                let Some(app) = me.upgrade() else { return };
                // A later look settles what this one has left, or is followed itself.
                if app.looks.load(Ordering::Relaxed) != look || !app.alive() {
                    return;
                }
                if app.is_open() || app.has_settled().await {
                    app.settle(scope).await;
                }
            }
        });
    }

    /// Whether a look would have to read something, as far as is known without one.
    fn is_open(&self) -> bool {
        !self.is_known_still() && (self.is_filling_in() || !self.is_arranged() || !self.book().is_clean())
    }

    /// Whether a look would find that the application has drawn nothing for long enough, and did not find that before.
    async fn has_settled(&self) -> bool {
        self.may_settle() && {
            let drawn = self.last_drawn().await;
            self.stillness.screen().note_drawn(drawn, Instant::now())
        }
    }

    async fn settle(&self, scope: Scope) {
        let calls = self.calls();
        match self.look(scope).await {
            Ok(_) => tracing::debug!(calls = self.calls() - calls, "looked again while nobody waits"),
            Err(error) => tracing::debug!(code = error.code.as_str(), "could not look while nobody waits"),
        }
    }
}
