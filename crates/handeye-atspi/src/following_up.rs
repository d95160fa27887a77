//! Looks that follow a look while nobody waits: what an application had not completed or laid out yet is read once more, so that the next look
//! finds it done.
//!
//! A browser sends texts and places of a page after the page, and GTK 3 lays out what has changed when it draws. The next look would wait for
//! what that takes; a model does not look again for a second.

use super::connected::ConnectedApplication;
use handeye_core::{Result, Scope, Tree};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::sleep;

/// How long after a look it is followed, and how long after that once more. Elements are doubted for 100 ms after they have come, and what was
/// drawn is in the tree of a browser a second later.
const PAUSES: [Duration; 2] = [Duration::from_millis(105), Duration::from_secs(1)];

/// How long a look may have taken that is followed: the next look waits for one that is on its way.
const MOST_TIME: Duration = Duration::from_millis(200);

/// Whether looks with this scope settle what is open.
fn is_whole(scope: Scope) -> bool {
    scope.root.is_none() && !scope.hidden
}

impl ConnectedApplication {
    /// Makes the mirror true for `scope`; see [`ConnectedApp::refresh`](handeye_core::ConnectedApp::refresh). What cannot be settled now is read
    /// once more when it can be.
    pub(super) async fn refresh_scope(&self, scope: Scope) -> Result<Arc<Tree>> {
        self.note_look(scope);
        let begun = Instant::now();
        let tree = self.look(scope).await?;
        self.follow_up(scope, begun.elapsed());
        Ok(tree)
    }

    /// Ends what follows earlier looks: somebody looks again with this scope, and waits.
    fn note_look(&self, scope: Scope) {
        if is_whole(scope) {
            self.looks.send_replace(());
        }
    }

    /// Follows a look with this scope that somebody has asked for and that took so long, where it has left something open.
    fn follow_up(&self, scope: Scope, took: Duration) {
        if !is_whole(scope) || took > MOST_TIME || !(self.is_open() || self.may_settle()) {
            return;
        }
        tokio::spawn(follow(Weak::clone(&self.me), scope, self.looks.subscribe()));
    }

    /// Whether a look would have to read something, as far as is known without one.
    fn is_open(&self) -> bool {
        !self.was_at_rest() && (self.is_filling_in() || !self.is_arranged() || !self.book().is_clean())
    }

    /// Whether a look would find that the application has drawn nothing for long enough, and did not find that before.
    async fn has_settled(&self) -> bool {
        self.may_settle() && {
            let drawn = self.last_drawn().await;
            self.note_drawn(drawn, Instant::now())
        }
    }

    /// Looks again. Returns whether the application has answered.
    async fn settle(&self, scope: Scope) -> bool {
        let calls = self.calls();
        match self.look(scope).await {
            Ok(_) => {
                tracing::debug!(calls = self.calls() - calls, "looked again while nobody waits");
                true
            }
            Err(error) => {
                tracing::debug!(code = error.code.as_str(), "could not look while nobody waits");
                false
            }
        }
    }
}

async fn follow(app: Weak<ConnectedApplication>, scope: Scope, mut looks: watch::Receiver<()>) {
    for pause in PAUSES {
        tokio::select! {
            biased;
            // A later look settles what this one has left, or is followed itself.
            _ = looks.changed() => return,
            () = sleep(pause) => {}
        }
        let Some(app) = app.upgrade().filter(|app| app.alive()) else { return };
        // Once begun it goes on to its end: what events have named is taken out of the book for it.
        if (app.is_open() || app.has_settled().await) && !app.settle(scope).await {
            return;
        }
    }
}
