//! In which order the things in a container stand, and whether that is sure.

use handeye_core::NodeId;
use std::time::{Duration, Instant};

/// How long an application may take to lay out what has changed.
const LAID_OUT: Duration = Duration::from_millis(50);

/// For how long an order has to be the same. Things that change places again and again may be asked each time before they are laid out.
const SURE_AFTER: Duration = Duration::from_secs(1);

/// The same where the application has drawn meanwhile, as it lays out what has changed before it draws.
const SURE_AFTER_DRAWING: Duration = Duration::from_millis(100);

/// What shows in a container.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parts {
    /// In the order in which the application lists it.
    pub(super) listed: Vec<NodeId>,
    /// In the order in which it is read on the screen.
    pub(super) arranged: Vec<NodeId>,
}

/// The number of the last thing that an application had drawn before it was asked for an order, and that after its answer. `None` where that is not
/// known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drawn {
    pub(super) before: Option<u64>,
    pub(super) after: Option<u64>,
}

/// What showed in a container when it was put in order.
#[derive(Debug)]
pub(super) struct Arrangement {
    parts: Parts,
    /// Since when it has been the same.
    since: Instant,
    /// When it was asked last.
    asked: Instant,
    /// The number of the last thing that the application had drawn by then; `None` where that is not known.
    drawn: Option<u64>,
    is_sure: bool,
}

impl Arrangement {
    /// These things are in this order: `asked` is when that was answered, `drawn` what had been drawn by then, and `last` what was known before. An order that was seen with
    /// another list is not the same one: what changes places and back again is where it was last laid out, which may be in between.
    pub(super) fn of(parts: Parts, asked: Instant, drawn: Drawn, last: Option<&Self>) -> Self {
        let last = last.filter(|last| last.parts == parts);
        let since = last.map_or(asked, |last| last.since);
        let has_drawn = last
            .is_some_and(|last| last.drawn.is_some() && drawn.before.is_some() && last.drawn != drawn.before);
        let sure_after = if has_drawn { SURE_AFTER_DRAWING } else { SURE_AFTER };
        let is_sure = last.is_some_and(|last| last.is_sure) || asked.duration_since(since) >= sure_after;
        Self { parts, since, asked, drawn: drawn.after, is_sure }
    }

    /// Whether the order of these things, which show now, is known.
    pub(super) fn holds_for(&self, parts: &Parts) -> bool {
        self.parts == *parts && (self.is_sure || self.asked.elapsed() < LAID_OUT)
    }

    /// Whether it was asked since `time`.
    pub(super) fn was_asked_since(&self, time: Instant) -> bool {
        self.asked >= time
    }

    /// Whether it is known or was asked since `time`: then it need not be asked again as long as the application does not draw.
    pub(super) fn is_known_since(&self, time: Instant) -> bool {
        self.is_sure || self.was_asked_since(time)
    }

    /// Whether it need not be asked again as long as the application lists the same things.
    pub(super) fn is_sure(&self) -> bool {
        self.is_sure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing since the other times.
    const DRAWN: Drawn = Drawn { before: Some(1), after: Some(1) };

    fn parts(listed: [NodeId; 2], arranged: [NodeId; 2]) -> Parts {
        Parts { listed: listed.to_vec(), arranged: arranged.to_vec() }
    }

    /// What is known if it was so, in all answers, for some time until a moment ago.
    fn known(parts: &Parts, for_some_time: Duration) -> Arrangement {
        let asked = Instant::now().checked_sub(2 * LAID_OUT).expect("the machine runs for longer");
        let since = asked.checked_sub(for_some_time).expect("the machine runs for longer");
        Arrangement { parts: parts.clone(), since, asked, drawn: Some(1), is_sure: false }
    }

    #[test]
    fn an_order_is_sure_when_it_was_the_same_for_a_second() {
        let (one, other) = (NodeId::mint(), NodeId::mint());
        let now = parts([one, other], [one, other]);
        let first = Arrangement::of(now.clone(), Instant::now(), DRAWN, None);
        assert!(first.holds_for(&now), "it was just asked");
        assert!(!first.is_known_since(Instant::now()), "it may have been laid out since");
        assert!(!first.holds_for(&parts([one, other], [other, one])));
        let first = known(&now, Duration::ZERO);
        assert!(!first.holds_for(&now), "it may have been asked before it was laid out");
        let again = Arrangement::of(now.clone(), Instant::now(), DRAWN, Some(&first));
        assert!(!again.is_known_since(Instant::now()), "what changes places again and again is not sure");
        let sure = Arrangement::of(now.clone(), Instant::now(), DRAWN, Some(&known(&now, SURE_AFTER)));
        assert!(sure.holds_for(&now) && sure.is_known_since(Instant::now()));
    }

    #[test]
    fn another_order_or_another_list_is_not_sure() {
        let (one, other) = (NodeId::mint(), NodeId::mint());
        let before = known(&parts([one, other], [one, other]), SURE_AFTER);
        // They have changed places, and are not laid out yet.
        for changed in [parts([other, one], [one, other]), parts([one, other], [other, one])] {
            assert!(!before.holds_for(&changed));
            assert!(
                !Arrangement::of(changed, Instant::now(), DRAWN, Some(&before))
                    .is_known_since(Instant::now())
            );
        }
    }

    #[test]
    fn an_order_is_sure_sooner_once_the_application_has_drawn() {
        let (one, other) = (NodeId::mint(), NodeId::mint());
        let now = parts([one, other], [one, other]);
        let first = known(&now, Duration::ZERO);
        let is_sure = |after, before| {
            let drawn = Drawn { before, after: before };
            Arrangement::of(now.clone(), first.since + after, drawn, Some(&first)).is_sure()
        };
        assert!(is_sure(SURE_AFTER_DRAWING, Some(2)));
        assert!(!is_sure(SURE_AFTER_DRAWING, Some(1)), "it has not drawn since");
        assert!(!is_sure(SURE_AFTER_DRAWING, None), "it is not known whether it has");
        assert!(!is_sure(Duration::ZERO, Some(2)), "what was drawn may be something else");
        let sure = Arrangement::of(now.clone(), Instant::now(), DRAWN, Some(&known(&now, SURE_AFTER)));
        assert!(Arrangement::of(now, Instant::now(), Drawn::default(), Some(&sure)).is_sure(), "it stays so");
    }
}
