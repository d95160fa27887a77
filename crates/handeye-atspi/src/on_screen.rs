//! What is known of what an application shows on the screen: since when it is the same, and whether that says what is in its tree.

use std::time::{Duration, Instant};

/// How long after it was drawn all of it is in the tree, unless a toolkit is known to be faster.
pub(super) const PASSED_ON: Duration = Duration::from_secs(1);
/// How many elements are asked where nothing was drawn and nothing announced.
const SAMPLE: usize = 4;
/// How long a change that a sample has found may take to be drawn or announced.
const SHOWS_WITHIN: Duration = Duration::from_secs(1);

/// What came from an application so far: the number of the last thing that it has drawn, and how much it has announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) drawn: Option<u64>,
    pub(super) events: u64,
}

/// What is known of what an application shows on the screen.
#[derive(Debug, Default)]
pub(super) struct OnScreen {
    /// The number of the last thing that it has drawn, and when that was noticed.
    drawn: Option<(u64, Instant)>,
    /// How many elements were asked so far although nothing was drawn.
    asked: usize,
    /// What had come when one of them was found to have changed, and when that was.
    surprise: Option<(Seen, Instant)>,
    /// Whether such a change was neither drawn nor announced later.
    is_refuted: bool,
}

impl OnScreen {
    /// Records the number of the last thing that was drawn, `None` where that is not known. Returns whether it has been that for so long that all
    /// of it is in the tree, where it is `within` that time.
    pub(super) fn note_drawn(&mut self, drawn: Option<u64>, now: Instant, within: Duration) -> bool {
        let since = match self.drawn {
            Some((known, since)) if Some(known) == drawn => since,
            _ => now,
        };
        self.drawn = drawn.map(|drawn| (drawn, since));
        self.drawn.is_some() && now.duration_since(since) >= within
    }

    /// Whether something was drawn of which not all may have been in the tree at `time`.
    pub(super) fn drawn_since(&self, time: Instant) -> bool {
        self.drawn.is_some_and(|(_, since)| since + PASSED_ON > time)
    }

    /// Whether the application is believed to draw or announce all that changes, after it has drawn and announced this.
    pub(super) fn is_believed(&mut self, seen: Seen, now: Instant) -> bool {
        if let Some((then, since)) = self.surprise {
            if then != seen {
                self.surprise = None;
            } else if now.duration_since(since) >= SHOWS_WITHIN {
                self.is_refuted = true;
            }
        }
        self.surprise.is_none() && !self.is_refuted
    }

    /// Whether it may be believed still.
    pub(super) fn may_be_believed(&self) -> bool {
        !self.is_refuted
    }

    /// Records that an element has changed although nothing came since the last read. It may be about to be drawn or announced.
    pub(super) fn note_surprise(&mut self, seen: Seen, now: Instant) {
        self.surprise.get_or_insert((seen, now));
    }

    /// The places of those that are asked now among `known` elements: other ones each time, until all were.
    pub(super) fn sample(&mut self, known: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.asked;
        let taken = SAMPLE.min(known);
        self.asked = first.wrapping_add(taken);
        (0..taken).map(move |more| first.wrapping_add(more) % known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn what_was_drawn_is_in_the_tree_once_nothing_was_drawn_for_a_second() {
        let begun = Instant::now();
        let mut screen = OnScreen::default();
        assert!(!screen.note_drawn(Some(7), begun, PASSED_ON));
        assert!(!screen.note_drawn(Some(7), begun + PASSED_ON / 2, PASSED_ON));
        assert!(screen.note_drawn(Some(7), begun + PASSED_ON, PASSED_ON));
        assert!(!screen.note_drawn(Some(8), begun + 2 * PASSED_ON, PASSED_ON), "something was drawn");
        assert!(screen.note_drawn(Some(8), begun + 3 * PASSED_ON, PASSED_ON));
    }

    #[test]
    fn what_is_in_the_tree_before_it_is_drawn_is_there_at_once() {
        let begun = Instant::now();
        let mut screen = OnScreen::default();
        assert!(screen.note_drawn(Some(7), begun, Duration::ZERO));
        assert!(screen.note_drawn(Some(8), begun, Duration::ZERO));
        assert!(!screen.note_drawn(None, begun, Duration::ZERO), "nothing is known");
    }

    #[test]
    fn what_was_drawn_less_than_a_second_ago_may_not_be_in_the_tree() {
        let begun = Instant::now();
        let mut screen = OnScreen::default();
        assert!(!screen.drawn_since(begun), "nothing is known");
        screen.note_drawn(Some(7), begun, PASSED_ON);
        assert!(screen.drawn_since(begun + PASSED_ON / 2));
        assert!(!screen.drawn_since(begun + PASSED_ON));
    }

    #[test]
    fn of_what_cannot_be_seen_nothing_is_known() {
        let begun = Instant::now();
        let mut screen = OnScreen::default();
        screen.note_drawn(Some(7), begun, PASSED_ON);
        assert!(!screen.note_drawn(None, begun + PASSED_ON, PASSED_ON));
        assert!(!screen.note_drawn(None, begun + 2 * PASSED_ON, PASSED_ON));
        assert!(
            !screen.note_drawn(Some(7), begun + 3 * PASSED_ON, PASSED_ON),
            "it may have been drawn unseen"
        );
    }

    #[test]
    fn all_elements_are_asked_in_turn() {
        let mut screen = OnScreen::default();
        let asked: HashSet<usize> = (0..3).flat_map(|_| screen.sample(10).collect::<Vec<_>>()).collect();
        assert_eq!(asked.len(), 10);
        assert_eq!(screen.sample(2).count(), 2);
        assert_eq!(screen.sample(0).count(), 0);
    }

    #[test]
    fn an_application_that_changes_unseen_is_not_believed_any_more() {
        let begun = Instant::now();
        let seen = Seen { drawn: Some(7), events: 3 };
        let mut screen = OnScreen::default();
        assert!(screen.is_believed(seen, begun));
        screen.note_surprise(seen, begun);
        assert!(!screen.is_believed(seen, begun) && screen.may_be_believed(), "it may be about to be drawn");
        assert!(!screen.is_believed(seen, begun + SHOWS_WITHIN));
        let later = Seen { drawn: Some(8), events: 4 };
        assert!(!screen.is_believed(later, begun + 2 * SHOWS_WITHIN) && !screen.may_be_believed());
    }

    #[test]
    fn a_change_that_is_drawn_or_announced_a_moment_later_is_no_change_unseen() {
        let begun = Instant::now();
        let seen = Seen { drawn: Some(7), events: 3 };
        for later in [Seen { drawn: Some(8), ..seen }, Seen { events: 4, ..seen }] {
            let mut screen = OnScreen::default();
            screen.note_surprise(seen, begun);
            assert!(screen.is_believed(later, begun + SHOWS_WITHIN));
            assert!(screen.is_believed(later, begun + 2 * SHOWS_WITHIN));
        }
    }
}
