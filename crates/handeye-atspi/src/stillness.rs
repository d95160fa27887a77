//! Whether an application can have changed since it was read: one that has slept since cannot.
//!
//! An accessibility tree lives in the memory of its application. Where no thread of that has run since the last answer, the tree is what it was
//! then, whatever the toolkit announces, and finding that out takes no call.
//!
//! What changed while the application was read may have been read before that. So a read counts only if nothing was announced and nothing was
//! drawn meanwhile, and once the application has slept for longer than it takes to draw: a change that was not drawn yet wakes it for that.
//!
//! Browsers run where nothing changes. They announce what changes in an element, and what they do not announce is drawn: so one that has drawn
//! nothing for a second before it was read, and nothing since, is asked for a few elements only.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::rest::Rest;
use super::true_read::{Begun, Contacts, TrueRead};
use handeye_core::{Node, Scope};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an application may take to go to sleep after its last answer.
const GOES_TO_SLEEP: Duration = Duration::from_millis(1);

/// How long an application may sleep before it draws what it has changed: a frame takes 17 ms, or twice that on a slow screen.
const DRAWS_WITHIN: Duration = Duration::from_millis(50);

impl ConnectedApplication {
    /// Records that a read of the application begins.
    pub(super) async fn begin_read(&self) -> Begun {
        *self.stillness.last() = None;
        let events = self.contacts().events;
        let (time, drawn) = (Instant::now(), self.last_drawn().await);
        let is_settled = self.stillness.screen().note_drawn(drawn, time);
        Begun { time, events, drawn, is_settled }
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
        let rest = if self.toolkit.hardly_rests() { None } else { self.rest(GOES_TO_SLEEP).await };
        let is_settled = begun.is_settled && self.toolkit.draws_what_it_does_not_announce();
        if (rest.is_some() || is_settled)
            && contacts.events == begun.events
            && self.last_drawn().await == Some(drawn)
        {
            let ended = Instant::now();
            *self.stillness.last() = Some(TrueRead { ended, scope, contacts, rest, drawn, is_settled });
        }
    }

    /// Whether the mirror is true for `scope`, as that was read and the application has not run since.
    pub(super) async fn is_still(&self, scope: Scope) -> bool {
        let Some(last) = self.stillness.last().clone() else { return false };
        last.rest.is_some()
            && last.ended.elapsed() > DRAWS_WITHIN
            && last.covers(scope)
            && self.contacts() == last.contacts
            && self.book().is_clean()
            && self.rest(Duration::ZERO).await == last.rest
            && self.last_drawn().await == Some(last.drawn)
    }

    /// Whether the mirror is true for `scope`, as that was read and the application has neither drawn nor announced anything since, of which a
    /// few elements are asked. At the first one that has changed nevertheless the application is not believed any more.
    pub(super) async fn shows_the_same(&self, scope: Scope) -> Result<bool, CallError> {
        let Some(last) = self.stillness.last().clone() else { return Ok(false) };
        let is_same = last.is_settled
            && self.stillness.screen().is_believed()
            && last.covers(scope)
            && self.contacts().events == last.contacts.events
            && self.book().is_clean()
            && self.last_drawn().await == Some(last.drawn);
        if !is_same || !self.sample_is_as_known().await? {
            return Ok(false);
        }
        let contacts = Contacts { events: last.contacts.events, ..self.contacts() };
        *self.stillness.last() = Some(TrueRead { contacts, rest: None, ..last });
        Ok(true)
    }

    /// Asks a few elements whether they are as the mirror has them.
    async fn sample_is_as_known(&self) -> Result<bool, CallError> {
        let tree = self.mirror.snapshot();
        let showing: Vec<&Arc<Node>> = tree.nodes().filter(|node| node.is_showing()).collect();
        let places = self.stillness.screen().sample(showing.len());
        let sample: Vec<Arc<Node>> = places.map(|place| Arc::clone(showing[place])).collect();
        let events = self.contacts().events;
        let moved = self.recheck(sample.clone(), self.toolkit.trust(), None).await?;
        let now = self.mirror.snapshot();
        let is_known = |node: &Arc<Node>| now.get(node.id).is_some_and(|now| Arc::ptr_eq(now, node));
        if moved.is_empty() && self.book().is_clean() && sample.iter().all(is_known) {
            return Ok(true);
        }
        // What was announced meanwhile is no surprise.
        if self.contacts().events == events {
            tracing::debug!(application = %self.application.name, "something has changed that was neither drawn nor announced");
            self.stillness.screen().refute();
        }
        Ok(false)
    }

    /// Whether a later look may find that the application has drawn nothing for long enough, where this is of use.
    pub(super) fn may_settle(&self) -> bool {
        self.toolkit.draws_what_it_does_not_announce()
            && self.stillness.screen().is_believed()
            && !self.stillness.last().as_ref().is_some_and(|last| last.is_settled)
    }

    /// Whether nothing has to be read of the application as long as it sleeps, as far as is known without a look.
    pub(super) fn is_known_still(&self) -> bool {
        self.stillness.last().as_ref().is_some_and(|last| last.rest.is_some())
    }

    fn contacts(&self) -> Contacts {
        Contacts { calls: self.calls(), events: self.mirror.activity().events }
    }

    /// The number of the last thing that the application drew; `None` where that is not known.
    pub(super) async fn last_drawn(&self) -> Option<u64> {
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
