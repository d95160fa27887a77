//! In which order the things in a container stand, and whether that is sure.

use handeye_core::NodeId;
use std::time::{Duration, Instant};

/// How long an application may take to lay out what has changed.
const LAID_OUT: Duration = Duration::from_millis(50);

/// What showed in a container when it was put in order.
#[derive(Debug)]
pub(super) struct Arrangement {
    /// In that order.
    parts: Vec<NodeId>,
    /// When it was asked; `None` if it has been asked again since, and the order was the same.
    asked: Option<Instant>,
}

impl Arrangement {
    /// These things are in this order now; `last` is what was known before.
    pub(super) fn of(parts: Vec<NodeId>, last: Option<&Self>) -> Self {
        let is_same = last.is_some_and(|last| last.parts == parts);
        Self { parts, asked: (!is_same).then(Instant::now) }
    }

    /// Whether the order of these things, which show now, is known.
    pub(super) fn holds_for(&self, parts: &[NodeId]) -> bool {
        self.parts == parts && self.asked.is_none_or(|asked| asked.elapsed() < LAID_OUT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_sure_when_it_was_the_same_twice() {
        let (one, other) = (NodeId::mint(), NodeId::mint());
        let first = Arrangement::of(vec![one, other], None);
        assert!(first.holds_for(&[one, other]), "it was just asked");
        assert!(!first.holds_for(&[other, one]));
        let before = Instant::now().checked_sub(2 * LAID_OUT).expect("the machine runs for longer");
        let first = Arrangement { asked: Some(before), ..first };
        assert!(!first.holds_for(&[one, other]), "it may have been asked before it was laid out");
        let again = Arrangement::of(vec![other, one], Some(&first));
        assert!(again.asked.is_some(), "it is another one");
        let sure = Arrangement::of(vec![one, other], Some(&first));
        assert!(sure.holds_for(&[one, other]) && sure.asked.is_none());
    }
}
