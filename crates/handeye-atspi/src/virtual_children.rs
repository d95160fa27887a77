//! Containers with more children than can be listed: only those that can be seen are loaded.
//!
//! A spreadsheet reports 2^31 children and makes an object for a cell whenever one is asked for; listing them hangs LibreOffice.
//! So the corners of the visible area are asked which child lies there, and the children between them are fetched by their place, with those
//! next to them that can be seen too. The children of a spreadsheet are its cells, those of a table in a page its rows.
//! Where nothing answers to that, the first child that can lie in the area is found by halving, as lists are in order.

use super::call_error::CallError;
use super::details::read_raw_extents;
use super::object::ObjectKey;
use super::owners::read_parent;
use super::read_call::{
    GET_ACCESSIBLE_AT, GET_ACCESSIBLE_AT_POINT, GET_CHILD_AT_INDEX, GET_COLUMN_AT_INDEX, GET_INDEX_IN_PARENT,
    GET_ROLE, GET_ROW_AT_INDEX,
};
use super::vocabulary::role_from_number;
use super::wire::{Wire, burst};
use futures_util::FutureExt;
use handeye_core::{Abilities, Node, Rect, Role};

/// Most children of one container that are loaded.
const MAX_VISIBLE: usize = 2000;
/// How many are loaded from the first one on where nothing shows which is the last.
const SCREENFUL: i32 = 200;
/// How many of the children before and behind those that were found are asked at once whether they can be seen too.
const NEIGHBOURS: i32 = 4;
/// How often, at most.
const MAX_REACHES: usize = 64;
/// How deep inside of a child a point may hit.
const MAX_DEPTH: usize = 16;
/// Coordinates relative to the screen.
const SCREEN_COORDINATES: u32 = 0;

/// Which children of a container can be seen: their indexes among all children, and how each is asked for.
#[derive(Debug, Default)]
pub(super) struct VisiblePositions(Vec<ChildPosition>);

#[derive(Debug, Clone, Copy)]
enum ChildPosition {
    Index(i32),
    Cell { row: i32, column: i32 },
}

impl ChildPosition {
    /// A number that names this place within its container for as long as the container lives.
    fn index(self) -> u32 {
        match self {
            Self::Index(index) => index as u32,
            // Wider than any row of a spreadsheet, so that no two cells share a number.
            Self::Cell { row, column } => (row as u32).wrapping_mul(16_384).wrapping_add(column as u32),
        }
    }
}

impl VisiblePositions {
    /// Asks the corners of a container which children lie there.
    /// `around` are the elements around it: what reaches beyond them cannot be seen.
    pub(super) async fn probe(
        wire: &Wire,
        key: &ObjectKey,
        container: &Node,
        around: &[ObjectKey],
    ) -> Result<Self, CallError> {
        let Some(area) = visible_area(wire, key, around).await? else { return Ok(Self::default()) };
        let first = probe(wire, key, area.x + 8, area.y + 8, (24, 12)).await?;
        let last = probe(wire, key, area.right() - 8, area.bottom() - 8, (-48, -16)).await?;
        if container.abilities.contains(Abilities::TABLE) && has_cells(wire, key, first.as_ref()).await? {
            return match (first, last) {
                (Some(first), Some(last)) => cells_between(wire, key, first.index, last.index).await,
                _ => Ok(Self::default()),
            };
        }
        let children =
            List { wire, key, area, count: i32::try_from(container.child_count).unwrap_or(i32::MAX) };
        let (first, last) = if let (Some(first), Some(last)) = (first, last) {
            (first.index.min(last.index), first.index.max(last.index))
        } else {
            let first = children.first_in_view().await?;
            (first, first.saturating_add(SCREENFUL).min(children.count) - 1)
        };
        // A corner may lie beside the first or the last child in view: on a margin, or on the bullet of a list.
        let (first, last) = (children.reach(first, -1).await?, children.reach(last, 1).await?);
        Ok(Self((first..=last).take(MAX_VISIBLE).map(ChildPosition::Index).collect()))
    }

    /// The indexes of the children, in order.
    pub(super) fn indexes(&self) -> impl ExactSizeIterator<Item = u32> {
        self.0.iter().map(|place| place.index())
    }

    /// Has the application name the objects at these places.
    pub(super) async fn objects(
        &self,
        wire: &Wire,
        key: &ObjectKey,
    ) -> Result<Vec<(u32, ObjectKey)>, CallError> {
        let calls = self
            .0
            .iter()
            .map(|place| match *place {
                ChildPosition::Index(index) => {
                    async move { wire.call(key, &GET_CHILD_AT_INDEX, &index).await }.boxed()
                }
                ChildPosition::Cell { row, column } => {
                    async move { wire.call(key, &GET_ACCESSIBLE_AT, &(row, column)).await }.boxed()
                }
            })
            .collect();
        let answers = burst(calls).await?;
        Ok(self
            .indexes()
            .zip(answers)
            .filter_map(|(index, answer)| Some((index, ObjectKey::from_raw(&answer.ok()?, wire.name())?)))
            // A child of another process is in a socket, which has one child.
            .filter(|(_, child)| child.bus == key.bus)
            .collect())
    }
}

/// The part of an element that can be seen, in the toolkit's own coordinates.
async fn visible_area(wire: &Wire, key: &ObjectKey, around: &[ObjectKey]) -> Result<Option<Rect>, CallError> {
    let calls = std::iter::once(key).chain(around).map(|key| read_raw_extents(wire, key).boxed()).collect();
    let mut areas = burst(calls).await?.into_iter().map(|area| area.ok().flatten());
    let Some(own) = areas.next().flatten() else { return Ok(None) };
    // A child that does not report its place hides nothing.
    Ok(areas.flatten().try_fold(own, |area, outer| area.intersection(&outer)))
}

/// A container whose children follow each other from top to bottom.
struct List<'a> {
    wire: &'a Wire,
    key: &'a ObjectKey,
    /// What of it can be seen, in the toolkit's own coordinates.
    area: Rect,
    /// Number of its children.
    count: i32,
}

impl List<'_> {
    /// The first child that reaches into the area, or the first of all where they do not report their places.
    async fn first_in_view(&self) -> Result<i32, CallError> {
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = from + (to - from) / 2;
            match self.area_of(middle).await? {
                Some(area) if area.bottom() <= self.area.y => from = middle + 1,
                Some(_) => to = middle,
                None => return Ok(0),
            }
        }
        Ok(if from < self.count { from } else { 0 })
    }

    /// The last child that can be seen, of those that follow `index` in steps of `step` without one between them that cannot.
    async fn reach(&self, index: i32, step: i32) -> Result<i32, CallError> {
        let mut reached = index;
        for _ in 0..MAX_REACHES {
            let next: Vec<i32> = (1..=NEIGHBOURS)
                .map(|distance| reached.saturating_add(distance * step))
                .filter(|index| (0..self.count).contains(index))
                .collect();
            let areas = burst(next.iter().map(|index| self.area_of(*index).boxed()).collect()).await?;
            let in_view = areas.into_iter().zip(&next).take_while(
                |(area, _)| matches!(area, Ok(Some(area)) if self.area.intersection(area).is_some()),
            );
            let Some(last) = in_view.map(|(_, index)| *index).last() else { break };
            reached = last;
            if next.last() != Some(&last) {
                break;
            }
        }
        Ok(reached)
    }

    /// Where a child lies.
    async fn area_of(&self, index: i32) -> Result<Option<Rect>, CallError> {
        match child_at(self.wire, self.key, index).await? {
            Some(child) => read_raw_extents(self.wire, &child).await,
            None => Ok(None),
        }
    }
}

/// The child with this index, if there is one and it is of the same process.
async fn child_at(wire: &Wire, key: &ObjectKey, index: i32) -> Result<Option<ObjectKey>, CallError> {
    match wire.call(key, &GET_CHILD_AT_INDEX, &index).await {
        Ok(child) => Ok(ObjectKey::from_raw(&child, wire.name()).filter(|child| child.bus == key.bus)),
        Err(error) if error.is_fatal() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whether the children of a table are its cells, as in a spreadsheet, and not its rows, as in a page. `child` is one of them.
async fn has_cells(wire: &Wire, table: &ObjectKey, child: Option<&Child>) -> Result<bool, CallError> {
    let child = match child {
        Some(child) => Some(child.key.clone()),
        None => child_at(wire, table, 0).await?,
    };
    let Some(child) = child else { return Ok(true) };
    match wire.call(&child, &GET_ROLE, &()).await {
        Ok(role) => Ok(role_from_number(role).0 != Role::Row),
        Err(error) if error.is_fatal() => Err(error),
        Err(_) => Ok(true),
    }
}

/// The child of `key` that holds the object `inner`, which may be that child itself.
async fn child_holding(
    wire: &Wire,
    key: &ObjectKey,
    inner: ObjectKey,
) -> Result<Option<ObjectKey>, CallError> {
    let mut current = inner;
    for _ in 0..MAX_DEPTH {
        match read_parent(wire, &current).await {
            Ok(Some(parent)) if parent == *key => return Ok(Some(current)),
            Ok(Some(parent)) if parent.bus == key.bus => current = parent,
            Err(error) if error.is_fatal() => return Err(error),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// A child that lies at a point.
struct Child {
    key: ObjectKey,
    index: i32,
}

/// The child at a point. Headers and margins are not children, so a few points further in are tried.
async fn probe(
    wire: &Wire,
    key: &ObjectKey,
    x: i32,
    y: i32,
    step: (i32, i32),
) -> Result<Option<Child>, CallError> {
    for attempt in 0..4 {
        let point = (x + step.0 * attempt, y + step.1 * attempt, SCREEN_COORDINATES);
        let child = match wire.call(key, &GET_ACCESSIBLE_AT_POINT, &point).await {
            Ok(child) => child,
            Err(error) if error.is_fatal() => return Err(error),
            Err(_) => continue,
        };
        let hit = ObjectKey::from_raw(&child, wire.name());
        let Some(hit) = hit.filter(|hit| hit != key && hit.bus == key.bus) else { continue };
        let Some(child) = child_holding(wire, key, hit).await? else { continue };
        match wire.call(&child, &GET_INDEX_IN_PARENT, &()).await {
            Ok(index) if index >= 0 => return Ok(Some(Child { key: child, index })),
            Err(error) if error.is_fatal() => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}

/// The cells in the rectangle of rows and columns that two cells span.
async fn cells_between(
    wire: &Wire,
    key: &ObjectKey,
    first: i32,
    last: i32,
) -> Result<VisiblePositions, CallError> {
    let place = async |index: i32| {
        let (row, column) = tokio::join!(
            wire.call(key, &GET_ROW_AT_INDEX, &index),
            wire.call(key, &GET_COLUMN_AT_INDEX, &index),
        );
        Ok::<_, CallError>((row?, column?))
    };
    let (from, to) = (place(first).await?, place(last).await?);
    let (rows, columns) = (from.0.min(to.0)..=from.0.max(to.0), from.1.min(to.1)..=from.1.max(to.1));
    let cells = rows.flat_map(|row| columns.clone().map(move |column| ChildPosition::Cell { row, column }));
    Ok(VisiblePositions(cells.take(MAX_VISIBLE).collect()))
}
