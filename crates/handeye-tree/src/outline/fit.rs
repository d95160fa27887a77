//! Which elements an outline has room for: the upper levels before the lower ones, on a level what can be acted on before the rest, and of the rows
//! of a list some as a sample before all others.

use super::content::is_collection;
use super::fold::{Item, is_addressable, retain};

/// How many rows of a list are shown before there is room for everything else.
const SAMPLE: usize = 8;

/// In which order elements are given room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// It is a row beyond the sample, or inside one.
    is_surplus: bool,
    depth: u32,
    /// It is a row of a list.
    is_row: bool,
    /// Nothing can be done with it.
    is_passive: bool,
}

/// How much there was no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LeftOut {
    pub(super) all: usize,
    /// Those that no other item counts.
    pub(super) uncounted: usize,
}

/// Takes out the items that `costs` leave no room for within `budget`, and counts them where they were.
pub(super) fn fit(items: &mut Vec<Item<'_>>, costs: &[usize], budget: usize) -> LeftOut {
    let surplus = surplus(items);
    let rank = |index: usize| Rank {
        is_surplus: surplus[index],
        depth: items[index].depth,
        is_row: is_row(items, index),
        is_passive: !is_addressable(&items[index]),
    };
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|index| rank(*index));
    let mut is_kept = vec![false; items.len()];
    let mut left = budget;
    for (place, index) in order.into_iter().enumerate() {
        // A parent comes before what is in it, so that it is known here whether it is kept.
        let has_place = items[index].parent.is_none_or(|parent| is_kept[parent]);
        if !has_place {
            continue;
        }
        match left.checked_sub(costs[index]) {
            Some(rest) => (left, is_kept[index]) = (rest, true),
            // Whatever the budget, the first line names what is looked at.
            None if place == 0 => (left, is_kept[index]) = (0, true),
            None => break,
        }
    }
    take_out(items, &is_kept)
}

/// Which items are rows beyond the sample of their list, or inside such a row.
fn surplus(items: &[Item<'_>]) -> Vec<bool> {
    let mut rows = vec![0; items.len()];
    let mut surplus = vec![false; items.len()];
    for (index, item) in items.iter().enumerate() {
        let Some(parent) = item.parent else { continue };
        surplus[index] = surplus[parent];
        // What was asked for itself shows its rows in their order.
        if is_row(items, index) && items[parent].parent.is_some() {
            rows[parent] += 1;
            surplus[index] |= rows[parent] > SAMPLE;
        }
    }
    surplus
}

fn is_row(items: &[Item<'_>], index: usize) -> bool {
    items[index].parent.is_some_and(|parent| is_collection(items[parent].node.role))
}

/// Takes out what is not kept. It is counted at the nearest item around it that is: rows of that as rows, others as inside of it.
fn take_out(items: &mut Vec<Item<'_>>, is_kept: &[bool]) -> LeftOut {
    let mut left_out = LeftOut::default();
    for index in 0..items.len() {
        if is_kept[index] {
            continue;
        }
        let parent = items[index].parent;
        // Parents come first, so that the parent of an item already knows where it is counted.
        let owner =
            parent.and_then(|parent| if is_kept[parent] { Some(parent) } else { items[parent].counted_at });
        items[index].is_left_out = true;
        items[index].counted_at = owner;
        left_out.all += 1;
        match owner {
            Some(owner) if !is_collection(items[owner].node.role) => items[owner].too_deep += 1,
            Some(owner) if Some(owner) == parent => items[owner].more_rows += 1,
            // It is inside of a row that is counted.
            _ => left_out.uncounted += 1,
        }
    }
    retain(items, |item| !item.is_left_out);
    left_out
}
