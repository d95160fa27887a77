//! Containers with more children than can be listed: only those that can be seen are loaded.
//!
//! A spreadsheet reports 2^31 children and makes an object for a cell whenever one is asked for; listing them hangs LibreOffice.
//! So the corners of the visible area are asked which child lies there, and the children between them are fetched by their place.
//! Where nothing answers to that, the first child that can lie in the area is found by halving, as lists are in order.

use super::call_error::CallError;
use super::details::read_raw_extents;
use super::object::ObjectKey;
use super::owners::read_parent;
use super::read_call::{
    GET_ACCESSIBLE_AT, GET_ACCESSIBLE_AT_POINT, GET_CHILD_AT_INDEX, GET_COLUMN_AT_INDEX, GET_INDEX_IN_PARENT,
    GET_ROW_AT_INDEX,
};
use super::wire::{Wire, burst};
use futures_util::FutureExt;
use handeye_core::{Abilities, Node, Rect};

/// Most children of one container that are loaded.
const MAX_VISIBLE: usize = 2000;
/// How many are loaded from the first one on where nothing shows which is the last.
const SCREENFUL: i32 = 200;
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
        let (first, last) = match (first, last) {
            (Some(first), Some(last)) => (first, last),
            _ if container.abilities.contains(Abilities::TABLE) => return Ok(Self::default()),
            _ => {
                let count = i32::try_from(container.child_count).unwrap_or(i32::MAX);
                let first = first_below(wire, key, count, area.y).await?;
                (first, first.saturating_add(SCREENFUL).min(count) - 1)
            }
        };
        if container.abilities.contains(Abilities::TABLE) {
            return cells_between(wire, key, first, last).await;
        }
        Ok(Self((first.min(last)..=first.max(last)).take(MAX_VISIBLE).map(ChildPosition::Index).collect()))
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

/// The first of `count` children that reaches below `top`, or the first of all where they do not report their places.
async fn first_below(wire: &Wire, key: &ObjectKey, count: i32, top: i32) -> Result<i32, CallError> {
    let (mut from, mut to) = (0, count);
    while from < to {
        let middle = from + (to - from) / 2;
        match bottom_of(wire, key, middle).await? {
            Some(bottom) if bottom <= top => from = middle + 1,
            Some(_) => to = middle,
            None => return Ok(0),
        }
    }
    Ok(if from < count { from } else { 0 })
}

/// Where a child ends, from the top of the screen.
async fn bottom_of(wire: &Wire, key: &ObjectKey, index: i32) -> Result<Option<i32>, CallError> {
    let child = match wire.call(key, &GET_CHILD_AT_INDEX, &index).await {
        Ok(child) => ObjectKey::from_raw(&child, wire.name()).filter(|child| child.bus == key.bus),
        Err(error) if error.is_fatal() => return Err(error),
        Err(_) => None,
    };
    let Some(child) = child else { return Ok(None) };
    Ok(read_raw_extents(wire, &child).await?.map(|area| area.bottom()))
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

/// The index of the child at a point. Headers and margins are not children, so a few points further in are tried.
async fn probe(
    wire: &Wire,
    key: &ObjectKey,
    x: i32,
    y: i32,
    step: (i32, i32),
) -> Result<Option<i32>, CallError> {
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
            Ok(index) if index >= 0 => return Ok(Some(index)),
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
