//! What is known of elements that came without all that belongs to them.

use std::time::{Duration, Instant};

/// How long new elements are doubted where it does not show that they are complete.
const FILL_IN_TIME: Duration = Duration::from_secs(2);

/// How long they are doubted in any case: where documents have all, so has what comes in them, but it may come in several parts.
const IN_ANY_CASE: Duration = Duration::from_millis(100);

/// What elements may still lack that have come.
#[derive(Debug, Default)]
pub(super) struct FillingIn {
    /// When elements last came, until everything has been read again after that.
    grown: Option<Instant>,
    /// When documents were last asked for what is sent later, and whether all of it was there.
    woken: Option<(Instant, bool)>,
    /// Whether a look has waited in vain for the place of a document since elements last came.
    has_waited_in_vain: bool,
}

impl FillingIn {
    /// Records that elements have come.
    pub(super) fn note_growth(&mut self, now: Instant) {
        self.grown = Some(now);
        self.has_waited_in_vain = false;
    }

    /// Whether a look may wait for what is about to come.
    pub(super) fn is_worth_waiting(&self) -> bool {
        !self.has_waited_in_vain
    }

    /// Records that nothing came although it was waited for.
    pub(super) fn note_waited_in_vain(&mut self) {
        self.has_waited_in_vain = true;
    }

    /// Whether elements may lack something.
    pub(super) fn is_pending(&self) -> bool {
        self.grown.is_some()
    }

    /// Records when documents were asked for what is sent later, and whether all of it was there.
    pub(super) fn note_woken(&mut self, begun: Instant, is_complete: bool) {
        self.woken = Some((begun, is_complete));
    }

    /// Records that everything that shows was read after the documents were woken, `has_texts` with its texts and numbers. Returns whether it
    /// is believed from now on.
    pub(super) fn note_read(&mut self, has_texts: bool) -> bool {
        let Some((woken, is_complete)) = self.woken.take() else { return false };
        let least = if is_complete && has_texts { IN_ANY_CASE } else { FILL_IN_TIME };
        // What has come since may lack something.
        let is_over = self.grown.is_some_and(|grown| woken.saturating_duration_since(grown) > least);
        if is_over {
            self.grown = None;
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    /// Whether elements that came at 0 are still doubted after a read whose documents were woken then.
    fn is_doubted(woken: Duration, is_complete: bool, has_texts: bool) -> bool {
        let begun = Instant::now();
        let mut filling_in = FillingIn::default();
        filling_in.note_growth(begun);
        filling_in.note_woken(begun + woken, is_complete);
        assert_ne!(filling_in.note_read(has_texts), filling_in.is_pending());
        filling_in.is_pending()
    }

    #[test]
    fn what_is_complete_is_believed_once_it_was_read_again() {
        assert!(is_doubted(MOMENT, true, true), "it may come in several parts");
        assert!(!is_doubted(IN_ANY_CASE + MOMENT, true, true));
    }

    #[test]
    fn what_may_not_be_is_doubted_for_two_seconds() {
        assert!(is_doubted(FILL_IN_TIME, false, true));
        assert!(!is_doubted(FILL_IN_TIME + MOMENT, false, true));
    }

    #[test]
    fn without_texts_the_doubt_ends_after_two_seconds_too() {
        assert!(is_doubted(IN_ANY_CASE + MOMENT, true, false));
        assert!(!is_doubted(FILL_IN_TIME + MOMENT, true, false));
    }

    #[test]
    fn what_was_waited_for_in_vain_is_not_waited_for_until_more_comes() {
        let mut filling_in = FillingIn::default();
        filling_in.note_growth(Instant::now());
        assert!(filling_in.is_worth_waiting());
        filling_in.note_waited_in_vain();
        assert!(!filling_in.is_worth_waiting());
        filling_in.note_growth(Instant::now());
        assert!(filling_in.is_worth_waiting());
    }

    #[test]
    fn what_came_during_the_read_is_doubted() {
        assert!(is_doubted(Duration::ZERO, true, true));
    }

    #[test]
    fn a_read_before_which_nothing_was_woken_shows_nothing() {
        let mut filling_in = FillingIn::default();
        filling_in.note_growth(Instant::now());
        assert!(!filling_in.note_read(true) && filling_in.is_pending());
    }
}
