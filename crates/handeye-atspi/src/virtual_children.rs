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
/// How many are loaded from the first one on where nothing shows which is the last, and how far away from a corner the last one is looked for.
const SCREENFUL: i32 = 200;
/// How many of the children before and behind those that were found are asked at first whether they can be seen too.
const NEIGHBOURS: usize = 4;
/// How deep inside of a child a point may hit.
const MAX_DEPTH: usize = 16;
/// Coordinates relative to the screen.
const SCREEN_COORDINATES: u32 = 0;

/// Which children of a container can be seen.
#[derive(Debug, Default)]
pub(super) struct VisiblePositions(Vec<ChildPosition>);

/// The place of a child within its container, by which it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ChildPosition {
    /// Among all children.
    Index(i32),
    /// In a table.
    Cell { row: i32, column: i32 },
}

impl ChildPosition {
    /// What a spreadsheet calls a cell by its place: "B7" is in the second column of the seventh row. `None` of what is in no table.
    pub(super) fn cell_name(self) -> Option<String> {
        let Self::Cell { row, column } = self else { return None };
        let mut letters = Vec::new();
        let mut rest = u32::try_from(column).ok()?.checked_add(1)?;
        while rest > 0 {
            rest -= 1;
            letters.push(char::from(b'A' + (rest % 26) as u8));
            rest /= 26;
        }
        let letters: String = letters.into_iter().rev().collect();
        Some(format!("{letters}{}", row.checked_add(1)?))
    }

    /// Has the application name the object that is there in `container`, if there is one and it is of the same process: a child of another
    /// process is in a socket, which has one child.
    pub(super) async fn object(
        self,
        wire: &Wire,
        container: &ObjectKey,
    ) -> Result<Option<ObjectKey>, CallError> {
        let named = match self {
            Self::Index(index) => wire.call(container, &GET_CHILD_AT_INDEX, &index).await,
            Self::Cell { row, column } => wire.call(container, &GET_ACCESSIBLE_AT, &(row, column)).await,
        };
        match named {
            Ok(child) => {
                Ok(ObjectKey::from_raw(&child, wire.name()).filter(|child| child.bus == container.bus))
            }
            Err(error) if error.is_fatal() => Err(error),
            Err(_) => Ok(None),
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
        let (left, top) = (area.x.saturating_add(8), area.y.saturating_add(8));
        let first = probe(wire, key, left, top, (24, 12)).await?;
        let (right, bottom) = (area.right().saturating_sub(8), area.bottom().saturating_sub(8));
        let last = probe(wire, key, right, bottom, (-48, -16)).await?;
        if container.abilities.contains(Abilities::TABLE) && has_cells(wire, key, [&first, &last]).await? {
            return match (first, last) {
                (Some(first), Some(last)) => cells_between(wire, key, first.index, last.index).await,
                _ => Ok(Self::default()),
            };
        }
        let count = i32::try_from(container.child_count).unwrap_or(i32::MAX);
        let indexes = List { wire, key, area, count }.in_view(first, last).await?;
        Ok(Self(indexes.into_iter().map(ChildPosition::Index).collect()))
    }

    /// Those of the children, in order.
    pub(super) fn positions(&self) -> &[ChildPosition] {
        &self.0
    }

    /// Has the application name the objects at these places.
    pub(super) async fn objects(
        &self,
        wire: &Wire,
        key: &ObjectKey,
    ) -> Result<Vec<(ChildPosition, ObjectKey)>, CallError> {
        let answers = burst(self.0.iter().map(|place| place.object(wire, key).boxed()).collect()).await?;
        let found = self.0.iter().zip(answers);
        Ok(found.filter_map(|(place, answer)| Some((*place, answer.ok().flatten()?))).collect())
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

/// A container whose children follow each other.
struct List<'a> {
    wire: &'a Wire,
    key: &'a ObjectKey,
    /// What of it can be seen, in the toolkit's own coordinates.
    area: Rect,
    /// Number of its children.
    count: i32,
}

impl List<'_> {
    /// The indexes of the children that can be seen, in order. `first` and `last` lie in its corners, if anything does.
    async fn in_view(&self, first: Option<Child>, last: Option<Child>) -> Result<Vec<i32>, CallError> {
        let (first, last) = (first.map(|child| child.index), last.map(|child| child.index));
        let (Some(one), Some(other)) = (first.or(last), last.or(first)) else {
            return self.found_by_halving().await;
        };
        // A row of headers that stays in view while the others are scrolled is not next to those.
        let (head, from) = match one.min(other) {
            first if first < one.max(other) && !self.is_in_view(first + 1).await? => {
                (Some(first), one.max(other))
            }
            first => (None, first),
        };
        // A corner may lie beside the first or the last child in view: on a margin, or on the bullet of a list.
        let (from, to) = tokio::try_join!(self.reach(from, -1), self.reach(one.max(other), 1))?;
        Ok(head.filter(|head| *head < from).into_iter().chain(from..=to).take(MAX_VISIBLE).collect())
    }

    /// Those from the first one on that reaches into the area; the first of all where they do not report their places.
    async fn found_by_halving(&self) -> Result<Vec<i32>, CallError> {
        match self.first_in_view().await? {
            Some(first) => Ok((first..=self.reach(first, 1).await?).collect()),
            None => Ok((0..SCREENFUL.min(self.count)).collect()),
        }
    }

    /// The first child that reaches into the area. `None` where they do not report their places, or none does.
    async fn first_in_view(&self) -> Result<Option<i32>, CallError> {
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = from + (to - from) / 2;
            // One that takes no room, such as an empty paragraph, has no place.
            let areas = self.areas_of((middle..to).take(NEIGHBOURS)).await?;
            match areas.into_iter().find_map(|(_, area)| area) {
                Some(area) if area.bottom() <= self.area.y => from = middle + 1,
                Some(_) => to = middle,
                None => return Ok(None),
            }
        }
        Ok((from < self.count).then_some(from))
    }

    /// The last child that can be seen from `index` on in steps of `step`, at most [`SCREENFUL`] away. Between two that can there may be some that take no room.
    async fn reach(&self, index: i32, step: i32) -> Result<i32, CallError> {
        let (mut reached, mut asked) = (index, NEIGHBOURS);
        while (reached - index).abs() < SCREENFUL {
            let next = (1..).map_while(|distance: i32| reached.checked_add(distance.checked_mul(step)?));
            let next = next.take_while(|index| (0..self.count).contains(index)).take(asked);
            let areas = self.areas_of(next).await?;
            let in_view = areas.iter().rev().find(|(_, area)| area.is_some_and(|area| self.shows(&area)));
            let Some((last, _)) = in_view else { break };
            reached = *last;
            // Behind the last of them that were asked the next one may be.
            if areas.last().is_some_and(|(index, area)| index != last && area.is_some()) {
                break;
            }
            asked *= 2;
        }
        Ok(reached)
    }

    /// Whether the child with this index can be seen, as far as it reports its place.
    async fn is_in_view(&self, index: i32) -> Result<bool, CallError> {
        let areas = self.areas_of(std::iter::once(index)).await?;
        Ok(areas.into_iter().all(|(_, area)| area.is_none_or(|area| self.shows(&area))))
    }

    fn shows(&self, area: &Rect) -> bool {
        self.area.intersection(area).is_some()
    }

    /// Where children lie. `None` where one does not report that, or takes no room.
    async fn areas_of(
        &self,
        indexes: impl Iterator<Item = i32>,
    ) -> Result<Vec<(i32, Option<Rect>)>, CallError> {
        let indexes: Vec<i32> = indexes.collect();
        let area = async |index: i32| match ChildPosition::Index(index).object(self.wire, self.key).await? {
            Some(child) => read_raw_extents(self.wire, &child).await,
            None => Ok(None),
        };
        let areas = burst(indexes.iter().map(|index| area(*index).boxed()).collect()).await?;
        Ok(indexes.into_iter().zip(areas.into_iter().map(|area| area.ok().flatten())).collect())
    }
}

/// Whether the children of a table are its cells, as in a spreadsheet, and not its rows, as in a page. The children that lie in its corners are asked
/// what they are, and the first ones where nothing lies in one: a caption is a child, too.
async fn has_cells(wire: &Wire, table: &ObjectKey, corners: [&Option<Child>; 2]) -> Result<bool, CallError> {
    let mut asked: Vec<ObjectKey> = corners.into_iter().flatten().map(|child| child.key.clone()).collect();
    if asked.len() < corners.len() {
        let first = (0..NEIGHBOURS as i32)
            .map(|index| ChildPosition::Index(index).object(wire, table).boxed())
            .collect();
        asked.extend(burst(first).await?.into_iter().filter_map(|child| child.ok().flatten()));
    }
    let roles = burst(asked.iter().map(|child| wire.call(child, &GET_ROLE, &()).boxed()).collect()).await?;
    Ok(!roles.into_iter().flatten().any(|role| role_from_number(role).0 == Role::Row))
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
        let (x, y) = (x.saturating_add(step.0 * attempt), y.saturating_add(step.1 * attempt));
        let point = (x, y, SCREEN_COORDINATES);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_called_by_its_column_and_its_row() {
        let name = |row, column| ChildPosition::Cell { row, column }.cell_name();
        for (row, column, expected) in [
            (0, 0, "A1"),
            (6, 1, "B7"),
            (0, 25, "Z1"),
            (0, 26, "AA1"),
            (9, 51, "AZ10"),
            (9, 52, "BA10"),
            (0, 701, "ZZ1"),
            (0, 702, "AAA1"),
            (1_048_575, 16_383, "XFD1048576"),
        ] {
            assert_eq!(name(row, column).as_deref(), Some(expected));
        }
        assert_eq!(name(0, -1), None);
        assert_eq!(name(i32::MAX, 0), None);
        assert_eq!(ChildPosition::Index(3).cell_name(), None);
    }
}
