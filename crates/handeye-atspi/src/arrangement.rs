//! In which order the things in a container stand, and whether that is sure.

use handeye_core::NodeId;
use std::time::{Duration, Instant};

/// How long an application may take to lay out what has changed.
const LAID_OUT: Duration = Duration::from_millis(50);

/// For how long an order has to be the same. Things that change places again and again may be asked each time before they are laid out.
const SURE_AFTER: Duration = Duration::from_secs(1);

/// What shows in a container.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parts {
    /// In the order in which the application lists it.
    pub(super) listed: Vec<NodeId>,
    /// In the order in which it is read on the screen.
    pub(super) arranged: Vec<NodeId>,
}

/// What showed in a container when it was put in order.
#[derive(Debug)]
pub(super) struct Arrangement {
    parts: Parts,
    /// Since when it has been the same.
    since: Instant,
    /// When it was asked last.
    asked: Instant,
}

impl Arrangement {
    /// These things are in this order now; `last` is what was known before. An order that was seen with another list is not the same one: what
    /// changes places and back again is where it was last laid out, which may be in between.
    pub(super) fn of(parts: Parts, last: Option<&Self>) -> Self {
        let asked = Instant::now();
        let since = last.filter(|last| last.parts == parts).map_or(asked, |last| last.since);
        Self { parts, since, asked }
    }

    /// Whether the order of these things, which show now, is known.
    pub(super) fn holds_for(&self, parts: &Parts) -> bool {
        self.parts == *parts && (self.is_sure() || self.asked.elapsed() < LAID_OUT)
    }

    /// Whether it is known or was asked since `time`: then it need not be asked again as long as the application does not draw.
    pub(super) fn is_known_since(&self, time: Instant) -> bool {
        self.is_sure() || self.asked >= time
    }

    fn is_sure(&self) -> bool {
        self.asked.duration_since(self.since) >= SURE_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(listed: [NodeId; 2], arranged: [NodeId; 2]) -> Parts {
        Parts { listed: listed.to_vec(), arranged: arranged.to_vec() }
    }

    /// What is known if it was so, in all answers, for some time until a moment ago.
    fn known(parts: &Parts, for_some_time: Duration) -> Arrangement {
        let asked = Instant::now().checked_sub(2 * LAID_OUT).expect("the machine runs for longer");
        let since = asked.checked_sub(for_some_time).expect("the machine runs for longer");
        Arrangement { parts: parts.clone(), since, asked }
    }

    #[test]
    fn an_order_is_sure_when_it_was_the_same_for_a_second() {
        let (one, other) = (NodeId::mint(), NodeId::mint());
        let now = parts([one, other], [one, other]);
        let first = Arrangement::of(now.clone(), None);
        assert!(first.holds_for(&now), "it was just asked");
        assert!(!first.is_known_since(Instant::now()), "it may have been laid out since");
        assert!(!first.holds_for(&parts([one, other], [other, one])));
        let first = known(&now, Duration::ZERO);
        assert!(!first.holds_for(&now), "it may have been asked before it was laid out");
        let again = Arrangement::of(now.clone(), Some(&first));
        assert!(!again.is_known_since(Instant::now()), "what changes places again and again is not sure");
        let sure = Arrangement::of(now.clone(), Some(&known(&now, SURE_AFTER)));
        assert!(sure.holds_for(&now) && sure.is_known_since(Instant::now()));
    }

    #[test]
    fn another_order_or_another_list_is_not_sure() {
        let (one, other) = (NodeId::mint(), NodeId::mint());
        let before = known(&parts([one, other], [one, other]), SURE_AFTER);
        // They have changed places, and are not laid out yet.
        for changed in [parts([other, one], [one, other]), parts([one, other], [other, one])] {
            assert!(!before.holds_for(&changed));
            assert!(!Arrangement::of(changed, Some(&before)).is_known_since(Instant::now()));
        }
    }
}
