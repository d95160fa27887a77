//! Whether an application can have changed since it was read: one that has slept since cannot.
//!
//! An accessibility tree lives in the memory of its application. Where no thread of that has run since the last answer, the tree is what it was
//! then, whatever the toolkit announces, and finding that out takes no call.
//!
//! What changed while the application was read may have been read before that. So a read counts only if nothing was announced and nothing was
//! drawn meanwhile, and once the application has slept for longer than it takes to draw: a change that was not drawn yet wakes it for that.

use super::connected::ConnectedApplication;
use super::rest::Rest;
use super::true_read::{Begun, Contacts, TrueRead};
use handeye_core::Scope;
use std::time::{Duration, Instant};

/// How long an application may take to go to sleep after its last answer.
const GOES_TO_SLEEP: Duration = Duration::from_millis(1);

/// How long an application may sleep before it draws what it has changed: a frame takes 17 ms, or twice that on a slow screen.
const DRAWS_WITHIN: Duration = Duration::from_millis(50);

impl ConnectedApplication {
    /// Records that a read of the application begins.
    pub(super) async fn begin_read(&self) -> Begun {
        *self.stillness.last() = None;
        Begun { time: Instant::now(), events: self.contacts().events, drawn: self.last_drawn().await }
    }

    /// Records that `scope` was read.
    pub(super) async fn end_read(&self, scope: Scope, begun: Begun) {
        let Some(drawn) = begun.drawn else { return };
        if scope.root.is_some()
            || self.is_filling_in()
            || self.has_foreign_parts()
            || !self.is_arranged_since(begun.time)
        {
            return;
        }
        let contacts = self.contacts();
        let Some(rest) = self.rest(GOES_TO_SLEEP).await else { return };
        if contacts.events == begun.events && self.last_drawn().await == Some(drawn) {
            *self.stillness.last() = Some(TrueRead { ended: Instant::now(), scope, contacts, rest, drawn });
        }
    }

    /// Whether the mirror is true for `scope`, as that was read and the application has not run since.
    pub(super) async fn is_still(&self, scope: Scope) -> bool {
        let Some(last) = self.stillness.last().clone() else { return false };
        last.ended.elapsed() > DRAWS_WITHIN
            && last.covers(scope)
            && self.contacts() == last.contacts
            && self.book().is_clean()
            && self.rest(Duration::ZERO).await == Some(last.rest)
            && self.last_drawn().await == Some(last.drawn)
    }

    fn contacts(&self) -> Contacts {
        Contacts { calls: self.calls(), events: self.mirror.activity().events }
    }

    async fn last_drawn(&self) -> Option<u64> {
        self.stillness.last_drawn(self.application.pid()).await
    }

    async fn rest(&self, patience: Duration) -> Option<Rest> {
        Rest::of(self.stillness.process_of_tree(self.application.pid()).await?, patience).await
    }

    /// Whether other processes, which are not watched, show parts of the application.
    fn has_foreign_parts(&self) -> bool {
        self.mirror.snapshot().nodes().any(|node| node.owner.is_some())
    }
}
