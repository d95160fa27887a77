//! What is known of elements that came without all that belongs to them.

use std::time::{Duration, Instant};

/// How long new elements are doubted where it does not show that they are complete.
const FILL_IN_TIME: Duration = Duration::from_secs(2);

/// What elements may still lack that have come.
#[derive(Debug, Default)]
pub(super) struct FillingIn {
    /// When elements last came, until everything has been read again after that.
    grown: Option<Instant>,
    /// When documents were last asked for what is sent later, and whether all of it was there.
    woken: Option<(Instant, bool)>,
}

impl FillingIn {
    /// Records that elements have come.
    pub(super) fn note_growth(&mut self, now: Instant) {
        self.grown = Some(now);
    }

    /// Whether elements may lack something.
    pub(super) fn is_pending(&self) -> bool {
        self.grown.is_some()
    }

    /// Records when documents were asked for what is sent later, and whether all of it was there.
    pub(super) fn note_woken(&mut self, begun: Instant, is_complete: bool) {
        self.woken = Some((begun, is_complete));
    }

    /// Records that everything that shows, with its texts and numbers, was read after the documents were woken.
    pub(super) fn note_read(&mut self) {
        let Some((woken, is_complete)) = self.woken.take() else { return };
        let least = if is_complete { Duration::ZERO } else { FILL_IN_TIME };
        // What has come since may lack something.
        if self.grown.is_some_and(|grown| woken.saturating_duration_since(grown) > least) {
            self.grown = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether elements that came at 0 are still doubted after a read whose documents were woken then.
    fn is_doubted(woken: Duration, is_complete: bool) -> bool {
        let begun = Instant::now();
        let mut filling_in = FillingIn::default();
        filling_in.note_growth(begun);
        filling_in.note_woken(begun + woken, is_complete);
        filling_in.note_read();
        filling_in.is_pending()
    }

    #[test]
    fn what_is_complete_is_believed_once_it_was_read_again() {
        assert!(!is_doubted(Duration::from_millis(1), true));
    }

    #[test]
    fn what_may_not_be_is_doubted_for_two_seconds() {
        assert!(is_doubted(Duration::from_millis(1), false) && is_doubted(FILL_IN_TIME, false));
        assert!(!is_doubted(FILL_IN_TIME + Duration::from_millis(1), false));
    }

    #[test]
    fn what_came_during_the_read_is_doubted() {
        assert!(is_doubted(Duration::ZERO, true));
    }

    #[test]
    fn a_read_before_which_nothing_was_woken_shows_nothing() {
        let mut filling_in = FillingIn::default();
        filling_in.note_growth(Instant::now());
        filling_in.note_read();
        assert!(filling_in.is_pending());
    }
}
