//! Which elements take up room, as far as that is known: what was answered holds until the element announces another size.
//!
//! GTK 4 announces every change of a size that it draws (measured on 4.8), and is believed until a sample shows something else.

use handeye_core::{NodeId, Tree};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// How many elements are asked in each look although they have announced nothing.
const SAMPLE: usize = 4;

/// How long an announcement may take that goes another way than an answer.
const ARRIVES_WITHIN: Duration = Duration::from_millis(200);

/// What was known of an element when it was asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    /// Whether it took no room, if it had answered before and announced nothing since.
    known: Option<bool>,
}

/// What elements have answered last when they were asked for their room.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    /// Whether they took none.
    empty: HashMap<NodeId, bool>,
    /// Elements that were asked, and have neither answered nor announced anything since.
    awaited: HashSet<NodeId>,
    /// Elements that took another room than the last time, and did not announce it so far.
    unannounced: HashMap<NodeId, Instant>,
    /// Whether one never announced it.
    is_distrusted: bool,
    /// Where the next sample begins.
    turn: usize,
}

impl Rooms {
    /// Notes that an element has announced another size.
    pub(super) fn note_announced(&mut self, id: NodeId) {
        self.empty.remove(&id);
        self.awaited.remove(&id);
        self.unannounced.remove(&id);
    }

    /// Whether an element takes no room, as far as that is known.
    pub(super) fn is_empty(&self, id: NodeId) -> Option<bool> {
        self.empty.get(&id).copied()
    }

    /// The questions for those of `elements` that have to be asked.
    pub(super) fn ask(&mut self, tree: &Tree, elements: &[NodeId]) -> HashMap<NodeId, Question> {
        // What has left takes no room without announcing it.
        self.empty.retain(|id, _| tree.contains(*id));
        self.unannounced.retain(|id, _| tree.contains(*id));
        self.awaited.clear();
        if self.unannounced.values().any(|since| since.elapsed() > ARRIVES_WITHIN) && !self.is_distrusted {
            tracing::debug!("a change of size was not announced: from now on every size is asked for");
            self.is_distrusted = true;
        }
        let count = elements.len();
        let begin = self.turn;
        self.turn = (begin + SAMPLE).checked_rem(count).unwrap_or(0);
        let is_sampled = |place: usize| (place + count - begin % count) % count < SAMPLE;
        let mut questions = HashMap::new();
        for (place, id) in elements.iter().enumerate() {
            if self.is_distrusted || !self.empty.contains_key(id) || is_sampled(place) {
                questions.insert(*id, self.question(*id));
            }
        }
        questions
    }

    /// The question for one element.
    pub(super) fn question(&mut self, id: NodeId) -> Question {
        self.awaited.insert(id);
        Question { known: self.is_empty(id) }
    }

    /// Notes what an element has answered: whether it takes no room.
    pub(super) fn note_answer(&mut self, id: NodeId, question: Question, is_empty: bool) {
        // The answer of one that has announced something meanwhile may be older than that.
        if !self.awaited.remove(&id) {
            return;
        }
        self.empty.insert(id, is_empty);
        if question.known.is_some_and(|known| known != is_empty) {
            self.unannounced.entry(id).or_insert_with(Instant::now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_core::Role;
    use handeye_core::testing::blank;

    /// A tree of a window with `count` elements in it, and these.
    fn elements(count: usize) -> (Tree, Vec<NodeId>) {
        let mut tree = Tree::default();
        let ids: Vec<NodeId> = (0..count).map(|_| NodeId::mint()).collect();
        for id in &ids {
            tree.insert(blank(*id, None, Role::Generic, ""));
        }
        (tree, ids)
    }

    /// Asks, and has all that are asked answer `is_empty`.
    fn look(rooms: &mut Rooms, tree: &Tree, elements: &[NodeId], is_empty: bool) -> usize {
        let questions = rooms.ask(tree, elements);
        let count = questions.len();
        for (id, question) in questions {
            rooms.note_answer(id, question, is_empty);
        }
        count
    }

    #[test]
    fn what_announces_nothing_is_asked_once_but_for_a_sample() {
        let (tree, elements) = elements(40);
        let mut rooms = Rooms::default();
        assert_eq!(look(&mut rooms, &tree, &elements, false), 40);
        let mut sampled = HashSet::new();
        for _ in 0..10 {
            let questions = rooms.ask(&tree, &elements);
            assert_eq!(questions.len(), SAMPLE);
            for (id, question) in questions {
                rooms.note_answer(id, question, false);
                sampled.insert(id);
            }
        }
        assert_eq!(sampled.len(), 40, "each gets its turn");
    }

    #[test]
    fn what_announces_a_size_is_asked_again() {
        let (tree, elements) = elements(40);
        let mut rooms = Rooms::default();
        look(&mut rooms, &tree, &elements, false);
        rooms.note_announced(elements[30]);
        assert!(rooms.ask(&tree, &elements).contains_key(&elements[30]));
    }

    #[test]
    fn an_announcement_that_comes_before_the_answer_is_not_lost() {
        let (tree, elements) = elements(40);
        let mut rooms = Rooms::default();
        let questions = rooms.ask(&tree, &elements);
        rooms.note_announced(elements[30]);
        for (id, question) in questions {
            rooms.note_answer(id, question, false);
        }
        assert!(rooms.ask(&tree, &elements).contains_key(&elements[30]));
    }

    #[test]
    fn one_size_that_is_never_announced_ends_the_trust() {
        let (tree, elements) = elements(40);
        let mut rooms = Rooms::default();
        look(&mut rooms, &tree, &elements, false);
        look(&mut rooms, &tree, &elements, true);
        // The announcement may still be on its way.
        assert!(look(&mut rooms, &tree, &elements, false) < 40);
        std::thread::sleep(ARRIVES_WITHIN + Duration::from_millis(1));
        assert_eq!(look(&mut rooms, &tree, &elements, false), 40);
    }

    #[test]
    fn what_has_left_need_not_announce_it() {
        let (mut tree, elements) = elements(40);
        let mut rooms = Rooms::default();
        look(&mut rooms, &tree, &elements, false);
        look(&mut rooms, &tree, &elements, true);
        for gone in &elements {
            tree.remove_subtree(*gone);
        }
        std::thread::sleep(ARRIVES_WITHIN + Duration::from_millis(1));
        let (other, others) = self::elements(40);
        look(&mut rooms, &other, &others, false);
        assert_eq!(look(&mut rooms, &other, &others, false), SAMPLE);
    }

    #[test]
    fn a_late_announcement_keeps_the_trust() {
        let (tree, elements) = elements(40);
        let mut rooms = Rooms::default();
        look(&mut rooms, &tree, &elements, false);
        look(&mut rooms, &tree, &elements, true);
        for id in &elements {
            rooms.note_announced(*id);
        }
        std::thread::sleep(ARRIVES_WITHIN + Duration::from_millis(1));
        assert_eq!(look(&mut rooms, &tree, &elements, false), 40, "each has announced something");
        assert_eq!(look(&mut rooms, &tree, &elements, false), SAMPLE);
    }
}
