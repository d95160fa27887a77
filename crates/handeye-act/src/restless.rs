//! What of an application changes by itself: such a change proves nothing about an action.

use handeye_core::{Change, Diff, NodeId, Tree};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Most elements of one application that are remembered as restless.
const MOST: usize = 4096;

/// How far below an element whose children are made again nothing proves anything: the children, and what is in them, which may be read
/// at one look and not at the next.
const RENEWED_LEVELS: usize = 2;

/// How long something that went on by itself has to stand still before it is believed again.
const FORGIVEN: Duration = Duration::from_secs(5);
/// For how long what has just come may fill in by itself.
const YOUNG: Duration = Duration::from_secs(3);
/// Most moments at which it is remembered which elements there were.
const MARKS: usize = 16;

/// What was seen to change while nothing was dispatched, and how long the rest has stood still.
#[derive(Debug, Clone, Default)]
pub struct Restless {
    /// Elements that go on by themselves.
    elements: HashSet<NodeId>,
    /// Elements whose children come and go.
    containers: HashSet<NodeId>,
    /// Elements whose children are made again, with all that is in them (Java does so with cells for each reader).
    renewed: HashSet<NodeId>,
    /// When an element, or what is in a container, was last found different without an action, or first read; and whether it moved.
    stirred: HashMap<NodeId, (Instant, bool)>,
    /// Moments, each with an id that is younger than all elements that were known then.
    marks: VecDeque<(NodeId, Instant)>,
}

/// The element that a change is about: itself, or the container of what came or went.
pub fn place_of(change: &Change) -> Option<NodeId> {
    match change {
        Change::Changed { node, .. } => Some(node.id),
        Change::Appeared(node) | Change::Disappeared(node) => node.parent,
    }
}

impl Restless {
    /// Notes that what this change is about goes on by itself.
    pub fn note(&mut self, change: &Change) {
        let Some(place) = place_of(change) else { return };
        let known = match change {
            Change::Changed { .. } => &mut self.elements,
            Change::Appeared(_) | Change::Disappeared(_) => &mut self.containers,
        };
        if known.len() < MOST {
            known.insert(place);
        }
        self.stir(place);
    }

    /// Compares two looks without an action between them. What is different may be somebody's work, so it has only begun to stand still;
    /// what was made again proves nothing. After a `long` time, what went on by itself and stands still now is believed again.
    pub fn suspect(&mut self, earlier: &Tree, now: &Tree, long: bool) {
        let mut diff = Diff::between(earlier, now);
        let recreated = diff.match_recreated(earlier, now);
        for change in &diff.changes {
            if let Some(place) = place_of(change) {
                self.stir(place);
            }
        }
        // What was not read then cannot be compared.
        for node in now.nodes().filter(|node| node.is_showing() && node.value_text().is_some()) {
            if earlier.get(node.id).is_some_and(|old| old.value_text().is_none()) {
                self.begin(node.id, false);
            }
        }
        for parent in recreated.into_iter().filter_map(|pair| pair.old.parent) {
            self.stir(parent);
            if self.renewed.len() < MOST {
                self.renewed.insert(parent);
            }
        }
        if long {
            self.forget();
        }
        self.mark();
    }

    /// Whether an element came only just, during an action before this one.
    pub fn is_young(&self, id: NodeId) -> bool {
        let was_there_first = self.marks.front().is_none_or(|(younger, _)| id < *younger);
        !was_there_first && self.known_since(id).is_some_and(|when| when.elapsed() < YOUNG)
    }

    /// When an element was first known; `None` if it is new.
    fn known_since(&self, id: NodeId) -> Option<Instant> {
        self.marks.iter().find(|(younger, _)| id < *younger).map(|(_, when)| *when)
    }

    /// Since when an element, or what is in a container, has stood still for all that is known; `None` if it is new.
    pub fn still_since(&self, id: NodeId) -> Option<Instant> {
        let known_since = self.known_since(id)?;
        Some(self.stirred.get(&id).map_or(known_since, |(stirred, _)| known_since.max(*stirred)))
    }

    /// Whether an element, or what is in a container, has been seen to change by itself recently.
    pub fn has_moved(&self, id: NodeId) -> bool {
        self.stirred.get(&id).is_some_and(|(when, moved)| *moved && when.elapsed() < FORGIVEN)
    }

    /// Whether this change, from one tree to another, comes by itself.
    pub fn covers(&self, change: &Change, before: &Tree, after: &Tree) -> bool {
        let (node, tree) = match change {
            Change::Changed { node, .. } if self.elements.contains(&node.id) => return true,
            Change::Changed { node, .. } | Change::Appeared(node) => (node, after),
            Change::Disappeared(node) => (node, before),
        };
        node.parent.is_some_and(|parent| self.containers.contains(&parent))
            || tree.ancestors(node.id).take(RENEWED_LEVELS).any(|above| self.renewed.contains(&above.id))
    }

    /// Notes that an element, or what is in a container, was different just now.
    pub fn stir(&mut self, id: NodeId) {
        self.begin(id, true);
    }

    /// Restarts the time for which an element has stood still.
    fn begin(&mut self, id: NodeId, moved: bool) {
        if self.stirred.len() >= MOST {
            // What is not known any more has stood still as long as it was known; the marks begin again with it.
            self.stirred.clear();
            self.marks.clear();
        }
        self.stirred.insert(id, (Instant::now(), moved));
    }

    /// Remembers that all elements that there are were known now.
    pub fn mark(&mut self) {
        if self.marks.len() >= MARKS {
            // Those in the middle: the first one says how long the rest is known.
            self.marks.remove(1);
        }
        self.marks.push_back((NodeId::mint(), Instant::now()));
    }

    /// Believes again what has stood still for long enough.
    fn forget(&mut self) {
        let stirred = &self.stirred;
        let moves = |id: &NodeId| stirred.get(id).is_some_and(|(when, _)| when.elapsed() < FORGIVEN);
        for ids in [&mut self.elements, &mut self.containers, &mut self.renewed] {
            ids.retain(moves);
        }
    }
}

/// What is remembered about an application from one action to the next.
#[derive(Debug, Clone)]
pub struct Habits {
    /// What changes by itself there.
    pub restless: Arc<Restless>,
    /// The application at the last look: after an action, for a caller, or when it was connected.
    pub tree: Arc<Tree>,
    /// When that was.
    pub at: Instant,
    /// When the last action was over, if it showed no effect: that may come yet.
    pub unproven: Option<Instant>,
}

/// How long something may stand still without being at rest.
const LONG: Duration = Duration::from_millis(500);

impl Habits {
    /// What is known of an application that is looked at for the first time.
    pub fn of(tree: Arc<Tree>) -> Self {
        let mut restless = Restless::default();
        restless.mark();
        Self { restless: Arc::new(restless), tree, at: Instant::now(), unproven: None }
    }

    /// Notes what is different at another look, with no action since the last one.
    pub fn note_look(&mut self, tree: &Arc<Tree>) {
        let is_long = self.at.elapsed() >= LONG;
        Arc::make_mut(&mut self.restless).suspect(&self.tree, tree, is_long);
        self.tree = Arc::clone(tree);
        self.at = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::testing::{add_line, named, remove, tree};

    const WINDOW: &str =
        "window \"Main\"\n  text \"one\"\n  list \"News\"\n    listitem \"a\"\n    listitem \"b\"";

    #[tokio::test(start_paused = true)]
    async fn an_element_is_restless_until_it_has_stood_still() {
        let first = tree(WINDOW);
        let mut second = first.clone();
        let text = named(&first, "one");
        second.update(text, |node| node.name = "two".into());
        let change = Diff::between(&first, &second).changes.remove(0);
        let mut restless = Restless::default();
        restless.suspect(&first, &second, false);
        assert!(!restless.covers(&change, &first, &second), "somebody may have done that");
        restless.note(&change);
        assert!(restless.covers(&change, &first, &second));
        tokio::time::advance(Duration::from_secs(1)).await;
        restless.suspect(&second, &second, true);
        assert!(restless.covers(&change, &first, &second), "a clock stands still for a second");
        tokio::time::advance(FORGIVEN).await;
        restless.suspect(&second, &second, true);
        assert!(!restless.covers(&change, &first, &second));
    }

    #[tokio::test(start_paused = true)]
    async fn stillness_begins_with_the_last_change_and_with_the_element() {
        let first = tree(WINDOW);
        let (text, list) = (named(&first, "one"), named(&first, "News"));
        let mut restless = Restless::default();
        restless.suspect(&first, &first, false);
        let begin = Instant::now();
        tokio::time::advance(Duration::from_secs(1)).await;
        let mut second = first.clone();
        second.update(text, |node| node.name = "two".into());
        let new = add_line(&mut second, list, "listitem \"c\"");
        assert_eq!(restless.still_since(new), None, "nobody has seen it yet");
        restless.suspect(&first, &second, false);
        assert_eq!(restless.still_since(named(&first, "a")), Some(begin));
        for id in [text, list, new] {
            assert_eq!(restless.still_since(id), Some(Instant::now()));
        }
    }

    #[test]
    fn a_list_that_is_made_anew_is_restless_at_once() {
        let first = tree(WINDOW);
        let mut second = first.clone();
        let list = named(&first, "News");
        for name in ["a", "b"] {
            let old = named(&second, name);
            remove(&mut second, old);
        }
        for name in ["a", "b"] {
            add_line(&mut second, list, &format!("listitem \"{name}\""));
        }
        let mut restless = Restless::default();
        restless.suspect(&first, &second, false);
        let mut third = second.clone();
        add_line(&mut third, list, "listitem \"c\"");
        let changes = Diff::between(&second, &third).changes;
        assert!(!changes.is_empty() && changes.iter().all(|change| restless.covers(change, &second, &third)));
    }
}
