//! Which children are the same ones as before, where their container makes new objects for all of them.

use super::book::{Book, Loaded};
use super::object::ObjectKey;
use super::reading::Reading;
use super::toolkit::Toolkit;
use handeye_core::{Node, Role, Tree};
use std::collections::HashMap;
use std::sync::Arc;

/// Gives loaded children that have new objects the identity of those that they were before.
pub(super) fn keep_identities(book: &mut Book, tree: &Tree, toolkit: Toolkit, loaded: &[Loaded]) {
    let makers = loaded.iter().filter(|item| toolkit.makes_new_children(item.reading.role));
    for (container, children) in makers.filter_map(|item| Some((&item.key, item.children.as_ref()?))) {
        let Some(node) = book.id(container).and_then(|id| tree.get(id)) else { continue };
        let old: Vec<&Arc<Node>> = book.given(node).iter().filter_map(|id| tree.get(*id)).collect();
        let readings: HashMap<&ObjectKey, &Reading> = loaded
            .iter()
            .filter(|item| item.parent.as_ref() == Some(container))
            .map(|item| (&item.key, &item.reading))
            .collect();
        let new: Vec<(&ObjectKey, &Reading)> =
            children.iter().filter_map(|key| Some((key, *readings.get(key)?))).collect();
        let were: Vec<(Role, &str)> = old.iter().map(|node| (node.role, &*node.name)).collect();
        let are: Vec<(Role, &str)> = new.iter().map(|(_, read)| (read.role, &*read.name)).collect();
        for (before, now) in pairs(&were, &are) {
            let key = new[now].0;
            if book.id(key).is_none() {
                book.rebind(old[before].id, key.clone());
            }
        }
    }
}

/// Pairs of places in `old` and in `new` that are the same child: those before everything that differs, and those behind it. What was sorted
/// has no pairs in between: nobody knows which of two equal rows it is.
fn pairs<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let left = old.len().min(new.len()) - before;
    let behind =
        old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(old, new)| old == new).count();
    let tails = (old.len() - behind..old.len()).zip(new.len() - behind..new.len());
    (0..before).map(|place| (place, place)).chain(tails).collect()
}

#[cfg(test)]
mod tests {
    use super::pairs;
    use proptest::prelude::*;

    #[test]
    fn rows_that_come_or_go_leave_the_others_what_they_are() {
        let rows = ["a", "b", "c"];
        assert_eq!(pairs(&rows, &rows), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(pairs(&rows, &["a", "b", "new", "c"]), [(0, 0), (1, 1), (2, 3)]);
        assert_eq!(pairs(&rows, &["a", "c"]), [(0, 0), (2, 1)]);
        assert_eq!(pairs(&rows, &["a", "a", "b", "c"]), [(0, 0), (1, 2), (2, 3)]);
        assert_eq!(pairs(&rows, &["a", "B", "c"]), [(0, 0), (2, 2)]);
        assert_eq!(pairs(&rows, &["c", "b", "a"]), []);
        assert_eq!(pairs(&rows, &[]), []);
    }

    proptest! {
        #[test]
        fn each_child_is_one_other_at_most(old in proptest::collection::vec(0..3_u8, 0..12), new in proptest::collection::vec(0..3_u8, 0..12)) {
            let found = pairs(&old, &new);
            for (index, (from, to)) in found.iter().enumerate() {
                prop_assert_eq!(old[*from], new[*to]);
                prop_assert!(found[index + 1..].iter().all(|(later, at)| later > from && at > to));
            }
        }
    }
}
