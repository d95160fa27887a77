//! Which element of an application had the focus when. What a key was for may have lost the focus before that can be asked: a recording of a busy
//! desktop comes to a key some time after it was pressed.

use handeye_core::{ConnectedApp, NodeId, Tree};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::task::AbortOnDropHandle;

/// Most changes of the focus that are kept for an application.
const MOST_CHANGES: usize = 32;
/// Most applications that are followed; the one that was in front longest ago is given up.
const MOST_APPLICATIONS: usize = 8;
/// Shortest time between two looks at a mirror: an application may report thousands of changes in a second.
const PAUSE: Duration = Duration::from_millis(15);
/// How late an application may report that its focus has moved: what gets it within this time after a key may have had it at the key.
const REPORTED_WITHIN: Duration = Duration::from_millis(150);

/// What had the focus from some moment on, in the tree as it was then.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) since: Instant,
    pub(crate) holder: Option<NodeId>,
    pub(crate) tree: Arc<Tree>,
}

/// The changes of one application's focus, the oldest first.
#[derive(Default)]
struct Changes(VecDeque<Held>);

impl Changes {
    /// Something has the focus from now on; nothing is noted if it had it before.
    fn note(&mut self, held: Held) {
        if self.0.back().is_some_and(|last| last.holder == held.holder) {
            return;
        }
        if self.0.len() >= MOST_CHANGES {
            self.0.pop_front();
        }
        self.0.push_back(held);
    }

    /// What had the focus at a moment.
    fn at(&self, when: Instant) -> Option<&Held> {
        self.0.iter().rev().find(|held| held.since <= when)
    }

    /// What may have had the focus at a moment, the likeliest first: what got it just afterwards, as that may have been reported late, and then what
    /// had it by what was reported.
    fn around(&self, when: Instant) -> impl Iterator<Item = &Held> {
        let late = self.0.iter().rev().skip_while(move |held| held.since > when + REPORTED_WITHIN);
        late.take_while(move |held| held.since > when).chain(self.at(when))
    }
}

/// An application whose focus is followed until this is dropped.
struct Followed {
    app: Arc<dyn ConnectedApp>,
    changes: Arc<Mutex<Changes>>,
    _task: AbortOnDropHandle<()>,
}

/// Follows the focus of the applications that a user works in.
#[derive(Default)]
pub(crate) struct FocusHistory {
    /// The one that was in front last is the last.
    followed: Vec<Followed>,
}

impl FocusHistory {
    /// Follows this application from now on. `holder_of` finds what has the focus in a tree.
    pub(crate) fn follow(&mut self, app: &Arc<dyn ConnectedApp>, holder_of: fn(&Tree) -> Option<NodeId>) {
        if let Some(at) = self.followed.iter().position(|followed| Arc::ptr_eq(&followed.app, app)) {
            let followed = self.followed.remove(at);
            return self.followed.push(followed);
        }
        if self.followed.len() >= MOST_APPLICATIONS {
            self.followed.remove(0);
        }
        let changes = Arc::new(Mutex::new(Changes::default()));
        let task = tokio::spawn(follow(Arc::clone(app), Arc::clone(&changes), holder_of));
        self.followed.push(Followed { app: Arc::clone(app), changes, _task: AbortOnDropHandle::new(task) });
    }

    /// What had the focus of an application at a moment; `None` if that is not known.
    pub(crate) fn at(&self, app: &Arc<dyn ConnectedApp>, when: Instant) -> Option<Held> {
        self.of(app, |changes| changes.at(when).cloned())?
    }

    /// What may have had it, the likeliest first.
    pub(crate) fn around(&self, app: &Arc<dyn ConnectedApp>, when: Instant) -> Vec<Held> {
        self.of(app, |changes| changes.around(when).cloned().collect()).unwrap_or_default()
    }

    fn of<R>(&self, app: &Arc<dyn ConnectedApp>, look: impl FnOnce(&Changes) -> R) -> Option<R> {
        let followed = self.followed.iter().find(|followed| Arc::ptr_eq(&followed.app, app))?;
        Some(look(&followed.changes.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Notes each change of the focus.
async fn follow(
    app: Arc<dyn ConnectedApp>,
    changes: Arc<Mutex<Changes>>,
    holder_of: fn(&Tree) -> Option<NodeId>,
) {
    let mut activity = app.mirror().watch();
    loop {
        let since = Instant::now();
        let tree = app.mirror().snapshot();
        let holder = holder_of(&tree);
        changes.lock().unwrap_or_else(PoisonError::into_inner).note(Held { since, holder, tree });
        tokio::time::sleep(PAUSE).await;
        // The mirror ends with the application's connection, which this keeps: the task ends when it is dropped.
        if activity.changed().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::{named, tree};

    fn history() -> (Changes, Instant, [NodeId; 2]) {
        let shown = Arc::new(tree("window \"Main\"\n  textbox \"Name\"\n  textbox \"City\""));
        let (name, city) = (named(&shown, "Name"), named(&shown, "City"));
        let start = Instant::now();
        let mut changes = Changes::default();
        for (after, holder) in [(0, Some(name)), (100, Some(name)), (1000, Some(city)), (2000, None)] {
            let since = start + Duration::from_millis(after);
            changes.note(Held { since, holder, tree: Arc::clone(&shown) });
        }
        (changes, start, [name, city])
    }

    #[test]
    fn a_key_was_for_what_had_the_focus_when_it_was_pressed() {
        let (changes, start, [name, city]) = history();
        let at = |after| changes.at(start + Duration::from_millis(after)).map(|held| held.holder);
        assert_eq!([at(0), at(999), at(1000)], [Some(Some(name)), Some(Some(name)), Some(Some(city))]);
        assert_eq!(at(5000), Some(None));
        let before = start.checked_sub(Duration::from_millis(1)).expect("a moment");
        assert!(changes.at(before).is_none());
    }

    #[test]
    fn a_focus_that_was_reported_just_after_a_key_counts_first() {
        let (changes, start, [name, city]) = history();
        let around = |after| -> Vec<_> {
            changes.around(start + Duration::from_millis(after)).map(|held| held.holder).collect()
        };
        assert_eq!(around(500), [Some(name)]);
        assert_eq!(around(900), [Some(city), Some(name)]);
        assert_eq!(around(1900), [None, Some(city)]);
    }

    #[test]
    fn of_many_changes_the_latest_are_kept() {
        let (mut changes, start, _) = history();
        let shown = Arc::new(tree("window \"Main\""));
        for number in 0..100 {
            let since = start + Duration::from_secs(10 + number);
            changes.note(Held { since, holder: Some(NodeId::mint()), tree: Arc::clone(&shown) });
        }
        assert_eq!(changes.0.len(), MOST_CHANGES);
        assert!(changes.at(start + Duration::from_secs(109)).is_some());
    }
}
