//! What is known of what an application shows on the screen: since when it is the same, and whether that says what is in its tree.

use std::time::{Duration, Instant};

/// For how long nothing was drawn before all that was drawn is in the tree. A browser draws a page before it has passed on what is in it.
const PASSED_ON: Duration = Duration::from_secs(1);
/// How many elements are asked where nothing was drawn and nothing announced.
const SAMPLE: usize = 4;

/// What is known of what an application shows on the screen.
#[derive(Debug, Default)]
pub(super) struct OnScreen {
    /// The number of the last thing that it has drawn, and when that was noticed.
    drawn: Option<(u64, Instant)>,
    /// How many elements were asked so far although nothing was drawn.
    asked: usize,
    /// Whether one of them had changed.
    is_refuted: bool,
}

impl OnScreen {
    /// Records the number of the last thing that was drawn, `None` where that is not known. Returns whether it has been that for so long that all
    /// of it is in the tree.
    pub(super) fn note_drawn(&mut self, drawn: Option<u64>, now: Instant) -> bool {
        let since = match self.drawn {
            Some((known, since)) if Some(known) == drawn => since,
            _ => now,
        };
        self.drawn = drawn.map(|drawn| (drawn, since));
        self.drawn.is_some() && now.duration_since(since) >= PASSED_ON
    }

    /// Whether the application is believed to draw or announce all that changes.
    pub(super) fn is_believed(&self) -> bool {
        !self.is_refuted
    }

    /// Records that something has changed that was neither drawn nor announced.
    pub(super) fn refute(&mut self) {
        self.is_refuted = true;
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

    const MOMENT: Duration = Duration::from_millis(1);

    #[test]
    fn what_was_drawn_is_in_the_tree_once_nothing_was_drawn_for_a_second() {
        let begun = Instant::now();
        let mut screen = OnScreen::default();
        assert!(!screen.note_drawn(Some(7), begun));
        assert!(!screen.note_drawn(Some(7), begun + PASSED_ON - MOMENT));
        assert!(screen.note_drawn(Some(7), begun + PASSED_ON));
        assert!(!screen.note_drawn(Some(8), begun + 2 * PASSED_ON), "something was drawn");
        assert!(screen.note_drawn(Some(8), begun + 3 * PASSED_ON));
    }

    #[test]
    fn of_what_cannot_be_seen_nothing_is_known() {
        let begun = Instant::now();
        let mut screen = OnScreen::default();
        screen.note_drawn(Some(7), begun);
        assert!(!screen.note_drawn(None, begun + PASSED_ON));
        assert!(!screen.note_drawn(None, begun + 2 * PASSED_ON));
        assert!(!screen.note_drawn(Some(7), begun + 3 * PASSED_ON), "it may have been drawn unseen");
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
    fn an_application_that_has_changed_unseen_is_not_believed_any_more() {
        let mut screen = OnScreen::default();
        assert!(screen.is_believed());
        screen.refute();
        screen.note_drawn(Some(7), Instant::now());
        assert!(!screen.is_believed());
    }
}
