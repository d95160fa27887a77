//! What of a long list is in view, where its toolkit reports of all its children that they show.
//!
//! GTK 3 says so of every cell of a table, wherever the table is scrolled to. So some cells are asked for their places, and then
//! those around the ones in view; only those in view are read, and some next to them. The rest is read when something is looked for that is not
//! in view. Whether the list was scrolled since is asked of the list itself, of the first and the last child in view and of those next to these.

use super::call_error::CallError;
use super::details::read_raw_extents;
use super::object::{ObjectKey, ObjectSet};
use super::owners::Admitted;
use super::reading::Reading;
use super::toolkit::Toolkit;
use super::wire::{Wire, burst};
use futures_util::FutureExt;
use handeye_core::{NodeId, Rect, Role};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// With up to so many children a list is read whole.
const FEW_CHILDREN: usize = 64;
/// How many of the first children are read wherever the list is: the first row of a table is that of its headers.
const FIRST: usize = 16;
/// How many of the children before and behind those in view are read too.
const MARGIN: usize = 8;
/// Each child of so many is asked for its place first.
const STEP: usize = 8;
/// How often the places in a list are read that is being scrolled.
const MAX_READS: usize = 3;

/// What of a list is in view.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    /// All children of the list.
    pub(super) listed: Vec<ObjectKey>,
    /// Which of them are in view.
    pub(super) shown: Vec<bool>,
    /// Width and height of the list.
    size: Option<(u32, u32)>,
    /// Children that lie elsewhere once the list is scrolled.
    edges: Vec<Edge>,
}

/// A child, and where in its list it was: from the upper left corner, so that a window that moves changes nothing.
#[derive(Debug, Clone)]
struct Edge {
    child: ObjectKey,
    offset: Option<(i32, i32)>,
}

/// The size of a list, and where its edges lie.
#[derive(Debug)]
pub(super) struct Places {
    size: Option<(u32, u32)>,
    offsets: Vec<Option<(i32, i32)>>,
}

impl View {
    /// Whether just these are the children of the list.
    pub(super) fn lists(&self, children: &[ObjectKey]) -> bool {
        self.listed == children
    }

    /// Whether the list shows what it did, as far as these places show.
    pub(super) fn holds(&self, now: &Places) -> bool {
        self.size == now.size && self.edges.iter().map(|edge| edge.offset).eq(now.offsets.iter().copied())
    }

    /// The children that are read where not all are.
    pub(super) fn chosen(&self) -> ObjectSet {
        near(&self.shown).into_iter().map(|place| self.listed[place].clone()).collect()
    }
}

/// Whether it has to be asked which children of an element are in view.
pub(super) fn has_view(toolkit: Toolkit, reading: &Reading, admitted: &Admitted) -> bool {
    let is_list = matches!(reading.role, Role::Tree | Role::TreeGrid | Role::Table);
    is_list && admitted.children.len() > FEW_CHILDREN && toolkit.shows_all_cells()
}

/// Asks which of `children` are in view in their list `key`. All count as in view where their places make no sense.
pub(super) async fn read_view(
    wire: &Wire,
    key: &ObjectKey,
    children: &[ObjectKey],
) -> Result<View, CallError> {
    for _ in 0..MAX_READS {
        let (list, areas) = read_places(wire, key, children).await?;
        let shown = in_view(list, &areas);
        let ends = ends(&shown).into_iter().map(|place| (children[place].clone(), areas[place]));
        let edges: Vec<Edge> = ends.map(|(child, area)| Edge { child, offset: offset(list, area) }).collect();
        let view = View { listed: children.to_vec(), shown, size: size(list), edges };
        // A list that was scrolled meanwhile has answered with some places of before and some of after.
        if view.holds(&read_edges(wire, key, &view).await?) {
            return Ok(view);
        }
    }
    Ok(View { listed: children.to_vec(), shown: vec![true; children.len()], ..View::default() })
}

/// The places of a list and of its children, where that may be in view.
///
/// The first children and each of so many others are asked first. Those in view follow each other, so if some of the others are, what is beyond
/// their neighbours is not. Where there are gaps between those in view, some columns may lie beside the list: then all are asked, as where fewer than two of the first ones asked are in view.
async fn read_places(
    wire: &Wire,
    key: &ObjectKey,
    children: &[ObjectKey],
) -> Result<(Option<Rect>, Vec<Option<Rect>>), CallError> {
    let samples = samples(children.len());
    let (list, areas) = read_areas(wire, key, samples.iter().map(|place| &children[*place])).await?;
    let mut asked: BTreeMap<usize, Option<Rect>> = samples.into_iter().zip(areas).collect();
    let all = 0..children.len();
    if let Some(near) = around(list, &asked) {
        let near = FIRST.max(near.start)..near.end.min(all.end);
        ask(wire, children, near, &mut asked).await?;
    }
    if around(list, &asked).is_none() || has_gaps(list, &asked) {
        ask(wire, children, all.clone(), &mut asked).await?;
    }
    Ok((list, all.map(|place| asked.get(&place).copied().flatten()).collect()))
}

/// Asks the children of these places that were not asked.
async fn ask(
    wire: &Wire,
    children: &[ObjectKey],
    places: Range<usize>,
    asked: &mut BTreeMap<usize, Option<Rect>>,
) -> Result<(), CallError> {
    let places: Vec<usize> = places.filter(|place| !asked.contains_key(place)).collect();
    let calls = places.iter().map(|place| read_raw_extents(wire, &children[*place]).boxed()).collect();
    let areas = burst(calls).await?;
    asked.extend(places.into_iter().zip(areas.into_iter().map(|area| area.ok().flatten())));
    Ok(())
}

/// The children that are asked first.
fn samples(count: usize) -> Vec<usize> {
    (0..count).filter(|place| *place < FIRST || place.is_multiple_of(STEP)).collect()
}

/// Where those in view may begin and end, behind the first children; `None` if fewer than two of those that were asked are in view: a single one may be
/// in the only column in view, and does not show where the other rows are.
fn around(list: Option<Rect>, asked: &BTreeMap<usize, Option<Rect>>) -> Option<Range<usize>> {
    let mut in_view = in_list(list, asked).filter_map(|(place, lies_in)| lies_in.then_some(place));
    let from = in_view.next()?;
    let to = in_view.next_back()?;
    Some(from.saturating_sub(STEP)..to + STEP)
}

/// Whether one of those behind the first children is not in view that is between two in view.
fn has_gaps(list: Option<Rect>, asked: &BTreeMap<usize, Option<Rect>>) -> bool {
    let mut in_view: Vec<bool> = in_list(list, asked).map(|(_, lies_in)| lies_in).collect();
    in_view.dedup();
    in_view.iter().filter(|lies_in| **lies_in).count() > 1
}

/// Which of those behind the first children, of those that were asked, lie in the list.
fn in_list(
    list: Option<Rect>,
    asked: &BTreeMap<usize, Option<Rect>>,
) -> impl DoubleEndedIterator<Item = (usize, bool)> {
    asked.range(FIRST..).map(move |(place, area)| (*place, lies_in(list, *area)))
}

fn lies_in(list: Option<Rect>, area: Option<Rect>) -> bool {
    list.zip(area).is_some_and(|(list, area)| list.intersection(&area).is_some())
}

/// The places of a list and of its edges now, to be compared with those of its [`View`].
pub(super) async fn read_edges(wire: &Wire, list: &ObjectKey, view: &View) -> Result<Places, CallError> {
    let children = view.edges.iter().map(|edge| &edge.child);
    let (list, areas) = read_areas(wire, list, children).await?;
    Ok(Places { size: size(list), offsets: areas.into_iter().map(|area| offset(list, area)).collect() })
}

async fn read_areas<'a>(
    wire: &Wire,
    list: &'a ObjectKey,
    children: impl Iterator<Item = &'a ObjectKey>,
) -> Result<(Option<Rect>, Vec<Option<Rect>>), CallError> {
    let asked = std::iter::once(list).chain(children);
    let areas = burst(asked.map(|key| read_raw_extents(wire, key).boxed()).collect()).await?;
    let mut areas = areas.into_iter().map(|area| area.ok().flatten());
    Ok((areas.next().flatten(), areas.collect()))
}

/// Which children lie in the list. Those that do fill it, or else all fit into it: where neither is so, their places are not to be believed.
fn in_view(list: Option<Rect>, areas: &[Option<Rect>]) -> Vec<bool> {
    let all = || vec![true; areas.len()];
    let Some(list) = list else { return all() };
    let shown: Vec<bool> = areas.iter().map(|area| lies_in(Some(list), *area)).collect();
    let visible = areas.iter().zip(&shown).filter(|(_, shown)| **shown).filter_map(|(area, _)| *area);
    let filled = visible.map(|area| area.bottom()).max().unwrap_or(list.y) - list.y;
    if i64::from(filled) * 2 < i64::from(list.height) { all() } else { shown }
}

/// The places of the first and the last child in view, of the first one behind the headers, which stay where they are, and of those on either side of
/// the children in view: not all were read at the same time, so one of these may have come into view meanwhile.
fn ends(shown: &[bool]) -> Vec<usize> {
    let places = || (0..shown.len()).filter(|place| shown[*place]);
    let top = places().next();
    let start = places().find(|place| *place >= FIRST).or(top);
    let end = places().next_back();
    let before = start.and_then(|start| start.checked_sub(1));
    let behind = end.map(|end| end + 1).filter(|behind| *behind < shown.len());
    let mut ends: Vec<usize> = [top, before, start, end, behind].into_iter().flatten().collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn size(list: Option<Rect>) -> Option<(u32, u32)> {
    list.map(|list| (list.width, list.height))
}

/// Where a child lies in its list; `None` where it is not in view, for which GTK 3 reports the lowest numbers.
fn offset(list: Option<Rect>, child: Option<Rect>) -> Option<(i32, i32)> {
    let (list, child) = list.zip(child)?;
    Some((child.x.checked_sub(list.x)?, child.y.checked_sub(list.y)?))
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

    #[test]
    fn those_around_the_samples_in_view_are_asked() {
        let list = Some(Rect::new(0, 100, 300, 200));
        let row = |place: usize, from: i32| Some(Rect::new(0, from + place as i32 * 20, 300, 20));
        let asked = |area: &dyn Fn(usize) -> Option<Rect>| -> BTreeMap<usize, Option<Rect>> {
            samples(100).into_iter().map(|place| (place, area(place))).collect()
        };
        assert_eq!(samples(100)[..FIRST + 2], [(0..FIRST).collect::<Vec<_>>(), vec![16, 24]].concat());
        // Rows 40 to 49 are in view, and the headers: 40 and 48 of the samples behind the first ones.
        let scrolled = asked(&|place| if place < FIRST { row(0, 100) } else { row(place, -700) });
        assert_eq!(around(list, &scrolled), Some(32..56));
        assert_eq!(around(list, &asked(&|place| row(place, -200))), Some(8..32));
        assert_eq!(around(list, &asked(&|place| row(place, -500))), None, "32 alone is in view");
        assert_eq!(around(list, &asked(&|_| None)), None, "they do not answer");
        assert_eq!(around(list, &asked(&|place| row(place, 5_000))), None, "none is in view");
        assert_eq!(around(None, &scrolled), None);
        assert!(!has_gaps(list, &scrolled) && !has_gaps(list, &asked(&|_| None)));
        let one_of_three_columns = asked(&|place| row(0, 150).filter(|_| place % 24 == 0));
        assert!(has_gaps(list, &one_of_three_columns));
    }

    #[test]
    fn a_scrolled_list_is_known_by_its_last_child_in_view() {
        let shows = |places: std::ops::Range<usize>| {
            (0..100).map(|place| places.contains(&place)).collect::<Vec<_>>()
        };
        assert_eq!(ends(&shows(0..10)), [0, 9, 10], "even where no more than headers could be in view");
        assert_eq!(ends(&shows(0..30)), [0, FIRST - 1, FIRST, 29, 30]);
        assert_eq!(ends(&shows(40..41)), [39, 40, 41]);
        assert_eq!(ends(&shows(90..100)), [89, 90, 99]);
        assert!(ends(&[false; 3]).is_empty());
    }

    #[test]
    fn places_are_believed_where_children_in_view_fill_their_list() {
        let list = Rect::new(0, 100, 300, 200);
        let rows =
            |from: i32| (0..100).map(|row| Some(Rect::new(0, from + row * 20, 300, 20))).collect::<Vec<_>>();
        let count =
            |areas: &[Option<Rect>]| in_view(Some(list), areas).iter().filter(|shown| **shown).count();
        assert_eq!(count(&rows(100)), 10);
        assert_eq!(count(&rows(-405)), 11);
        assert_eq!(count(&rows(5_000)), 100, "nothing is in view, so these are other coordinates");
        assert_eq!(count(&[None; 100]), 100, "they do not answer");
        let half = [vec![Some(Rect::new(0, 100, 300, 20)); 3], vec![None; 97]].concat();
        assert_eq!(count(&half), 100, "headers alone do not fill it");
        assert!(in_view(None, &rows(100)).iter().all(|shown| *shown));
    }
}
