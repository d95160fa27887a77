//! Containers with more children than can be listed: only those that can be seen are loaded.
//!
//! A spreadsheet reports 2^31 children and makes an object for a cell whenever one is asked for; listing them hangs LibreOffice.
//! So the corners of the visible area are asked which child lies there, and the children between them are fetched by their place.

use super::details::read_raw_extents;
use super::object::ObjectKey;
use super::read_call::{
    GET_ACCESSIBLE_AT, GET_ACCESSIBLE_AT_POINT, GET_CHILD_AT_INDEX, GET_COLUMN_AT_INDEX, GET_INDEX_IN_PARENT,
    GET_ROW_AT_INDEX,
};
use super::wire::{CallError, Wire, burst};
use futures_util::FutureExt;
use handeye_core::{Abilities, Node};

/// Most children of one container that are loaded.
const MAX_VISIBLE: usize = 2000;
/// Coordinates relative to the screen.
const SCREEN_COORDINATES: u32 = 0;

/// Which children of a container can be seen: their indexes among all children, and how each is asked for.
#[derive(Debug, Default)]
pub(super) struct VisiblePlaces(Vec<Place>);

#[derive(Debug, Clone, Copy)]
enum Place {
    Index(i32),
    Cell { row: i32, column: i32 },
}

impl Place {
    /// A number that names this place within its container for as long as the container lives.
    fn index(self) -> u32 {
        match self {
            Self::Index(index) => index as u32,
            // Wider than any row of a spreadsheet, so that no two cells share a number.
            Self::Cell { row, column } => (row as u32).wrapping_mul(16_384).wrapping_add(column as u32),
        }
    }
}

impl VisiblePlaces {
    /// Asks the corners of a container which children lie there.
    pub(super) async fn probe(wire: &Wire, key: &ObjectKey, container: &Node) -> Result<Self, CallError> {
        let Some(area) = read_raw_extents(wire, key).await? else { return Ok(Self::default()) };
        let first = probe(wire, key, area.x + 8, area.y + 8, (24, 12)).await?;
        let last = probe(wire, key, area.right() - 8, area.bottom() - 8, (-48, -16)).await?;
        let (Some(first), Some(last)) = (first, last) else { return Ok(Self::default()) };
        if container.abilities.contains(Abilities::TABLE) {
            return cells_between(wire, key, first, last).await;
        }
        Ok(Self((first.min(last)..=first.max(last)).take(MAX_VISIBLE).map(Place::Index).collect()))
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
                Place::Index(index) => {
                    async move { wire.call(key, &GET_CHILD_AT_INDEX, &index).await }.boxed()
                }
                Place::Cell { row, column } => {
                    async move { wire.call(key, &GET_ACCESSIBLE_AT, &(row, column)).await }.boxed()
                }
            })
            .collect();
        let answers = burst(calls).await?;
        Ok(self
            .indexes()
            .zip(answers)
            .filter_map(|(index, answer)| Some((index, ObjectKey::from_raw(&answer.ok()?, wire.name())?)))
            .collect())
    }
}

/// The index of the child at a point. Headers and margins are no children, so a few points further in are tried.
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
        let Some(child) = ObjectKey::from_raw(&child, wire.name()).filter(|child| child != key) else {
            continue;
        };
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
) -> Result<VisiblePlaces, CallError> {
    let place = async |index: i32| {
        let (row, column) = tokio::join!(
            wire.call(key, &GET_ROW_AT_INDEX, &index),
            wire.call(key, &GET_COLUMN_AT_INDEX, &index),
        );
        Ok::<_, CallError>((row?, column?))
    };
    let (from, to) = (place(first).await?, place(last).await?);
    let (rows, columns) = (from.0.min(to.0)..=from.0.max(to.0), from.1.min(to.1)..=from.1.max(to.1));
    let cells = rows.flat_map(|row| columns.clone().map(move |column| Place::Cell { row, column }));
    Ok(VisiblePlaces(cells.take(MAX_VISIBLE).collect()))
}
