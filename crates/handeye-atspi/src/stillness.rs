//! Whether an application can have changed since it was read: one that has slept since cannot.
//!
//! An accessibility tree lives in the memory of its application. Where no thread of that has run since the last answer, the tree is what it was
//! then, whatever the toolkit announces, and finding that out takes no call.
//!
//! What changed while the application was read may have been read before that. So a read counts only if nothing was announced and nothing was
//! drawn meanwhile, and once the application has slept for longer than it takes to draw: a change that was not drawn yet wakes it for that.
//!
//! Browsers and LibreOffice run where nothing changes. They announce most of what changes in an element, and nearly all that they do not announce is
//! drawn: so one that has drawn nothing for a second before it was read, and nothing since, is asked for a few elements only. What LibreOffice draws
//! is in its tree before, so it need not have drawn nothing before it was read.

use super::call_error::CallError;
use super::connected::ConnectedApplication;
use super::on_screen::Seen;
use super::rest::Rest;
use super::toolkit::Trust;
use super::true_read::{Begun, Contacts, TrueRead};
use handeye_core::{DetailKinds, Node, NodeId, Scope};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an application may take to go to sleep after its last answer.
const GOES_TO_SLEEP: Duration = Duration::from_millis(1);

/// How long an application may sleep before it draws what it has changed: a frame takes 17 ms, or twice that on a slow screen.
const DRAWS_WITHIN: Duration = Duration::from_millis(50);

/// For how long LibreOffice has to sleep so that it is not about to draw what it has changed: up to 40 ms after a key it runs every 2 to 5 ms.
const BETWEEN_STEPS: Duration = Duration::from_millis(10);

impl ConnectedApplication {
    /// Records that a read of the application begins.
    pub(super) async fn begin_read(&self) -> Begun {
        *self.stillness.last() = None;
        let Contacts { events, doubts, .. } = self.contacts();
        let (time, drawn) = (Instant::now(), self.last_drawn().await);
        let is_settled = self.note_drawn(drawn, Instant::now());
        let is_thorough = self.is_settled_in_doubt(is_settled) || self.is_thorough_overdue();
        Begun { time, events, doubts, drawn, is_settled, is_thorough }
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
        let rest = self.rest_after_answer().await;
        let is_settled = begun.is_settled && self.toolkit.draws_what_it_does_not_announce();
        if (rest.is_some() || is_settled)
            && (contacts.events, contacts.doubts) == (begun.events, begun.doubts)
            && self.last_drawn().await == Some(drawn)
        {
            let ended = Instant::now();
            let settled = is_settled.then_some(ended);
            let is_thorough = begun.is_thorough;
            self.keep(TrueRead {
                ended,
                scope,
                contacts,
                rest,
                is_thorough,
                is_sampled: false,
                drawn,
                settled,
            });
        }
    }

    /// Whether the mirror is true for `scope`, as that was read and the application has not run since.
    pub(super) async fn is_still(&self, scope: Scope) -> bool {
        let Some(last) = self.stillness.last().clone() else { return false };
        let is_still = last.rest.is_some()
            && (!last.is_sampled || last.is_believed())
            && last.ended.elapsed() > DRAWS_WITHIN
            && last.covers(scope)
            && self.contacts() == last.contacts
            && self.book().is_clean()
            && self.rest(Duration::ZERO).await == last.rest
            && self.last_drawn().await == Some(last.drawn);
        if is_still && !self.toolkit.draws_what_it_does_not_announce() {
            return last.is_thorough || !self.is_thorough_overdue();
        }
        if is_still {
            let now = Instant::now();
            let is_settled = self.note_drawn(Some(last.drawn), now);
            if self.is_settled_in_doubt(is_settled) {
                return false;
            }
            // What was not settled when it was read has slept since: it is as if it was read now.
            let settled = last.settled.or(is_settled.then_some(now));
            self.keep(TrueRead { settled, ..last });
        }
        is_still
    }

    /// Whether the mirror is true for `scope`, as that was read and the application has neither drawn nor announced anything since, of which a
    /// few elements are asked. Where one of them has changed, and that is neither drawn nor announced later, the application is not believed
    /// any more. What is hidden is not drawn.
    pub(super) async fn shows_the_same(&self, scope: Scope) -> Result<bool, CallError> {
        let Some(last) = self.stillness.last().clone() else { return Ok(false) };
        if scope.hidden
            || !last.is_believed()
            || !last.covers(scope)
            || !self.book().is_clean()
            || self.is_settled_in_doubt(true)
        {
            return Ok(false);
        }
        if self.toolkit.draws_in_steps() && !self.rests_for(BETWEEN_STEPS).await {
            return Ok(false);
        }
        let known = Seen { drawn: Some(last.drawn), events: last.contacts.events };
        let doubts = last.contacts.doubts;
        if !self.has_come_nothing_but(known).await || !self.sample_is_as_known(known).await? {
            return Ok(false);
        }
        let (contacts, rest) = (self.contacts(), self.rest_after_answer().await);
        if !self.has_come_nothing_but(known).await {
            return Ok(false);
        }
        let contacts = Contacts { events: known.events, doubts, ..contacts };
        self.keep(TrueRead { ended: Instant::now(), contacts, rest, is_sampled: true, ..last });
        Ok(self.stillness.doubts() == doubts)
    }

    /// Records what was drawn last. Returns whether all of that is in the tree.
    pub(super) fn note_drawn(&self, drawn: Option<u64>, now: Instant) -> bool {
        self.stillness.screen().note_drawn(drawn, now, self.toolkit.passes_on_within())
    }

    /// Whether it is time to read it without trust in what is announced.
    fn is_thorough_overdue(&self) -> bool {
        self.toolkit.is_silent_at_times() && self.stillness.is_thorough_overdue()
    }

    /// Whether what was drawn last, if it `is_settled` now, has not been read yet without trust in what is announced.
    fn is_settled_in_doubt(&self, is_settled: bool) -> bool {
        is_settled && self.toolkit.is_silent_at_times() && self.stillness.has_drawn_since_thorough()
    }

    /// Records what is known of a read, unless something was found to have changed since.
    fn keep(&self, read: TrueRead) {
        let mut last = self.stillness.last();
        *last = Some(read).filter(|read| read.contacts.doubts == self.stillness.doubts());
    }

    /// Whether the application has drawn and announced this and no more, and is believed to draw or announce all that changes.
    async fn has_come_nothing_but(&self, known: Seen) -> bool {
        let seen = Seen { drawn: self.last_drawn().await, events: self.contacts().events };
        seen == known && self.stillness.screen().is_believed(seen, Instant::now())
    }

    /// Asks a few elements whether they are as the mirror has them.
    async fn sample_is_as_known(&self, known: Seen) -> Result<bool, CallError> {
        let tree = self.mirror.snapshot();
        let Some(root) = tree.root() else { return Ok(false) };
        let asked: Vec<&Arc<Node>> = tree.descendants(root).filter(|node| node.is_showing()).collect();
        let places = self.stillness.screen().sample(asked.len());
        let sample: Vec<Arc<Node>> = places.map(|place| Arc::clone(asked[place])).collect();
        let trust = self.toolkit.trust();
        let moved = self.recheck(sample.clone(), Some(trust), None).await?;
        if !trust.contains(Trust::VALUES) {
            let ids: Vec<NodeId> = sample.iter().map(|node| node.id).collect();
            self.read_details_of(&ids, DetailKinds::TEXT | DetailKinds::VALUE, false).await?;
        }
        let is_same = |node: &Arc<Node>| self.is_as_in(&tree, node.id) && self.holds_the_same(node);
        if moved.is_empty() && self.book().is_clean() && sample.iter().all(is_same) {
            return Ok(true);
        }
        tracing::debug!(application = %self.application.name, "something has changed that was neither drawn nor announced so far");
        self.stillness.screen().note_surprise(known, Instant::now());
        Ok(false)
    }

    /// Whether an element has the text and the number that it had, as far as these were known.
    fn holds_the_same(&self, before: &Node) -> bool {
        self.mirror.snapshot().get(before.id).is_none_or(|now| {
            let (before, now) = (&before.details, &now.details);
            (before.text.is_unknown() || before.text == now.text)
                && (before.value.is_unknown() || before.value == now.value)
        })
    }

    /// Whether a later look may find that the application has drawn nothing for long enough, where this is of use.
    pub(super) fn may_settle(&self) -> bool {
        self.toolkit.draws_what_it_does_not_announce()
            && self.stillness.screen().may_be_believed()
            && self.stillness.last().as_ref().is_none_or(|last| last.settled.is_none())
    }

    /// How the application rests after its last answer; `None` if it does not.
    async fn rest_after_answer(&self) -> Option<Rest> {
        if self.toolkit.hardly_rests() { None } else { self.rest(GOES_TO_SLEEP).await }
    }

    /// Whether the application sleeps from now on for so long.
    async fn rests_for(&self, time: Duration) -> bool {
        let Some(before) = self.rest(Duration::ZERO).await else { return false };
        tokio::time::sleep(time).await;
        self.rest(Duration::ZERO).await == Some(before)
    }

    /// Whether the application rested after it was read, so that nothing has to be read until it runs again.
    pub(super) fn was_at_rest(&self) -> bool {
        self.stillness.last().as_ref().is_some_and(|last| last.rest.is_some())
    }

    fn contacts(&self) -> Contacts {
        Contacts {
            calls: self.calls(),
            events: self.mirror.activity().events,
            doubts: self.stillness.doubts(),
        }
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
