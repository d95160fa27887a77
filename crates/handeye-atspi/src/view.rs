//! What of a long list is in view, where its toolkit reports of all its children that they show.
//!
//! GTK 3 says so of every cell of a table, wherever the table is scrolled to. So each cell is asked for its place; only those in view are read,
//! and some next to them. The rest is read when something is looked for that is not in view. Whether the list was scrolled since is asked of
//! the list itself and of the first and the last child in view.

use super::call_error::CallError;
use super::details::read_raw_extents;
use super::object::ObjectKey;
use super::owners::Admitted;
use super::reading::Reading;
use super::toolkit::Toolkit;
use super::wire::{Wire, burst};
use futures_util::FutureExt;
use handeye_core::{NodeId, Rect, Role};
use std::collections::{HashMap, HashSet};

/// With up to so many children a list is read whole.
const FEW_CHILDREN: usize = 64;
/// How many of the first children are read wherever the list is: the first row of a table is that of its headers.
const FIRST: usize = 16;
/// How many of the children before and behind those in view are read too.
const MARGIN: usize = 8;

/// What of a list is in view.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    /// All children of the list.
    pub(super) listed: Vec<ObjectKey>,
    /// Which of them are in view.
    pub(super) shown: Vec<bool>,
    /// The list, and the first and last child in view, with the places that they had.
    pub(super) edges: Vec<(ObjectKey, Option<Rect>)>,
}

impl View {
    /// Whether just these are the children of the list.
    pub(super) fn lists(&self, children: &[ObjectKey]) -> bool {
        self.listed == children
    }

    /// The children that are read where not all are.
    pub(super) fn chosen(&self) -> HashSet<ObjectKey> {
        near(&self.shown).into_iter().map(|place| self.listed[place].clone()).collect()
    }
}

/// Whether it has to be asked which children of an element are in view.
pub(super) fn has_view(toolkit: Toolkit, reading: &Reading, admitted: &Admitted) -> bool {
    let is_list = matches!(reading.role, Role::Tree | Role::TreeGrid | Role::Table);
    is_list && admitted.children.len() > FEW_CHILDREN && toolkit.shows_all_cells()
}

/// Asks which of `children` are in view in their list `key`.
pub(super) async fn read_view(
    wire: &Wire,
    key: &ObjectKey,
    children: &[ObjectKey],
) -> Result<View, CallError> {
    let asked = std::iter::once(key).chain(children);
    let areas = burst(asked.map(|key| read_raw_extents(wire, key).boxed()).collect()).await?;
    let mut areas = areas.into_iter().map(|area| area.ok().flatten());
    let list = areas.next().flatten();
    let areas: Vec<Option<Rect>> = areas.collect();
    let is_in_view =
        |area: &Option<Rect>| list.zip(*area).is_some_and(|(list, area)| list.intersection(&area).is_some());
    let shown: Vec<bool> = areas.iter().map(is_in_view).collect();
    // The headers of a table stay in view, and in their place.
    let below = || shown.iter().enumerate().skip(FIRST).filter(|(_, shown)| **shown).map(|(place, _)| place);
    let places = [below().next(), below().next_back()];
    let ends = places.into_iter().flatten().map(|place| (children[place].clone(), areas[place]));
    let edges = std::iter::once((key.clone(), list)).chain(ends).collect();
    Ok(View { listed: children.to_vec(), shown, edges })
}

/// The places that are near to one that shows, or to the beginning.
fn near(shows: &[bool]) -> Vec<usize> {
    let is_near = |place: &usize| {
        let from = place.saturating_sub(MARGIN);
        let to = place.saturating_add(MARGIN + 1).min(shows.len());
        *place < FIRST || shows[from..to].contains(&true)
    };
    (0..shows.len()).filter(is_near).collect()
}

/// By list.
pub(super) type Views = HashMap<NodeId, View>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_is_read_with_what_lies_next_to_it() {
        let mut shows = vec![false; 100];
        shows[50] = true;
        shows[51] = true;
        let expected: Vec<usize> = (0..FIRST).chain(50 - MARGIN..=51 + MARGIN).collect();
        assert_eq!(near(&shows), expected);
        assert_eq!(near(&[false; 100]), (0..FIRST).collect::<Vec<_>>());
        assert_eq!(near(&[true; 100]).len(), 100);
        assert!(near(&[]).is_empty());
    }
}
