//! What is known of elements that came without all that belongs to them.

use super::object::{ObjectKey, ObjectSet};
use std::time::{Duration, Instant};

/// How long new elements are doubted where it does not show that they are complete.
const FILL_IN_TIME: Duration = Duration::from_secs(2);

/// How long they are doubted in any case: where documents have all, so has what comes in them, but it may come in several parts.
const IN_ANY_CASE: Duration = Duration::from_millis(100);

/// Most elements without a place that are remembered.
const MOST_PLACELESS: usize = 256;

/// What elements may still lack that have come.
#[derive(Debug, Default)]
pub(super) struct FillingIn {
    /// When elements last came, until everything has been read again after that.
    grown: Option<Instant>,
    /// When documents were last asked for what is sent later, and whether all of it was there.
    woken: Option<(Instant, bool)>,
    /// Elements for whose place a look has waited in vain. Each costs that once.
    placeless: ObjectSet,
}

impl FillingIn {
    /// Records that elements have come.
    pub(super) fn note_growth(&mut self, now: Instant) {
        self.grown = Some(now);
    }

    /// Those of these elements whose place may be about to come.
    pub(super) fn worth_waiting_for(&self, elements: Vec<ObjectKey>) -> Vec<ObjectKey> {
        elements.into_iter().filter(|key| !self.placeless.contains(key)).collect()
    }

    /// Records that these elements have got no place although it was waited for.
    pub(super) fn note_waited_in_vain(&mut self, elements: Vec<ObjectKey>) {
        if self.placeless.len() + elements.len() > MOST_PLACELESS {
            self.placeless.clear();
        }
        self.placeless.extend(elements);
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
    use std::sync::Arc;

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
    fn an_element_without_a_place_is_waited_for_once() {
        let key = |path: &str| ObjectKey { bus: Arc::from(":1.1"), path: Arc::from(path) };
        let (frame, page) = (key("/frame"), key("/page"));
        let mut filling_in = FillingIn::default();
        filling_in.note_waited_in_vain(vec![frame.clone()]);
        filling_in.note_growth(Instant::now());
        assert_eq!(
            filling_in.worth_waiting_for(vec![frame.clone(), page.clone()]),
            std::slice::from_ref(&page)
        );
        let many = (0..MOST_PLACELESS).map(|number| key(&format!("/{number}"))).collect();
        filling_in.note_waited_in_vain(many);
        assert_eq!(filling_in.placeless.len(), MOST_PLACELESS);
        assert_eq!(filling_in.worth_waiting_for(vec![frame.clone()]), [frame], "only so many are remembered");
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
